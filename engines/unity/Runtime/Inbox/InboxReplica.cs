using System;
using System.Collections.Generic;

namespace EdgeGameStorage
{
    /// <summary>
    /// A copy of an inbox, built from pages and events; it does no I/O. <see cref="View"/> is always a state that the inbox had, and
    /// <see cref="TakeNew"/> returns each new notification exactly once, in the order of the inbox.
    /// </summary>
    sealed class InboxReplica
    {
        /// <summary>The service's maximum page size.</summary>
        const int MaxPage = 100;

        /// <summary>The smallest page requested after the first: without it, each deletion would cause a request for one notification.</summary>
        const int MinPage = 10;

        /// <summary>The view for the game; null before the first list.</summary>
        InboxView shown;

        /// <summary>The view that pages and events are applied to: the same as <see cref="shown"/>, except while the list is read again.</summary>
        InboxView current;

        Relisting relisting;
        InboxPageRequest request;

        /// <summary>The events since the page was requested; before the first page, since the socket's <c>ready</c>.</summary>
        List<InboxMessage> events = new List<InboxMessage>();

        List<Notification> unannounced = new List<Notification>();

        /// <summary>The highest notification id ever shown, deleted notifications included.</summary>
        string highest = "";

        long wanted;

        /// <param name="wanted">How many of the newest notifications to load.</param>
        public InboxReplica(long wanted)
        {
            this.wanted = wanted;
        }

        public OwnChanges Own { get; } = new OwnChanges();

        /// <summary>Whether the list has to be read again from its first page.</summary>
        public bool IsStale { get; private set; } = true;

        /// <summary>The seq after which a socket continues; null when the list has to be read first.</summary>
        public long? Seq
        {
            get { return IsStale || current == null ? (long?)null : current.Seq; }
        }

        /// <summary>The view for the game, with this device's pending changes; null before the first list.</summary>
        public InboxView View
        {
            get { return shown == null ? null : Own.Over(shown); }
        }

        /// <summary>The ids of the notifications of the view that the service has as read.</summary>
        public List<string> ConfirmedRead
        {
            get
            {
                var ids = new List<string>();
                if (shown == null) return ids;
                foreach (var notification in shown.Notifications)
                    if (notification.State == NotificationState.Read) ids.Add(notification.Id);
                return ids;
            }
        }

        /// <summary>Whether <see cref="View"/> is up to date: false while the list is read again.</summary>
        public bool IsComplete
        {
            get { return !IsStale && shown == current; }
        }

        /// <summary>Whether a page has to be requested, to read the list again or to have the wanted number of notifications.</summary>
        public bool NeedsPage
        {
            get
            {
                if (IsStale || current == null) return true;
                var count = current.Notifications.Count;
                if (count >= current.Total) return false;
                return count < wanted || (relisting != null && !relisting.IsJoined);
            }
        }

        /// <summary>Raises the wanted number to <paramref name="count"/> more than are loaded.</summary>
        public void WantMore(long count)
        {
            wanted = Math.Max(wanted, (current == null ? 0 : current.Notifications.Count) + count);
        }

        /// <summary>Returns the notifications that are new since the last call, oldest first.</summary>
        public IReadOnlyList<Notification> TakeNew()
        {
            var taken = unannounced;
            unannounced = new List<Notification>();
            return taken;
        }

        /// <summary>Takes the first message of a socket that continues after <see cref="Seq"/>.</summary>
        public void Ready(InboxMessage message)
        {
            if (!message.IsRecovered || message.Seq != Seq) ReadAgain();
        }

        /// <summary>Applies a change. Returns false when an earlier one is missing: the caller drops the socket.</summary>
        public bool Receive(InboxMessage change)
        {
            if (IsStale)
            {
                events.Add(change);
                return true;
            }
            if (change.Seq <= current.Seq) return true;
            if (change.Seq != current.Seq + 1) return false;
            if (change.Kind == InboxMessageKind.UnknownChange)
            {
                ReadAgain();
                return true;
            }
            if (request != null) events.Add(change);
            Show(Applied(current, change));
            return true;
        }

