namespace UnityEngine.UI
{
    public static class DefaultControls
    {
        public struct Resources
        {
        }

        public static GameObject CreatePanel(Resources resources)
        {
            return new GameObject("Panel", typeof(Image));
        }

        public static GameObject CreateButton(Resources resources)
        {
            var button = new GameObject("Button (Legacy)", typeof(Image), typeof(Button));
            CreateText(resources).transform.SetParent(button.transform, false);
            return button;
        }

        public static GameObject CreateText(Resources resources)
        {
            return new GameObject("Text (Legacy)", typeof(Text));
        }

        public static GameObject CreateRawImage(Resources resources)
        {
            return new GameObject("RawImage", typeof(RawImage));
        }

        public static GameObject CreateInputField(Resources resources)
        {
            var made = new GameObject("InputField (Legacy)", typeof(Image), typeof(InputField));
            var field = made.GetComponent<InputField>();
            field.textComponent = CreateText(resources).GetComponent<Text>();
            field.placeholder = CreateText(resources).GetComponent<Text>();
            field.textComponent.transform.SetParent(made.transform, false);
            field.placeholder.transform.SetParent(made.transform, false);
            return made;
        }

        public static GameObject CreateScrollView(Resources resources)
        {
            var view = new GameObject("Scroll View", typeof(Image), typeof(ScrollRect));
            var content = new GameObject("Content", typeof(RectTransform));
            content.transform.SetParent(view.transform, false);
            view.GetComponent<ScrollRect>().content = content.GetComponent<RectTransform>();
            return view;
        }
    }
}
