using System;
using System.Threading;
using System.Threading.Tasks;

namespace EdgeGameStorage
{
    enum SocketEndKind
    {
        /// <summary>The other side closed it, or the connection broke, also before it was open.</summary>
        Closed,

        /// <summary>No answer came in time.</summary>
        Silent,

        /// <summary>This client ended the connection.</summary>
        Dropped,

        /// <summary>A message could not be read, or the first one was not <c>ready</c>.</summary>
        Unreadable,
    }

    /// <summary>How a connection ended.</summary>
    sealed class SocketEnd
    {
        public SocketEnd(SocketEndKind kind, bool wasReady, int code = 0)
        {
            Kind = kind;
            WasReady = wasReady;
            Code = code;
        }

        public SocketEndKind Kind { get; }

        public bool WasReady { get; }

        public int Code { get; }
    }

    /// <summary>One connection to the inbox. Ends itself when the service does not answer.</summary>
    sealed class InboxSocket
    {
        const int Broken = 1006;

        readonly IPlatform platform;
        readonly InboxOptions options;
        readonly Countdown countdown;
        readonly CancellationTokenSource stop = new CancellationTokenSource();
        readonly TaskCompletionSource<SocketEnd> ended =
            new TaskCompletionSource<SocketEnd>(TaskCreationOptions.RunContinuationsAsynchronously);
        ISocket socket;
        bool isReady;
        bool isPinging;
        bool isOver;

        public InboxSocket(IPlatform platform, InboxOptions options)
        {
            this.platform = platform;
            this.options = options;
            countdown = new Countdown(platform);
        }

        public Action<InboxMessage> Ready { get; set; }

        public Action<InboxMessage> Changed { get; set; }

        public Action<Notification> Signalled { get; set; }

        /// <summary>Connects. Ends when the connection has ended; nothing is called afterwards.</summary>
        public Task<SocketEnd> FollowAsync(SocketCall call)
        {
            ExpectMessage();
            Waits.LeaveRunning(RunAsync(call));
            return ended.Task;
        }

        /// <summary>Checks the connection now, unless a check is under way: that one keeps its time limit.</summary>
        public void Ping()
        {
            if (isOver || !isReady || isPinging) return;
            isPinging = true;
            ExpectMessage();
            Waits.LeaveRunning(SendPingAsync());
        }

        /// <summary>Ends the connection without waiting for the other side.</summary>
        public void Drop()
        {
            End(new SocketEnd(SocketEndKind.Dropped, isReady));
        }

        async Task RunAsync(SocketCall call)
        {
            if (!await ConnectAsync(call)) return;
            while (!isOver)
            {
                string text;
                try
                {
                    text = await socket.ReceiveAsync(stop.Token);
                }
                catch (Exception)
                {
                    Break();
                    return;
                }
                if (isOver) return;
                if (text == null) End(new SocketEnd(SocketEndKind.Closed, isReady, socket.CloseCode));
                else Receive(text);
            }
        }

        /// <summary>A connection that opens after this has ended is closed at once.</summary>
        async Task<bool> ConnectAsync(SocketCall call)
        {
            try
            {
                socket = await platform.ConnectAsync(call, stop.Token);
            }
            catch (Exception)
            {
                Break();
                return false;
            }
            if (isOver) socket.Dispose();
            return !isOver;
        }

        void Receive(string text)
        {
            isPinging = false;
            countdown.Start(options.PingInterval, Ping);
            if (text == "pong") return;
            var message = InboxMessage.Parse(text);
            if (message == null || (message.Kind == InboxMessageKind.Ready) == isReady)
            {
                End(new SocketEnd(SocketEndKind.Unreadable, isReady));
                return;
            }
            if (message.Kind == InboxMessageKind.Ready)
            {
                isReady = true;
                Ready(message);
            }
            else if (message.Kind == InboxMessageKind.Signal) Signalled(message.Notification);
            else if (message.Kind != InboxMessageKind.Unnumbered) Changed(message);
        }

        async Task SendPingAsync()
        {
            try
            {
                await socket.SendAsync("ping", stop.Token);
            }
            catch (Exception)
            {
                Break();
            }
        }

        void ExpectMessage()
        {
            countdown.Start(options.PingTimeout, () => End(new SocketEnd(SocketEndKind.Silent, isReady)));
        }

        void Break()
        {
            End(new SocketEnd(SocketEndKind.Closed, isReady, Broken));
        }

        void End(SocketEnd end)
        {
            if (isOver) return;
            isOver = true;
            countdown.Stop();
            ended.SetResult(end);
            stop.Cancel();
            if (socket != null) socket.Dispose();
        }
    }
}
