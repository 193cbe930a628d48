using System;
using System.Collections.Generic;

namespace EdgeGameStorage
{
    /// <summary>The state of an inbox at one moment. It does not change; each change of the inbox makes a new one.</summary>
    public sealed class InboxSnapshot
    {
        readonly IReadOnlyList<Notification> loaded;

        internal InboxSnapshot(InboxView view, Predicate<Notification> isShown)
        {
            loaded = view.Notifications;
            Notifications = new List<Notification>(loaded).FindAll(isShown);
            Unread = view.Unread;
            Total = view.Total;
            Seq = view.Seq;
        }

        /// <summary>The newest notifications, newest first, without a gap but for those that can't be read (<see cref="Inbox.Failed"/>).</summary>
        public IReadOnlyList<Notification> Notifications { get; }

        /// <summary>How many notifications of the whole inbox are unread: the number for a badge.</summary>
        public long Unread { get; }

        /// <summary>How many notifications the whole inbox has.</summary>
        public long Total { get; }

        /// <summary>The number of the latest change that the snapshot includes.</summary>
        public long Seq { get; }

        /// <summary>Whether the inbox has older notifications, which <see cref="Inbox.LoadMoreAsync"/> loads.</summary>
        public bool HasMore
        {
            get { return loaded.Count < Total; }
        }

        /// <summary>Whether it equals a view. A view whose list has not changed keeps the same list.</summary>
        internal bool Shows(InboxView view)
        {
            return ReferenceEquals(loaded, view.Notifications) && Unread == view.Unread && Total == view.Total && Seq == view.Seq;
        }
    }
}
