using System;
using System.Collections;
using System.Collections.Generic;
using System.Reflection;

namespace UnityEngine
{
    public class Object
    {
        bool isDestroyed;

        public string name { get; set; }

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
            if (obj != null) obj.WhenDestroyed();
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

        public Transform transform
        {
            get { return gameObject.transform; }
        }

        public T GetComponent<T>()
        {
            return gameObject.GetComponent<T>();
        }
    }

    public class Behaviour : Component
    {
    }

    /// <summary>Its methods are called as the engine does: Awake at once, Start in a later frame, OnDestroy when it is destroyed.</summary>
    public class MonoBehaviour : Behaviour
    {
        public Coroutine StartCoroutine(IEnumerator routine)
        {
            Player.Start(Living(routine));
            return new Coroutine();
        }

        internal void Begin()
        {
            Call("Awake");
            if (Has("Start")) Player.Start(Started());
        }

        protected override void WhenDestroyed()
        {
            Call("OnDestroy");
            base.WhenDestroyed();
        }

        IEnumerator Started()
        {
            yield return null;
            if (this != null) Call("Start");
        }

        /// <summary>A coroutine ends with its object.</summary>
        IEnumerator Living(IEnumerator routine)
        {
            while (this != null && routine.MoveNext()) yield return routine.Current;
        }

        bool Has(string message)
        {
            return MethodOf(message) != null;
        }

        void Call(string message)
        {
            var method = MethodOf(message);
            if (method != null) ((Action)Delegate.CreateDelegate(typeof(Action), this, method))();
        }

        MethodInfo MethodOf(string message)
        {
            return GetType().GetMethod(message, BindingFlags.Instance | BindingFlags.NonPublic, null, Type.EmptyTypes, null);
        }
    }

    public class Transform : Component
    {
        readonly List<Transform> children = new List<Transform>();

        public Transform parent { get; private set; }

        public Transform root
        {
            get { return parent == null ? this : parent.root; }
        }

        public int childCount
        {
            get { return children.Count; }
        }

        public Transform GetChild(int index)
        {
            return children[index];
        }

        public void SetParent(Transform parent, bool worldPositionStays)
        {
            Player.RequireMainThread();
            Leave();
            this.parent = parent;
            if (parent != null) parent.children.Add(this);
        }

        internal void Leave()
        {
            if (!ReferenceEquals(parent, null)) parent.children.Remove(this);
            parent = null;
        }
    }

    public sealed class RectTransform : Transform
    {
    }
}
