using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using UnityEngine;
using UnityEngine.UI;

namespace EdgeGameStorage.Samples
{
    /// <summary>The form of a report: what is wrong, in a word, and in the player's own words.</summary>
    sealed class ReportForm
    {
        /// <summary>The words of the buttons. Translate them.</summary>
        static readonly KeyValuePair<string, ReportCategory>[] categories =
        {
            Named("Sexual content", ReportCategory.Sexual),
            Named("Cruel violence", ReportCategory.Violence),
            Named("Hate", ReportCategory.Hate),
            Named("Harassment", ReportCategory.Harassment),
            Named("It endangers a child", ReportCategory.ChildSafety),
            Named("It is stolen", ReportCategory.Copyright),
            Named("Fraud", ReportCategory.Fraud),
            Named("Spam", ReportCategory.Spam),
            Named("Something else", ReportCategory.Other),
        };

        readonly GameStorage storage;
        readonly Target target;
        readonly InputField text;
        bool isIllegal;

        /// <param name="storage">The player's.</param>
        /// <param name="target">What the player reports.</param>
        /// <param name="parent">Where the form is shown.</param>
        /// <param name="buttons">The buttons of the screen.</param>
        /// <param name="begin">Starts an act that sends the report.</param>
        public ReportForm(
            GameStorage storage,
            Target target,
            Transform parent,
            Buttons buttons,
            Action<string, Func<CancellationToken, Task<string>>> begin)
        {
            this.storage = storage;
            this.target = target;
            Ui.Label(parent, "What is wrong with it?", 18);
            text = Ui.Field(parent, "In your own words", "");
            var illegal = Ui.Row(parent);
            Ui.Label(illegal, "I believe that it is against the law");
            var chosen = Ui.Label(illegal, "No");
            Ui.Button(illegal, "Change", () =>
            {
                isIllegal = !isIllegal;
                chosen.text = isIllegal ? "Yes" : "No";
            });
            foreach (var category in categories)
            {
                var chosenCategory = category.Value;
                buttons.Add(parent, category.Key, () => begin("Sending your report…", cancel => SendAsync(chosenCategory, cancel)));
            }
        }

        async Task<string> SendAsync(ReportCategory category, CancellationToken cancel)
        {
            var words = text.text.Trim();
            if (words.Length == 0 && (isIllegal || category == ReportCategory.Other))
                throw new PlayerProblem("Please say in your own words what is wrong.");
            // Pressed twice, or sent again after a lost answer, it is one report.
            await storage.CreateReportAsync(
                new CreateReport { Target = target, Category = category, Text = words.Length == 0 ? null : words, IsIllegal = isIllegal },
                null,
                cancel);
            return "Thank you. We look at it, and tell you in your inbox.";
        }

        static KeyValuePair<string, ReportCategory> Named(string words, ReportCategory category)
        {
            return new KeyValuePair<string, ReportCategory>(words, category);
        }
    }
}
