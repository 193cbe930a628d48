using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using EdgeGameStorage;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;

/// <summary>An inbox on a service, on sockets and on a clock that the test plays, as test/client/inbox/bench.ts.</summary>
sealed class Bench : SynchronizationContext, IPlatform
{
    readonly Queue<Action> posted = new Queue<Action>();
    readonly List<TestTimer> waits = new List<TestTimer>();
    readonly List<string> thrown = new List<string>();

    public Bench(InboxOptions options = null, Action<Bench> prepare = null)
    {
        if (prepare != null) prepare(this);
        SetSynchronizationContext(this);
        TokenProvider token = (renew, cancel) =>
        {
            if (renew) Renewals += 1;
            return Token();
        };
        var storage = new GameStorageOptions
        {
            Platform = this,
            Inbox = options ?? new InboxOptions(),
            Retry = new RetryOptions { Attempts = 1 },
            Timeout = TimeSpan.FromDays(1),
        };
        Storage = new GameStorage("https://storage.example", token, storage);
        Inbox = Storage.Inbox;
        Inbox.StateChanged += state => States.Add(state.Status.ToString());
        Inbox.Failed += error => Errors.Add(error is StorageException ? ((StorageException)error).Code : error.Message);
        Inbox.Received += one => Told.Add(one.Id);
        Inbox.Signalled += one => Signals.Add(one.Type);
        Pass(TimeSpan.FromMilliseconds(10)); // The inbox starts then.
    }

    public ModelInbox Model { get; } = new ModelInbox(5);

    public List<FakeSocket> Sockets { get; } = new List<FakeSocket>();

    public List<string> States { get; } = new List<string>();

    public List<string> Errors { get; } = new List<string>();

    public List<string> Told { get; } = new List<string>();

    public List<string> Signals { get; } = new List<string>();

    /// <summary>The requests, as method and path.</summary>
    public List<string> Requests { get; } = new List<string>();

    public Func<Task<string>> Token { get; set; } = () => Task.FromResult("header.payload.first");

    /// <summary>Answers a request in place of the service, unless it returns null.</summary>
    public Func<HttpCall, Task<HttpAnswer>> Answer { get; set; } = call => null;

    /// <summary>Whether sockets never open.</summary>
    public bool IsStuck { get; set; }

    /// <summary>Whether sockets are refused.</summary>
    public bool IsRefused { get; set; }

    public int Renewals { get; private set; }

    public GameStorage Storage { get; }

    public Inbox Inbox { get; }

    public TimeSpan Elapsed { get; private set; }

    /// <summary>How many timers run.</summary>
    public int Timers
    {
        get { return waits.Count; }
    }

    /// <summary>The exceptions that nothing has caught.</summary>
    public List<string> Thrown
    {
        get { return thrown; }
    }

    public FakeSocket Socket
    {
        get { return Sockets.Last(); }
    }

    public string Shown
    {
        get { return Inbox.Snapshot.Seq + ", " + Inbox.Snapshot.Unread + " of " + Inbox.Snapshot.Total + ": " + string.Join(" ", Inbox.Snapshot.Notifications.Select(one => one.Id)); }
    }

    /// <summary>An inbox that is connected.</summary>
    public static Bench Connected(InboxOptions options = null, Action<Bench> prepare = null)
    {
        var bench = new Bench(options, prepare);
        bench.Accept();
        Expecting.Equal(InboxStatus.Connected, bench.Inbox.State.Status);
        return bench;
    }

    /// <summary>Runs what has been posted, until nothing is left.</summary>
    public void Settle()
    {
        while (posted.Count > 0)
            try
            {
                posted.Dequeue()();
            }
            catch (Exception error)
            {
                thrown.Add(error.Message);
            }
    }

    /// <summary>Lets so much time pass, and everything happen that follows.</summary>
    public void Pass(TimeSpan time)
    {
        var end = Elapsed + time;
        Settle();
        for (;;)
        {
            var next = waits.Where(wait => wait.Due <= end).OrderBy(wait => wait.Due).FirstOrDefault();
            if (next == null) break;
            Elapsed = next.Due > Elapsed ? next.Due : Elapsed;
            waits.Remove(next);
            next.Ended.TrySetResult(true);
            Settle();
        }
        Elapsed = end;
    }

