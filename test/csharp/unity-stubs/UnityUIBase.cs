// What Unity UI (com.unity.ugui) takes from around it, as far as the samples use it.
using System.Collections.Generic;
using UnityEngine.Events;
using UnityEngine.EventSystems;

namespace UnityEngine
{
    public struct Vector2
    {
        public float x;
        public float y;

        public Vector2(float x, float y)
        {
            this.x = x;
            this.y = y;
        }
    }

    public struct Color
    {
        public float r;
        public float g;
        public float b;
        public float a;

        public Color(float r, float g, float b, float a)
        {
            this.r = r;
            this.g = g;
            this.b = b;
            this.a = a;
        }

        public static Color white
        {
            get { return new Color(1, 1, 1, 1); }
        }
    }

    public class RectOffset
    {
        public RectOffset(int left, int right, int top, int bottom)
        {
        }
    }

    public enum TextAnchor
    {
        UpperLeft = 0,
        MiddleLeft = 3,
    }

    public enum RenderMode
    {
        ScreenSpaceOverlay = 0,
    }

    public sealed class Canvas : Behaviour
    {
        public RenderMode renderMode { get; set; }
    }
}

namespace UnityEngine.Events
{
    public delegate void UnityAction();

    public class UnityEvent
    {
        readonly List<UnityAction> calls = new List<UnityAction>();

        public void AddListener(UnityAction call)
        {
            calls.Add(call);
        }

        public void Invoke()
        {
            foreach (var call in calls.ToArray()) call();
        }
    }
}

namespace UnityEngine.EventSystems
{
    public abstract class UIBehaviour : MonoBehaviour
    {
    }

    public class EventSystem : UIBehaviour
    {
        static EventSystem last;

        public EventSystem()
        {
            last = this;
        }

        public static EventSystem current
        {
            get { return last == null ? null : last; }
        }
    }

    public abstract class BaseInputModule : UIBehaviour
    {
    }

    public class StandaloneInputModule : BaseInputModule
    {
    }

    public abstract class BaseRaycaster : UIBehaviour
    {
    }
}

namespace UnityEngine.InputSystem.UI
{
    public class InputSystemUIInputModule : BaseInputModule
    {
    }
}
