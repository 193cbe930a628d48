using System;
using System.Collections.Generic;

namespace EdgeGameStorage
{
    /// <summary>
    /// The changes that this device has requested and whose events have not arrived. Read and deleted are final states, so a view with
    /// these changes applied is a state that the inbox will reach.
    /// </summary>
    sealed class OwnChanges
    {
        readonly HashSet<string> read = new HashSet<string>();
        readonly HashSet<string> deleted = new HashSet<string>();

        /// <summary>Marks notifications as read. Returns what reverts the change, for a request that fails.</summary>
        public Action Read(IEnumerable<string> ids)
        {
            return Added(ids, read);
        }

        /// <summary>Deletes notifications. Returns what reverts the change, for a request that fails.</summary>
        public Action Delete(IEnumerable<string> ids)
        {
            return Added(ids, deleted);
        }

        /// <summary>Drops the changes that a view already includes.</summary>
        public void Settle(InboxView view)
        {
            if (read.Count + deleted.Count == 0) return;
            var present = new HashSet<string>();
            var unread = new HashSet<string>();
            foreach (var notification in view.Notifications)
            {
                present.Add(notification.Id);
                if (notification.State == NotificationState.Unread) unread.Add(notification.Id);
            }
            read.IntersectWith(unread);
            deleted.IntersectWith(present);
        }

        /// <summary>The view with these changes applied.</summary>
        public InboxView Over(InboxView view)
        {
            if (read.Count + deleted.Count == 0) return view;
            var noLongerUnread = 0;
            foreach (var notification in view.Notifications)
            {
                var isChanged = read.Contains(notification.Id) || deleted.Contains(notification.Id);
                if (isChanged && notification.State == NotificationState.Unread) noLongerUnread += 1;
            }
            var left = InboxView.Without(view.Notifications, deleted);
            return new InboxView(
                view.Seq, view.Unread - noLongerUnread, view.Total - (view.Notifications.Count - left.Count), InboxView.MarkedRead(left, read));
        }

        /// <summary>Adds ids to a set. Returns what takes those away that were new: another request has asked for the others.</summary>
        static Action Added(IEnumerable<string> ids, HashSet<string> set)
        {
            var missing = new List<string>();
            foreach (var id in ids)
                if (set.Add(id)) missing.Add(id);
            return () => set.ExceptWith(missing);
        }
    }
}
