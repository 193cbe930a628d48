using System.Collections.Generic;

namespace EdgeGameStorage
{
    /// <summary>A list that is being read again, and replaces the shown list once the two overlap.</summary>
    sealed class Relisting
    {
        /// <summary>The ids of the old list, and the highest known id: a notification above them is new.</summary>
        readonly HashSet<string> known = new HashSet<string>();
        readonly string highest;

        public Relisting(InboxView shown, string highest)
        {
            foreach (var notification in shown.Notifications) known.Add(notification.Id);
            this.highest = highest;
        }

        /// <summary>Whether a page has reached the old list.</summary>
        public bool IsJoined { get; set; }

        /// <summary>New notifications from pages, newest first.</summary>
        public List<Notification> Fresh { get; } = new List<Notification>();

        /// <summary>New notifications from events since, oldest first.</summary>
        public List<Notification> Later { get; } = new List<Notification>();

        /// <summary>Where the new notifications of a page end; null when all are new.</summary>
        public int? EndOfNew(IReadOnlyList<Notification> added)
        {
            int? older = null;
            for (var position = 0; position < added.Count; position++)
            {
                var id = added[position].Id;
                if (known.Contains(id)) return position;
                if (older == null && string.CompareOrdinal(id, highest) <= 0) older = position;
            }
            return older;
        }
    }
}
