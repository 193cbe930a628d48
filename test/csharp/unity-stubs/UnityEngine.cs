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

    [AttributeUsage(AttributeTargets.Field)]
    public sealed class SerializeField : Attribute
    {
    }

    [AttributeUsage(AttributeTargets.Field)]
    public class TooltipAttribute : Attribute
    {
        public TooltipAttribute(string tooltip)
        {
            this.tooltip = tooltip;
        }

        public readonly string tooltip;
    }

    [AttributeUsage(AttributeTargets.Class)]
    public sealed class AddComponentMenu : Attribute
    {
        public AddComponentMenu(string menuName)
        {
            componentMenu = menuName;
        }

        public string componentMenu { get; }
    }

    public static class SystemInfo
    {
        public const string unsupportedIdentifier = "n/a";

        public static string deviceName
        {
            get { return "Test device"; }
        }

        public static string deviceModel
        {
            get { return "Test model"; }
        }

        /// <summary>The tests may set it.</summary>
        public static int maxTextureSize { get; set; } = 16384;
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
