// The part of Unity's API that the package and its samples use, to compile against: signatures as in Unity 2021.3's scripting reference.
using System;
using System.Collections;
using System.Collections.Generic;

namespace UnityEngine
{
    public enum RuntimePlatform
    {
        WebGLPlayer = 17,
    }

    public enum RuntimeInitializeLoadType
    {
        AfterSceneLoad = 0,
        BeforeSceneLoad = 1,
    }

    [Flags]
    public enum HideFlags
    {
        HideAndDontSave = 61,
    }

    [AttributeUsage(AttributeTargets.Method)]
    public sealed class RuntimeInitializeOnLoadMethodAttribute : Attribute
    {
        public RuntimeInitializeOnLoadMethodAttribute(RuntimeInitializeLoadType loadType)
        {
        }
    }

    public static class Application
    {
        public static RuntimePlatform platform
        {
            get { throw new NotImplementedException(); }
        }

        public static string persistentDataPath
        {
            get { throw new NotImplementedException(); }
        }
    }

    public static class Time
    {
        public static double realtimeSinceStartupAsDouble
        {
            get { throw new NotImplementedException(); }
        }

        public static int frameCount
        {
            get { throw new NotImplementedException(); }
        }
    }

    public class Object
    {
        public HideFlags hideFlags { get; set; }

        public static bool operator ==(Object x, Object y)
        {
            throw new NotImplementedException();
        }

        public static bool operator !=(Object x, Object y)
        {
            throw new NotImplementedException();
        }

        public static void DontDestroyOnLoad(Object target)
        {
            throw new NotImplementedException();
        }

        public static void Destroy(Object obj)
        {
            throw new NotImplementedException();
        }

        public override bool Equals(object other)
        {
            throw new NotImplementedException();
        }

        public override int GetHashCode()
        {
            throw new NotImplementedException();
        }
    }

    public class Component : Object
    {
        public GameObject gameObject
        {
            get { throw new NotImplementedException(); }
        }
    }

    public class Behaviour : Component
    {
    }

    public class MonoBehaviour : Behaviour
    {
        public Coroutine StartCoroutine(IEnumerator routine)
        {
            throw new NotImplementedException();
        }
    }

    public sealed class GameObject : Object
    {
        public GameObject(string name)
        {
        }

        public T AddComponent<T>()
            where T : Component
        {
            throw new NotImplementedException();
        }
    }

    public class YieldInstruction
    {
    }

    public sealed class Coroutine : YieldInstruction
    {
    }

    public class AsyncOperation : YieldInstruction
    {
        public bool isDone
        {
            get { throw new NotImplementedException(); }
        }
    }
}

namespace UnityEngine.Networking
{
    public class UnityWebRequestAsyncOperation : AsyncOperation
    {
    }

    public class UploadHandler : IDisposable
    {
        public void Dispose()
        {
        }
    }

    public sealed class UploadHandlerRaw : UploadHandler
    {
        public UploadHandlerRaw(byte[] data)
        {
        }
    }

    public class DownloadHandler : IDisposable
    {
        public byte[] data
        {
            get { throw new NotImplementedException(); }
        }

        public void Dispose()
        {
        }
    }

    public sealed class DownloadHandlerBuffer : DownloadHandler
    {
    }

    public class UnityWebRequest : IDisposable
    {
        public UnityWebRequest(string url, string method)
        {
        }

        public UploadHandler uploadHandler { get; set; }

        public DownloadHandler downloadHandler { get; set; }

        public int redirectLimit { get; set; }

        public long responseCode
        {
            get { throw new NotImplementedException(); }
        }

        public ulong uploadedBytes
        {
            get { throw new NotImplementedException(); }
        }

        public string error
        {
            get { throw new NotImplementedException(); }
        }

        public void SetRequestHeader(string name, string value)
        {
        }

        public Dictionary<string, string> GetResponseHeaders()
        {
            throw new NotImplementedException();
        }

        public UnityWebRequestAsyncOperation SendWebRequest()
        {
            throw new NotImplementedException();
        }

        public void Abort()
        {
        }

        public void Dispose()
        {
        }
    }
}
