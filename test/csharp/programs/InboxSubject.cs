using System;
using System.Collections.Generic;
using System.Linq;
using System.Net.Http;
using System.Threading;
using System.Threading.Tasks;
using EdgeGameStorage;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;

/// <summary>
/// An inbox that is watched, as test/e2e/proofs/inbox/subject.ts. The token is the address of a login, the argument a seed. Each line of
/// the input is <c>ID report</c> or <c>ID change POSITION KIND</c>, and answered by a line <c>answer ID JSON</c>; the last is <c>close</c>.
/// </summary>
sealed class InboxSubject
{
    readonly object gate = new object();
    readonly Inbox inbox;
    readonly ForgetfulPlatform platform;
    readonly JArray told = new JArray();
    readonly JArray signals = new JArray();
    readonly JArray jumps = new JArray();
    readonly JArray counts = new JArray();
    readonly JObject states = new JObject();
    readonly JObject errors = new JObject();
    long? seq;

    InboxSubject(Inbox inbox, ForgetfulPlatform platform)
    {
        this.inbox = inbox;
        this.platform = platform;
        inbox.Received += one => Note(() => told.Add(one.Id));
        inbox.Signalled += one => Note(() => signals.Add(one.Id));
        inbox.StateChanged += state => Note(() => Count(states, NameOf(state)));
        inbox.Failed += error => Note(() => Count(errors, NameOf(error)));
        inbox.Changed += snapshot => Note(() =>
        {
            counts.Add(new JArray(snapshot.Seq, snapshot.Unread, snapshot.Total));
            if (seq != null && snapshot.Seq > seq + 1) jumps.Add(new JArray(seq, snapshot.Seq));
            seq = snapshot.Seq;
        });
    }

    public static async Task Run(Game game)
    {
        var commands = new Commands();
        var platform = new ForgetfulPlatform(DefaultPlatform.Make(), new Random(int.Parse(game.Argument)));
        using (platform)
        using (var http = new HttpClient())
        using (var storage = new GameStorage(game.Url, (renew, cancel) => http.GetStringAsync(game.Token + (renew ? "/renew" : "/")), Options(platform)))
        {
            var subject = new InboxSubject(storage.Inbox, platform);
            await storage.Inbox.WaitUntilReadyAsync();
            Console.WriteLine("ready");
            for (string[] words; (words = await commands.Next())[0] != "close";) subject.Answer(words);
        }
    }

    static GameStorageOptions Options(IPlatform platform)
    {
        return new GameStorageOptions
        {
            Platform = platform,
            Retry = new RetryOptions { Attempts = 3, MinDelay = TimeSpan.FromMilliseconds(10), MaxDelay = TimeSpan.FromMilliseconds(100) },
            Timeout = TimeSpan.FromSeconds(2),
            Inbox = new InboxOptions
            {
                Limit = int.MaxValue,
                MinDelay = TimeSpan.FromMilliseconds(10),
                MaxDelay = TimeSpan.FromMilliseconds(200),
                PingInterval = TimeSpan.FromMilliseconds(200),
                PingTimeout = TimeSpan.FromSeconds(1),
            },
        };
    }

    async void Answer(string[] words)
    {
        var answer = words[1] == "report" ? Report() : await Change(int.Parse(words[2]), string.Join(" ", words.Skip(3)));
        Console.WriteLine("answer " + words[0] + " " + answer.ToString(Formatting.None));
    }

    JToken Report()
    {
        lock (gate)
            return new JObject
            {
                { "snapshot", Shown() },
                { "told", told },
                { "signals", signals },
                { "jumps", jumps },
                { "counts", counts },
                { "forgotten", platform.Forgotten },
                { "states", states },
                { "errors", errors },
            };
    }

    JObject Shown()
    {
        var shown = inbox.Snapshot;
        var list = shown.Notifications.Select(one => new JObject
        {
            { "id", one.Id },
            { "type", one.Type },
            { "data", one.Data == null ? null : JObject.Parse(one.Data) },
            { "state", one.State.ToString().ToLowerInvariant() },
            { "created_at", one.CreatedAt.ToUnixTimeSeconds() },
        });
        return new JObject
        {
            { "notifications", new JArray(list) },
            { "unread", shown.Unread },
            { "total", shown.Total },
            { "has_more", shown.HasMore },
            { "seq", shown.Seq },
        };
    }

    /// <summary>Makes a change from this device. The request may fail: its network is cut.</summary>
    async Task<JToken> Change(int position, string kind)
    {
        var notifications = inbox.Snapshot.Notifications;
        var ids = notifications.Skip(position % Math.Max(1, notifications.Count)).Take(5).Select(one => one.Id).ToList();
        if (ids.Count == 0) return false;
        try
        {
            await Request(kind, ids);
            return true;
        }
        catch (StorageException)
        {
            return false;
        }
    }

    Task Request(string kind, List<string> ids)
    {
        switch (kind)
        {
            case "read": return inbox.MarkReadAsync(new[] { ids[0] });
            case "delete": return inbox.DeleteAsync(ids[0]);
            case "delete many": return inbox.DeleteManyAsync(ids);
            case "delete read": return inbox.DeleteReadAsync();
            case "delete all": return inbox.DeleteAllAsync();
            default: throw new ArgumentException(kind);
        }
    }

    void Note(Action note)
    {
        lock (gate) note();
    }

    static void Count(JObject counted, string name)
    {
        counted[name] = ((int?)counted[name] ?? 0) + 1;
    }

    static string NameOf(InboxState state)
    {
        return state.IsFinal ? "closed" : state.Status.ToString().ToLowerInvariant();
    }

    static string NameOf(Exception error)
    {
        var refusal = error as StorageException;
        return refusal == null ? error.GetType().Name : refusal.Code;
    }

    /// <summary>A fifth of its sockets leave <c>after</c> out, to which the service says <c>recovered: false</c>.</summary>
    sealed class ForgetfulPlatform : PlatformOver
    {
        readonly Random random;

        public ForgetfulPlatform(IPlatform inner, Random random)
            : base(inner)
        {
            this.random = random;
        }

        public int Forgotten { get; private set; }

        public override Task<ISocket> ConnectAsync(SocketCall call, CancellationToken cancel)
        {
            if (random.NextDouble() >= 0.2) return base.ConnectAsync(call, cancel);
            Forgotten += 1;
            return base.ConnectAsync(new SocketCall(call.Url.Split('?')[0], call.Protocol, call.Token, call.UserAgent), cancel);
        }
    }

    /// <summary>The lines of the input. Reading blocks, so a thread of its own reads them.</summary>
    sealed class Commands
    {
        readonly Queue<string> lines = new Queue<string>();
        TaskCompletionSource<bool> awaited;

        public Commands()
        {
            new Thread(Read) { IsBackground = true }.Start();
        }

        public async Task<string[]> Next()
        {
            for (;;)
            {
                Task<bool> more;
                lock (lines)
                {
                    if (lines.Count > 0) return lines.Dequeue().Split(' ');
                    awaited = new TaskCompletionSource<bool>();
                    more = awaited.Task;
                }
                await more;
            }
        }

        void Read()
        {
            for (string line; (line = Console.ReadLine() ?? "close") != null;)
            {
                TaskCompletionSource<bool> reached;
                lock (lines)
                {
                    lines.Enqueue(line);
                    reached = awaited;
                    awaited = null;
                }
                if (reached != null) reached.SetResult(true);
                if (line == "close") return;
            }
        }
    }
}
