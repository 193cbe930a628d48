using System;
using System.Collections.Generic;
using UnityEngine;
using UnityEngine.UI;

namespace EdgeGameStorage.Samples
{
    /// <summary>The buttons of a screen that are disabled while an act is under way.</summary>
    sealed class Buttons
    {
        readonly Activity activity;
        readonly List<Button> all = new List<Button>();

        public Buttons(Activity activity)
        {
            this.activity = activity;
            activity.Changed += Update;
        }

        public void Add(Transform parent, string text, Action clicked, bool isPossible = true)
        {
            var button = Ui.Button(parent, text, clicked);
            if (!isPossible) button.interactable = false;
            else
            {
                button.interactable = !activity.IsBusy;
                all.Add(button);
            }
        }

        void Update()
        {
            all.RemoveAll(button => button == null);
            foreach (var button in all) button.interactable = !activity.IsBusy;
        }
    }
}
