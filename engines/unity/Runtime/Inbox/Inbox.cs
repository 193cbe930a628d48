using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace EdgeGameStorage
{
    /// <summary>
    /// A live copy of the player's inbox (<see cref="GameStorage.Inbox"/>). It lists, connects, catches up with what it has missed, renews
    /// the token before it expires, and connects again when the network or the service has been away. Handlers are called one after the
    /// other in the context in which it was opened, in Unity on the main thread, so they must not block.
    /// </summary>
    public sealed class Inbox
    {
        /// <summary>Handlers that are added right after the inbox is opened get every event.</summary>
        static readonly TimeSpan StartDelay = TimeSpan.FromMilliseconds(10);

        readonly InboxContext context = new InboxContext();
        readonly CancellationTokenSource closing = new CancellationTokenSource();
        readonly InboxService service;
        readonly InboxReplica replica;
        readonly InboxSync sync;
        /// <summary>Ends with the first list, or with the inbox.</summary>
        readonly TaskCompletionSource<bool> first = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
        readonly HandlerQueue handlers;
        /// <summary>The ids of notifications that can't be read, and were told.</summary>
        readonly HashSet<string> unreadable = new HashSet<string>();
        volatile InboxSnapshot snapshot;

        internal Inbox(InboxService service, InboxOptions options, CancellationToken disposing)
        {
            if (options.Limit < 1) throw new ArgumentException("The limit of an inbox is at least 1.", "options");
            this.service = service;
            handlers = new HandlerQueue(disposing);
            replica = new InboxReplica(options.Limit);
            sync = new InboxSync(service, replica, options, closing.Token)
            {
                Changed = Tell,
                Signalled = notification =>
                {
                    if (IsReadable(notification)) handlers.Add(() => Handlers.CallAll(Signalled, notification));
                },
                StateChanged = TellState,
                Failed = error => handlers.Add(() => Handlers.CallAll(Failed, error)),
            };
            Waits.Observe(first.Task); // A game need not wait for the first list.
            context.Run(() => Waits.LeaveRunning(StartAsync()));
            disposing.Register(Close);
        }

        /// <summary>
        /// A notification has arrived since the inbox was opened. Told once for each, in order, also after a time offline. Only what was
        /// published and deleted again while more than 1,000 changes were missed is never told.
        /// </summary>
        public event Action<Notification> Received;

        /// <summary>
        /// A notification that was published with <c>persistent: false</c>: nothing keeps it, and a device that is offline misses it.
        /// </summary>
        public event Action<Notification> Signalled;

        /// <summary>The list or the unread count has changed.</summary>
        public event Action<InboxSnapshot> Changed;

        /// <summary>The state of the connection has changed.</summary>
        public event Action<InboxState> StateChanged;

        /// <summary>
        /// A request or the connection has failed. The inbox tries again by itself, unless its state is final. With <see
        /// cref="InboxErrorCodes.Unreadable"/> also a notification that is left out, told once for each: it stays in the counts.
        /// </summary>
        public event Action<Exception> Failed;

        /// <summary>The latest snapshot; null before the first list has arrived.</summary>
        public InboxSnapshot Snapshot
        {
            get { return snapshot; }
        }

        public InboxState State
        {
            get { return sync.State; }
        }

        /// <summary>Ends when the first list has arrived. Throws the reason when the inbox ends before that.</summary>
        public Task<InboxSnapshot> WaitUntilReadyAsync(CancellationToken cancel = default(CancellationToken))
        {
            return context.RunAsync(async () =>
            {
                if (snapshot == null) await Waits.UntilAsync(first.Task, cancel);
                return snapshot;
            });
        }

        /// <summary>
        /// Loads <paramref name="count"/> older notifications into the list. Throws <see cref="StorageException"/> when a request fails.
        /// </summary>
        public Task<InboxSnapshot> LoadMoreAsync(int count = 50, CancellationToken cancel = default(CancellationToken))
        {
            return context.RunAsync(async () =>
            {
                await WaitUntilReadyAsync(cancel);
                replica.WantMore(count);
                await Waits.UntilAsync(sync.Pages.UntilAsync(() => !replica.NeedsPage), cancel);
                return snapshot;
            });
        }

        /// <summary>
        /// Marks notifications as read. The list and the unread count change at once, and change back when the request fails.
        /// </summary>
        public Task MarkReadAsync(IReadOnlyList<string> ids, CancellationToken cancel = default(CancellationToken))
        {
            var marked = new List<string>(ids);
            if (marked.Count == 0) return Task.FromResult(true); // The service takes an empty list as all.
            return ChangeAsync(() => replica.Own.Read(marked), () => service.MarkReadAsync(marked, cancel));
        }

        /// <summary>Marks all notifications of the inbox as read, loaded or not.</summary>
        public Task MarkAllReadAsync(CancellationToken cancel = default(CancellationToken))
        {
            return ChangeAsync(
                () => replica.Own.Read(IdsOf(one => one.State == NotificationState.Unread)),
                () => service.MarkReadAsync(null, cancel));
        }

        /// <summary>
        /// Deletes a notification permanently. It leaves the list at once, and comes back when the request fails.
        /// </summary>
        public Task DeleteAsync(string id, CancellationToken cancel = default(CancellationToken))
        {
            return ChangeAsync(() => replica.Own.Delete(new[] { id }), () => service.DeleteAsync(id, cancel));
        }

        /// <summary>
        /// Deletes up to 1,000 notifications permanently, with one request. They leave the list at once, and come back when the request
        /// fails. Unknown ids are ignored.
        /// </summary>
        public Task DeleteManyAsync(IReadOnlyList<string> ids, CancellationToken cancel = default(CancellationToken))
        {
            var deleted = new List<string>(ids);
            if (deleted.Count == 0) return Task.FromResult(true);
            return ChangeAsync(
                () => replica.Own.Delete(deleted),
                () => service.DeleteSelectedAsync(new DeleteNotifications { NotificationIds = deleted }, cancel));
        }

        /// <summary>
        /// Deletes all notifications that have been read, loaded or not. One that <see cref="MarkReadAsync"/> has marked leaves the list at
        /// once only when the service has confirmed the mark.
        /// </summary>
        public Task DeleteReadAsync(CancellationToken cancel = default(CancellationToken))
        {
            return ChangeAsync(
                () => replica.Own.Delete(replica.ConfirmedRead),
                () => service.DeleteSelectedAsync(new DeleteNotifications { State = NotificationState.Read }, cancel));
        }

        /// <summary>Deletes all notifications of the inbox, loaded or not.</summary>
        public Task DeleteAllAsync(CancellationToken cancel = default(CancellationToken))
        {
            return ChangeAsync(
                () => replica.Own.Delete(IdsOf(one => true)),
                () => service.DeleteSelectedAsync(new DeleteNotifications { All = true }, cancel));
        }

        /// <summary>
        /// Connects now instead of later, or checks that the connection still works. Call it when the player comes back to the game
        /// (<c>OnApplicationFocus</c>, <c>OnApplicationPause</c>) or the network does, but not in a handler of the inbox: while the service is
        /// away, that would connect again without a pause.
        /// </summary>
        public void Reconnect()
        {
            context.Run(sync.Reconnect);
        }

        /// <summary>Closes the inbox for good. The last snapshot stays readable.</summary>
        public void Close()
        {
            context.Run(() =>
            {
                // What the token ends finds the inbox closed.
                sync.Close(new InboxState(InboxStatus.Closed));
                closing.Cancel();
            });
        }

        async Task StartAsync()
        {
            try
            {
                await service.Platform.DelayAsync(StartDelay, closing.Token);
            }
            catch (OperationCanceledException)
            {
                return;
            }
            await sync.RunAsync();
        }

        /// <summary>Shows a change of this device before its event arrives, and reverts it when the request fails.</summary>
        Task ChangeAsync(Func<Action> show, Func<Task> request)
        {
            return context.RunAsync(async () =>
            {
                var revert = show();
                Tell();
                try
                {
                    await request();
                }
                catch
                {
                    revert();
                    Tell();
                    throw;
                }
                return true;
            });
        }

        void TellState(InboxState state)
        {
            Action call = () => Handlers.CallAll(StateChanged, state);
            if (state.IsFinal)
            {
                first.TrySetException(state.Reason);
                handlers.End(call);
            }
            else handlers.Add(call);
        }

        List<string> IdsOf(Predicate<Notification> isWanted)
        {
            var ids = new List<string>();
            if (snapshot == null) return ids;
            foreach (var notification in snapshot.Notifications)
                if (isWanted(notification)) ids.Add(notification.Id);
            return ids;
        }

        void Tell()
        {
            var view = replica.View;
            if (view != null && (snapshot == null || !snapshot.Shows(view)))
            {
                var latest = snapshot = new InboxSnapshot(view, IsReadable);
                handlers.Add(() => Handlers.CallAll(Changed, latest));
            }
            foreach (var notification in replica.TakeNew())
                if (IsReadable(notification)) handlers.Add(() => Handlers.CallAll(Received, notification));
            if (snapshot != null) first.TrySetResult(true);
        }

        /// <summary>Whether a notification could be read. The first time that one could not, tells so.</summary>
        bool IsReadable(Notification notification)
        {
            if (notification.Data != null) return true;
            if (unreadable.Add(notification.Id))
            {
                var error = new InboxException(InboxErrorCodes.Unreadable, "The notification " + notification.Id + " can't be read. It is left out.");
                handlers.Add(() => Handlers.CallAll(Failed, error));
            }
            return false;
        }
    }
}
