using System;
using System.Collections.Generic;
using System.Linq;

namespace UnityEngine
{
    public sealed class GameObject : Object
    {
        readonly List<Component> components = new List<Component>();

        /// <summary>For the tests: those that are not destroyed.</summary>
        public static List<GameObject> Living { get; } = new List<GameObject>();

        public GameObject(string name, params Type[] components)
        {
            Player.RequireMainThread();
            Living.Add(this);
            this.name = name;
            activeSelf = true;
            var isFlat = components.Any(type => type == typeof(RectTransform) || type.Namespace == "UnityEngine.UI" || type == typeof(Canvas));
            Add(isFlat ? new RectTransform() : new Transform());
            foreach (var type in components) if (type != typeof(RectTransform)) AddComponent(type);
        }

        public Transform transform
        {
            get { return GetComponent<Transform>(); }
        }

        public bool activeSelf { get; private set; }

        public bool activeInHierarchy
        {
            get { return activeSelf && (transform.parent == null || transform.parent.gameObject.activeInHierarchy); }
        }

        public void SetActive(bool value)
        {
            Player.RequireMainThread();
            activeSelf = value;
        }

        public T AddComponent<T>()
            where T : Component
        {
            return (T)AddComponent(typeof(T));
        }

        public Component AddComponent(Type componentType)
        {
            Player.RequireMainThread();
            return Add((Component)Activator.CreateInstance(componentType, true));
        }

        public T GetComponent<T>()
        {
            return components.OfType<T>().FirstOrDefault();
        }

        public T GetComponentInChildren<T>(bool includeInactive = false)
        {
            return GetComponentsInChildren<T>(includeInactive).FirstOrDefault();
        }

        public T[] GetComponentsInChildren<T>(bool includeInactive = false)
        {
            if (!includeInactive && !activeInHierarchy) return new T[0];
            var below = Enumerable.Range(0, transform.childCount)
                .SelectMany(at => transform.GetChild(at).gameObject.GetComponentsInChildren<T>(includeInactive));
            return components.OfType<T>().Concat(below).ToArray();
        }

        protected override void WhenDestroyed()
        {
            var own = transform;
            while (own.childCount > 0) Destroy(own.GetChild(0).gameObject);
            own.Leave();
            Living.RemoveAll(living => ReferenceEquals(living, this));
            base.WhenDestroyed();
            foreach (var component in components) Destroy(component);
        }

        Component Add(Component component)
        {
            component.gameObject = this;
            component.name = name;
            components.Add(component);
            var behaviour = component as MonoBehaviour;
            if (behaviour != null) behaviour.Begin();
            return component;
        }
    }
}
