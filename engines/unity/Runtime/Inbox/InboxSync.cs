using System;
using System.Text.RegularExpressions;
using System.Threading;
using System.Threading.Tasks;

namespace EdgeGameStorage
{
    /// <summary>
    /// Keeps a replica up to date: connects, catches up, applies events, and reconnects, until it is closed. All of it runs in one
    /// SynchronizationContext.
    /// </summary>
    sealed class InboxSync
    {
        /// <summary>A connection that has lasted this long resets the count of failures.</summary>
        static readonly TimeSpan Stable = TimeSpan.FromSeconds(10);

        readonly InboxService service;
        readonly InboxReplica replica;
        readonly InboxOptions options;
        readonly CancellationToken closing;
        InboxSocket socket;

        /// <summary>The error for which the socket was dropped.</summary>
        Exception failure;

        /// <summary>A token that was fetched ahead of the connection.</summary>
        string nextToken;

        TimeSpan? connectedAt;
        int failures;
        TaskCompletionSource<bool> wait;

        public InboxSync(InboxService service, InboxReplica replica, InboxOptions options, CancellationToken closing)
        {
            this.service = service;
            this.replica = replica;
            this.options = options;
            this.closing = closing;
            Pages = new InboxPages(service, replica, closing)
            {
                Added = Advance,
                Failed = PageFailed,
                Behind = DropSocket,
            };
        }

        /// <summary>Called when the replica has changed.</summary>
        public Action Changed { get; set; }

        public Action<Notification> Signalled { get; set; }

        public Action<InboxState> StateChanged { get; set; }

        public Action<Exception> Failed { get; set; }

        public InboxPages Pages { get; }

        public InboxState State { get; private set; } = new InboxState(InboxStatus.Connecting);

        /// <summary>Keeps the replica up to date until it is closed, or the service refuses the user for good.</summary>
        public async Task RunAsync()
        {
            var isRenewing = false;
            while (!State.IsFinal)
            {
                Enter(new InboxState(InboxStatus.Connecting));
                var step = await SessionAsync(isRenewing);
                isRenewing = step.Next == InboxNext.Renew;
                await TakeAsync(step);
            }
        }

        /// <summary>Connects now when the inbox waits; otherwise checks the connection.</summary>
        public void Reconnect()
        {
            if (wait != null) wait.TrySetResult(true);
            else if (socket != null) socket.Ping();
        }

        public void Close(InboxState state)
        {
            if (State.IsFinal) return;
            if (state.Status == InboxStatus.Erased)
            {
                replica.Clear();
                Changed();
            }
            Enter(state);
            DropSocket();
            if (wait != null) wait.TrySetResult(true);
            Pages.Close(state.Reason);
        }

        /// <summary>One connection, from the attempt to its end. Returns the next step.</summary>
        async Task<InboxStep> SessionAsync(bool isRenewing)
        {
            failure = null;
            connectedAt = null;
            try
            {
                if (replica.IsStale) await Pages.UntilAsync(() => !replica.IsStale);
                var token = nextToken ?? await TokenOfAsync(isRenewing);
                nextToken = null;
                var end = await FollowAsync(token);
                if (failure != null) return InboxStep.AfterError(failure);
                if (nextToken != null) return InboxStep.Renew();
                var step = InboxStep.AfterSocket(end);
                if (step != null) return step;
                await service.CheckAsync(closing);
                return InboxStep.AfterRefusedSocket();
            }
            catch (Exception error)
            {
                return InboxStep.AfterError(error);
            }
        }

        /// <summary>Opens a socket, and applies its messages until it ends.</summary>
        async Task<SocketEnd> FollowAsync(string token)
        {
            if (State.IsFinal) return new SocketEnd(SocketEndKind.Dropped, false);
            var mine = new InboxSocket(service.Platform, options) { Signalled = Signalled };
            mine.Ready = message =>
            {
                connectedAt = service.Platform.Elapsed;
                replica.Ready(message);
                Advance();
            };
            mine.Changed = change =>
            {
                if (replica.Receive(change)) Advance();
                else mine.Drop();
            };
            socket = mine;
            var renewal = new Countdown(service.Platform);
            var delay = Renewal.Delay(token, DateTimeOffset.UtcNow);
            if (delay != null) renewal.Start(delay.Value, () => Waits.LeaveRunning(RenewAsync(token)));
            var end = await mine.FollowAsync(service.Socket(replica.Seq, token));
            renewal.Stop();
            socket = null;
            return end;
        }

        /// <summary>Fetches a new token before the current one expires, and reconnects with it.</summary>
        async Task RenewAsync(string token)
        {
            try
            {
                var next = await TokenOfAsync(true);
                if (next == token) return;
                nextToken = next;
                DropSocket();
            }
            catch (Exception error)
            {
                if (!State.IsFinal) Failed(error); // The service closes the socket when the token has expired.
            }
        }

        /// <summary>A token becomes a header or a subprotocol, which can't have every character.</summary>
        async Task<string> TokenOfAsync(bool renew)
        {
            var text = await service.TokenAsync(renew, closing);
            if (text != null && Regex.IsMatch(text, @"^[\w.-]+\z", RegexOptions.ECMAScript)) return text;
            throw new InboxException(InboxErrorCodes.InvalidToken, "The token is not a JWT: it has characters that a JWT never has.");
        }

        void Advance()
        {
            Changed();
            if (socket != null && connectedAt != null && replica.IsComplete) Enter(new InboxState(InboxStatus.Connected));
            Pages.Advance();
        }

        void PageFailed(Exception error)
        {
            if (replica.IsComplete) Failed(error);
            else if (socket != null)
            {
                failure = error;
                socket.Drop();
            }
        }

        void DropSocket()
        {
            if (socket != null) socket.Drop();
        }

        /// <summary>Takes the step after a connection: waits, or closes the inbox.</summary>
        async Task TakeAsync(InboxStep step)
        {
            if (State.IsFinal) return;
            if (connectedAt != null && service.Platform.Elapsed - connectedAt.Value >= Stable) failures = 0;
            if (step.Next != InboxNext.Renew) Failed(step.Error);
            switch (step.Next)
            {
                case InboxNext.Renew:
                    // A login may give tokens that are about to expire, by the clock of this device, each time.
                    failures += 1;
                    if (failures > 1) await WaitToRetryAsync(step);
                    return;
                case InboxNext.Retry:
                    failures += 1;
                    await WaitToRetryAsync(step);
                    return;
                case InboxNext.Pause:
                    await WaitAsync(new InboxState(InboxStatus.Replaced, step.Error));
                    return;
                default:
                    Close(new InboxState(step.End, step.Error));
                    return;
            }
        }

        Task WaitToRetryAsync(InboxStep step)
        {
            var delay = step.Asked + Backoff.Jittered(options.MinDelay, options.MaxDelay, failures);
            return WaitAsync(new InboxState(InboxStatus.Retrying, step.Error, delay));
        }

        /// <summary>Waits for the state's delay, or until <see cref="Reconnect"/> or the end of the inbox.</summary>
        async Task WaitAsync(InboxState state)
        {
            if (State.IsFinal) return; // A handler has closed it.
            wait = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
            var ended = wait;
            var timer = new Countdown(service.Platform);
            if (state.Delay != null) timer.Start(state.Delay.Value, () => ended.TrySetResult(true));
            Enter(state);
            await ended.Task;
            timer.Stop();
            wait = null;
        }

        void Enter(InboxState state)
        {
            if (State.IsFinal || (!state.IsWaiting && state.Status == State.Status)) return;
            State = state;
            StateChanged(state);
        }
    }
}