        /// <summary>Returns the next page to request. The answer to an earlier request is no longer accepted.</summary>
        public InboxPageRequest RequestPage()
        {
            var origin = IsStale ? null : current;
            var offset = origin == null ? 0 : origin.Notifications.Count;
            request = new InboxPageRequest(origin, PageSize(wanted - offset, offset));
            if (origin != null) events = new List<InboxMessage>();
            return request;
        }

        /// <summary>Adds a requested page.</summary>
        public PageOutcome Accept(InboxPageRequest asked, NotificationPage page)
        {
            if (request != asked) return PageOutcome.Outdated;
            if (asked.Base == null || current == null)
            {
                Begin(page);
                return PageOutcome.Added;
            }
            if (page.Seq < asked.Base.Seq)
            {
                IsStale = true;
                request = null;
                return PageOutcome.Behind;
            }
            if (page.Seq > current.Seq) return PageOutcome.Ahead;
            var before = asked.Base.After(events.FindAll(change => change.Seq <= page.Seq));
            var added = before.AddedBy(page, asked.Offset);
            if (added == null) return PageOutcome.Outdated;
            var extended = before.Extended(page, added);
            var after = events.FindAll(change => change.Seq > page.Seq);
            Collect(added, extended);
            request = null;
            events = new List<InboxMessage>();
            Show(extended.After(after));
            return PageOutcome.Added;
        }

        /// <summary>Empties the view: the user has been erased.</summary>
        public void Clear()
        {
            shown = new InboxView(shown == null ? 0 : shown.Seq, 0, 0, new Notification[0]);
            current = shown;
            relisting = null;
            unannounced = new List<Notification>();
        }

        void ReadAgain()
        {
            IsStale = true;
            request = null;
            events = new List<InboxMessage>();
        }

        /// <summary>Starts a list from its first page, and applies the events after it.</summary>
        void Begin(NotificationPage page)
        {
            var later = events;
            relisting = shown == null ? null : new Relisting(shown, highest);
            IsStale = false;
            request = null;
            events = new List<InboxMessage>();
            var view = new InboxView(page.Seq, page.Unread, 0, new Notification[0]).Extended(page, page.Notifications);
            Collect(page.Notifications, view);
            for (var position = 0; position < later.Count; position++)
            {
                var change = later[position];
                if (change.Seq != view.Seq + 1) continue;
                if (change.Kind == InboxMessageKind.UnknownChange)
                {
                    ReadAgain();
                    events.AddRange(later.GetRange(position + 1, later.Count - position - 1));
                    break;
                }
                view = Applied(view, change);
            }
            Show(view);
        }

        /// <summary>The view after a change. Records a new notification for <see cref="TakeNew"/>.</summary>
        InboxView Applied(InboxView view, InboxMessage change)
        {
            if (change.Kind == InboxMessageKind.Added) (relisting == null ? unannounced : relisting.Later).Add(change.Notification);
            return view.After(change);
        }

        /// <summary>
        /// Collects the new notifications of a page: all before the first that the old list has. If the old list has none of them, all
        /// whose id is above the highest known id (ids begin with a timestamp).
        /// </summary>
        void Collect(IReadOnlyList<Notification> added, InboxView view)
        {
            if (relisting == null || relisting.IsJoined) return;
            var end = relisting.EndOfNew(added);
            for (var position = 0; position < (end ?? added.Count); position++) relisting.Fresh.Add(added[position]);
            relisting.IsJoined = end != null || view.Notifications.Count >= view.Total;
        }

        /// <summary>Sets the current view, and shows it unless a list that is read again needs more pages first.</summary>
        void Show(InboxView view)
        {
            current = view;
            if (relisting != null)
            {
                if (NeedsPage) return;
                relisting.Fresh.Reverse();
                unannounced.AddRange(relisting.Fresh);
                unannounced.AddRange(relisting.Later);
                relisting = null;
            }
            shown = view;
            if (view.Notifications.Count > 0 && string.CompareOrdinal(view.Notifications[0].Id, highest) > 0)
                highest = view.Notifications[0].Id;
            Own.Settle(view);
        }

        /// <summary>The page size to request when <paramref name="missing"/> notifications are wanted.</summary>
        static int PageSize(long missing, int offset)
        {
            if (missing <= 0) return MaxPage;
            return (int)Math.Min(MaxPage, offset == 0 ? missing : Math.Max(missing, MinPage));
        }
    }
}
