using System;
using UnityEngine;
using UnityEngine.EventSystems;
using UnityEngine.UI;
#if EDGE_GAME_STORAGE_INPUT_SYSTEM && ENABLE_INPUT_SYSTEM
using InputModule = UnityEngine.InputSystem.UI.InputSystemUIInputModule;
#else
using InputModule = UnityEngine.EventSystems.StandaloneInputModule;
#endif

namespace EdgeGameStorage.Samples
{
    /// <summary>
    /// Builds a screen of Unity UI in code, so that the sample has no scene, no prefab and no picture. UI Toolkit would need a theme as an
    /// asset, and IMGUI gets no input from the Input System. Replace it with the user interface of your game.
    /// </summary>
    static class Ui
    {
        static readonly Color Background = new Color(0.93f, 0.94f, 0.96f, 1);

        /// <summary>A column that fills the screen, above everything else.</summary>
        public static Transform Screen(string name)
        {
            if (EventSystem.current == null) new GameObject("Event System", typeof(EventSystem), typeof(InputModule));
            var canvas = new GameObject(name, typeof(Canvas), typeof(CanvasScaler), typeof(GraphicRaycaster));
            canvas.GetComponent<Canvas>().renderMode = RenderMode.ScreenSpaceOverlay;
            var scaler = canvas.GetComponent<CanvasScaler>();
            scaler.uiScaleMode = CanvasScaler.ScaleMode.ScaleWithScreenSize;
            scaler.referenceResolution = new Vector2(640, 640);
            scaler.screenMatchMode = CanvasScaler.ScreenMatchMode.Expand; // Fits phones held upright and wide screens.
            var panel = DefaultControls.CreatePanel(new DefaultControls.Resources());
            panel.transform.SetParent(canvas.transform, false);
            panel.GetComponent<Image>().color = Background;
            var column = Arranged<VerticalLayoutGroup>(panel);
            column.padding = new RectOffset(20, 20, 20, 20);
            return panel.transform;
        }

        /// <param name="parent">Where it is.</param>
        /// <param name="fills">Whether it is as high as there is room.</param>
        public static Transform Column(Transform parent, bool fills = false)
        {
            var column = Made("Column", parent);
            Arranged<VerticalLayoutGroup>(column);
            var size = Sized(column);
            size.flexibleWidth = 1;
            if (fills) size.flexibleHeight = 1;
            return column.transform;
        }

        public static Transform Row(Transform parent)
        {
            var row = Made("Row", parent);
            Arranged<HorizontalLayoutGroup>(row).childAlignment = TextAnchor.MiddleLeft;
            return row.transform;
        }

        /// <summary>A column that scrolls, and takes the room that is left.</summary>
        public static Transform List(Transform parent)
        {
            var view = DefaultControls.CreateScrollView(new DefaultControls.Resources());
            view.transform.SetParent(parent, false);
            var size = Sized(view);
            size.flexibleHeight = 1;
            size.flexibleWidth = 1;
            var scroll = view.GetComponent<ScrollRect>();
            scroll.horizontal = false;
            scroll.scrollSensitivity = 20;
            var content = scroll.content;
            Arranged<VerticalLayoutGroup>(content.gameObject).padding = new RectOffset(10, 10, 10, 10);
            content.gameObject.AddComponent<ContentSizeFitter>().verticalFit = ContentSizeFitter.FitMode.PreferredSize;
            return content;
        }

        /// <summary>Plain text: what players write is never taken for markup.</summary>
        public static Text Label(Transform parent, string text, int size = 16)
        {
            var label = DefaultControls.CreateText(new DefaultControls.Resources());
            label.transform.SetParent(parent, false);
            var shown = label.GetComponent<Text>();
            shown.text = text;
            shown.fontSize = size;
            shown.supportRichText = false;
            Sized(label).flexibleWidth = 1;
            return shown;
        }

        public static Button Button(Transform parent, string text, Action clicked)
        {
            var made = DefaultControls.CreateButton(new DefaultControls.Resources());
            made.transform.SetParent(parent, false);
            var label = made.GetComponentInChildren<Text>(true); // Also where the screen is not shown yet.
            label.text = text;
            label.fontSize = 16;
            label.supportRichText = false;
            Arranged<HorizontalLayoutGroup>(made).padding = new RectOffset(12, 12, 8, 8); // As large as the text needs.
            var button = made.GetComponent<Button>();
            button.onClick.AddListener(() => clicked());
            return button;
        }

        public static InputField Field(Transform parent, string hint, string text)
        {
            var made = DefaultControls.CreateInputField(new DefaultControls.Resources());
            made.transform.SetParent(parent, false);
            var size = Sized(made);
            size.minHeight = 36;
            size.preferredWidth = 160; // However long its text is.
            size.flexibleWidth = 1;
            var field = made.GetComponent<InputField>();
            field.textComponent.fontSize = 16;
            var placeholder = field.placeholder as Text;
            if (placeholder != null) placeholder.text = hint;
            field.text = text;
            return field;
        }

        /// <summary>A picture; grey as long as it has no texture.</summary>
        public static RawImage Picture(Transform parent, float width, float height)
        {
            var made = DefaultControls.CreateRawImage(new DefaultControls.Resources());
            made.transform.SetParent(parent, false);
            var size = Sized(made);
            size.minWidth = size.preferredWidth = width;
            size.minHeight = size.preferredHeight = height;
            var picture = made.GetComponent<RawImage>();
            picture.color = new Color(0.8f, 0.8f, 0.8f, 1);
            return picture;
        }

        public static void Clear(Transform parent)
        {
            for (var at = parent.childCount - 1; at >= 0; at--)
            {
                var child = parent.GetChild(at).gameObject;
                child.SetActive(false); // It is there until the end of the frame.
                UnityEngine.Object.Destroy(child);
            }
        }

        static GameObject Made(string name, Transform parent)
        {
            var made = new GameObject(name, typeof(RectTransform));
            made.transform.SetParent(parent, false);
            return made;
        }

        static LayoutElement Sized(GameObject target)
        {
            return target.AddComponent<LayoutElement>();
        }

        static T Arranged<T>(GameObject target)
            where T : HorizontalOrVerticalLayoutGroup
        {
            var group = target.AddComponent<T>();
            group.spacing = 8;
            group.childControlWidth = true;
            group.childControlHeight = true;
            group.childForceExpandWidth = false;
            group.childForceExpandHeight = false;
            return group;
        }
    }
}
