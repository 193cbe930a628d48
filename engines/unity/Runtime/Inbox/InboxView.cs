using System.Collections.Generic;

namespace EdgeGameStorage
{
    /// <summary>The newest notifications of an inbox, without a gap, as they were at one seq. It does not change.</summary>
    sealed class InboxView
    {
        public InboxView(long seq, long unread, long total, IReadOnlyList<Notification> notifications)
        {
            Seq = seq;
            Unread = unread;
            Total = total;
            Notifications = notifications;
        }

        public long Seq { get; }

        /// <summary>Of the whole inbox.</summary>
        public long Unread { get; }

        /// <summary>Of the whole inbox.</summary>
        public long Total { get; }

        /// <summary>Newest first.</summary>
        public IReadOnlyList<Notification> Notifications { get; }

        /// <summary>The view after the change whose seq is the next.</summary>
        public InboxView After(InboxMessage change)
        {
            switch (change.Kind)
            {
                case InboxMessageKind.Added:
                    var all = new List<Notification>(Notifications.Count + 1) { change.Notification };
                    all.AddRange(Notifications);
                    return new InboxView(change.Seq, change.Unread, Total + 1, all);
                case InboxMessageKind.Deleted:
                    if (change.Ids == null) return new InboxView(change.Seq, change.Unread, 0, new Notification[0]);
                    var left = Without(Notifications, new HashSet<string>(change.Ids));
                    return new InboxView(change.Seq, change.Unread, Total - change.Ids.Count, left);
                case InboxMessageKind.Read:
                    var read = MarkedRead(Notifications, change.Ids == null ? null : new HashSet<string>(change.Ids));
                    return new InboxView(change.Seq, change.Unread, Total, read);
                default:
                    return new InboxView(change.Seq, change.Unread, Total, Notifications);
            }
        }

        public InboxView After(IEnumerable<InboxMessage> changes)
        {
            var view = this;
            foreach (var change in changes) view = view.After(change);
            return view;
        }

        /// <summary>
        /// The notifications that a page, which was read at the view's seq, adds to its end; null when there is a gap between the two.
        /// </summary>
        /// <param name="page">The page.</param>
        /// <param name="offset">The position of the page in the inbox.</param>
        public List<Notification> AddedBy(NotificationPage page, long offset)
        {
            var known = Notifications.Count - offset;
            if (known < 0) return null;
            var added = new List<Notification>();
            for (var position = (int)known; position < page.Notifications.Count; position++) added.Add(page.Notifications[position]);
            return added;
        }

        /// <summary>
        /// The view with the notifications that a page adds, and the page's counts. A page without notifications is the end of the list,
        /// whatever its total: to read on would have no end.
        /// </summary>
        public InboxView Extended(NotificationPage page, IReadOnlyList<Notification> added)
        {
            var all = new List<Notification>(Notifications);
            all.AddRange(added);
            return new InboxView(page.Seq, page.Unread, page.Notifications.Count == 0 ? all.Count : page.Total, all);
        }

        /// <summary>The notifications, those of <paramref name="ids"/> marked as read; null marks all.</summary>
        public static List<Notification> MarkedRead(IReadOnlyList<Notification> notifications, HashSet<string> ids)
        {
            var marked = new List<Notification>(notifications.Count);
            foreach (var notification in notifications)
            {
                var isMarked = notification.State == NotificationState.Unread && (ids == null || ids.Contains(notification.Id));
                marked.Add(isMarked ? AsRead(notification) : notification);
            }
            return marked;
        }

        public static List<Notification> Without(IReadOnlyList<Notification> notifications, HashSet<string> ids)
        {
            var left = new List<Notification>(notifications.Count);
            foreach (var notification in notifications)
                if (!ids.Contains(notification.Id)) left.Add(notification);
            return left;
        }

        static Notification AsRead(Notification notification)
        {
            return new Notification
            {
                Id = notification.Id,
                Type = notification.Type,
                Data = notification.Data,
                State = NotificationState.Read,
                CreatedAt = notification.CreatedAt,
            };
        }
    }
}