    public void Pass(double seconds)
    {
        Pass(TimeSpan.FromSeconds(seconds));
    }

    /// <summary>The service accepts the latest socket.</summary>
    public void Accept()
    {
        Settle();
        Arrive(Model.Connect(Socket.After));
    }

    public void Arrive(IEnumerable<string> messages)
    {
        foreach (var message in messages) Socket.Arrive(message);
        Settle();
    }

    public void Arrive(string message)
    {
        Arrive(new[] { message });
    }

    /// <summary>Something happens in the inbox, and the latest socket is told.</summary>
    public void Change(Action<ModelInbox> change)
    {
        var before = Model.Seq;
        change(Model);
        Arrive(Model.Since(before));
    }

    public void Close(int code)
    {
        Socket.ClosedWith(code);
        Settle();
    }

    public static HttpAnswer Refusal(int status, string code, int? wait = null)
    {
        var problem = new JObject
        {
            { "type", "about:blank" }, { "title", code }, { "status", status }, { "detail", code }, { "code", code }, { "request_id", "r" },
        };
        return Json(status, problem, wait == null ? null : "Retry-After", wait.ToString());
    }

    /// <summary>The answer to a request for a list.</summary>
    public HttpAnswer List(HttpCall call)
    {
        var query = call.Url.Split('?')[1].Split('&').ToDictionary(part => part.Split('=')[0], part => int.Parse(part.Split('=')[1]));
        return Json(200, Model.Page(query["limit"], query["offset"]), "X-Inbox-Seq", Model.Seq.ToString());
    }

    Task<HttpAnswer> IPlatform.SendAsync(HttpCall call, CancellationToken cancel)
    {
        var path = call.Url.Substring("https://storage.example/v1/notifications".Length).Split('?')[0];
        Requests.Add(call.Method + " " + path);
        return Answer(call) ?? Task.FromResult(AnswerOf(call, path));
    }

    Task<ISocket> IPlatform.ConnectAsync(SocketCall call, CancellationToken cancel)
    {
        var socket = new FakeSocket(call);
        Sockets.Add(socket);
        if (IsRefused) throw new InvalidOperationException("The socket was refused.");
        var opened = new TaskCompletionSource<ISocket>();
        if (!IsStuck) opened.SetResult(socket);
        return opened.Task;
    }

    Task IPlatform.DelayAsync(TimeSpan time, CancellationToken cancel)
    {
        var wait = new TestTimer(Elapsed + time);
        waits.Add(wait);
        cancel.Register(() =>
        {
            waits.Remove(wait);
            wait.Ended.TrySetCanceled();
        });
        return wait.Ended.Task;
    }

    Task IPlatform.ComputeAsync(Action work)
    {
        work();
        return Task.FromResult(true);
    }

    void IDisposable.Dispose()
    {
    }

    public override void Post(SendOrPostCallback callback, object state)
    {
        posted.Enqueue(() => callback(state));
    }

    HttpAnswer AnswerOf(HttpCall call, string path)
    {
        if (call.Method == "DELETE") return new HttpAnswer(204, new KeyValuePair<string, string>[0], new byte[0]);
        if (call.Method == "GET" && path == "") return List(call);
        return Json(200, new JObject { { "unread", 0 }, { "marked_count", 0 }, { "deleted_count", 0 } });
    }

    static HttpAnswer Json(int status, JObject body, string header = null, string value = null)
    {
        var headers = new Dictionary<string, string> { { "Content-Type", "application/json" } };
        if (header != null) headers.Add(header, value);
        return new HttpAnswer(status, headers, Expecting.Bytes(body.ToString(Formatting.None)));
    }

    sealed class TestTimer
    {
        public TestTimer(TimeSpan due)
        {
            Due = due;
        }

        public TimeSpan Due { get; }

        public TaskCompletionSource<bool> Ended { get; } = new TaskCompletionSource<bool>();
    }
}
