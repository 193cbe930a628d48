// The part of Unity UI (com.unity.ugui) that the samples use: what is on the screen as a tree, without its layout and its pixels.
using UnityEngine.Events;
using UnityEngine.EventSystems;

namespace UnityEngine.UI
{
    public class CanvasScaler : UIBehaviour
    {
        public enum ScaleMode
        {
            ConstantPixelSize,
            ScaleWithScreenSize,
            ConstantPhysicalSize,
        }

        public enum ScreenMatchMode
        {
            MatchWidthOrHeight = 0,
            Expand = 1,
            Shrink = 2,
        }

        public ScaleMode uiScaleMode { get; set; }

        public Vector2 referenceResolution { get; set; }

        public ScreenMatchMode screenMatchMode { get; set; }
    }

    public class GraphicRaycaster : BaseRaycaster
    {
    }

    public abstract class Graphic : UIBehaviour
    {
        public virtual Color color { get; set; }
    }

    public abstract class MaskableGraphic : Graphic
    {
    }

    public class Image : MaskableGraphic
    {
    }

    public class RawImage : MaskableGraphic
    {
        public Texture texture { get; set; }
    }

    public class Text : MaskableGraphic
    {
        public virtual string text { get; set; }

        public int fontSize { get; set; }

        public bool supportRichText { get; set; } = true;
    }

    public class Selectable : UIBehaviour
    {
        public bool interactable { get; set; } = true;
    }

    public class Button : Selectable
    {
        public ButtonClickedEvent onClick { get; set; } = new ButtonClickedEvent();

        public class ButtonClickedEvent : UnityEvent
        {
        }
    }

    public class InputField : Selectable
    {
        public Text textComponent { get; set; }

        public Graphic placeholder { get; set; }

        public string text { get; set; } = "";
    }

    public class ScrollRect : UIBehaviour
    {
        public RectTransform content { get; set; }

        public bool horizontal { get; set; }

        public float scrollSensitivity { get; set; }
    }

    public abstract class LayoutGroup : UIBehaviour
    {
        public RectOffset padding { get; set; }

        public TextAnchor childAlignment { get; set; }
    }

    public abstract class HorizontalOrVerticalLayoutGroup : LayoutGroup
    {
        public float spacing { get; set; }

        public bool childForceExpandWidth { get; set; }

        public bool childForceExpandHeight { get; set; }

        public bool childControlWidth { get; set; }

        public bool childControlHeight { get; set; }
    }

    public class HorizontalLayoutGroup : HorizontalOrVerticalLayoutGroup
    {
    }

    public class VerticalLayoutGroup : HorizontalOrVerticalLayoutGroup
    {
    }

    public class LayoutElement : UIBehaviour
    {
        public virtual float minWidth { get; set; }

        public virtual float minHeight { get; set; }

        public virtual float preferredWidth { get; set; }

        public virtual float preferredHeight { get; set; }

        public virtual float flexibleWidth { get; set; }

        public virtual float flexibleHeight { get; set; }
    }

    public class ContentSizeFitter : UIBehaviour
    {
        public enum FitMode
        {
            Unconstrained,
            MinSize,
            PreferredSize,
        }

        public FitMode verticalFit { get; set; }
    }
}
