// The part of Unity's API that the package and its samples use, with the signatures of Unity 2021.3's scripting reference.
// Player.cs runs it.
using System;
using System.Collections;
using System.Reflection;

namespace UnityEngine
{
    public enum RuntimePlatform
    {
        LinuxPlayer = 13,
        WebGLPlayer = 17,
    }

    public enum RuntimeInitializeLoadType
    {
        AfterSceneLoad = 0,
        BeforeSceneLoad = 1,
        AfterAssembliesLoaded = 2,
    }

    [Flags]
    public enum HideFlags
    {
        None = 0,
        HideAndDontSave = 61,
    }

    [AttributeUsage(AttributeTargets.Method)]
    public sealed class RuntimeInitializeOnLoadMethodAttribute : Attribute
    {
        public RuntimeInitializeOnLoadMethodAttribute(RuntimeInitializeLoadType loadType)
        {
            this.loadType = loadType;
        }

        public RuntimeInitializeLoadType loadType { get; }
    }

    public static class Application
    {
        /// <summary>Set by the tests.</summary>
        public static RuntimePlatform platform { get; set; } = RuntimePlatform.LinuxPlayer;

        /// <summary>Set by the tests.</summary>
        public static string persistentDataPath { get; set; } = "";

        /// <summary>Whether the player runs; in the editor it may not.</summary>
        public static bool isPlaying
        {
            get { return Player.IsRunning; }
        }
    }

    public static class Debug
    {
        public static void Log(object message)
        {
            Console.WriteLine(message);
        }

        public static void LogWarning(object message)
        {
            Console.WriteLine(message);
        }
    }

    public static class Time
    {
        public static double realtimeSinceStartupAsDouble
        {
            get
            {
                Player.RequireMainThread();
                return Player.Seconds;
            }
        }

        public static int frameCount
        {
            get
            {
                Player.RequireMainThread();
                return Player.Frame;
            }
        }
    }

    public class Object
    {
        bool isDestroyed;

        public HideFlags hideFlags { get; set; }

        /// <summary>A destroyed object equals null.</summary>
        public static bool operator ==(Object x, Object y)
        {
            var isXGone = ReferenceEquals(x, null) || x.isDestroyed;
            var isYGone = ReferenceEquals(y, null) || y.isDestroyed;
            return isXGone || isYGone ? isXGone && isYGone : ReferenceEquals(x, y);
        }

        public static bool operator !=(Object x, Object y)
        {
            return !(x == y);
        }

        public static void DontDestroyOnLoad(Object target)
        {
            Player.RequireMainThread();
        }

        public static void Destroy(Object obj)
        {
            Player.RequireMainThread();
            obj.WhenDestroyed();
        }

        public override bool Equals(object other)
        {
            return this == other as Object;
        }

        public override int GetHashCode()
        {
            return 0;
        }

        protected virtual void WhenDestroyed()
        {
            isDestroyed = true;
        }
    }

    public class Component : Object
    {
        public GameObject gameObject { get; internal set; }
    }

    public class Behaviour : Component
    {
    }

    public class MonoBehaviour : Behaviour
    {
        public Coroutine StartCoroutine(IEnumerator routine)
        {
            Player.Start(Living(routine));
            return new Coroutine();
        }

        /// <summary>A coroutine ends with its object.</summary>
        IEnumerator Living(IEnumerator routine)
        {
            while (this != null && routine.MoveNext()) yield return routine.Current;
        }

        /// <summary>Calls OnDestroy, as Unity does, whatever its access is.</summary>
        protected override void WhenDestroyed()
        {
            var message = GetType().GetMethod("OnDestroy", BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic);
            if (message != null) message.Invoke(this, null);
            base.WhenDestroyed();
        }
    }

    public sealed class GameObject : Object
    {
        Component component;

        public GameObject(string name)
        {
            Player.RequireMainThread();
        }

        public T AddComponent<T>()
            where T : Component
        {
            var added = (T)Activator.CreateInstance(typeof(T), true);
            added.gameObject = this;
            component = added;
            return added;
        }

        protected override void WhenDestroyed()
        {
            base.WhenDestroyed();
            if (component != null) Destroy(component);
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
        public bool isDone { get; internal set; }
    }
}

namespace UnityEngine.Scripting
{
    [System.AttributeUsage(System.AttributeTargets.Assembly)]
    public sealed class AlwaysLinkAssemblyAttribute : System.Attribute
    {
    }
}
