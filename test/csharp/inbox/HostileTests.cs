using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using EdgeGameStorage;
using Newtonsoft.Json.Linq;

/// <summary>An inbox whose service, login or game does not behave.</summary>
static class HostileTests
{
    /// <summary>Requests that nothing but a loop makes. Later ones get no answer.</summary>
    const int Loop = 200;

    public static readonly Promises All = new Promises
    {
        { "calls no handler once it is closed, also for what has arrived together and for changes of this device", SilentAfterClose },
        { "calls no handler but that of its end when another thread has disposed of the client", SilentAfterDispose },
        { "survives handlers that call any of its methods, and one that throws", SurvivesHandlers },
        { "tells each handler the latest last, when another one changes or closes the inbox", LatestLast },
        { "leaves no failure unobserved when it ends before the first list, and nobody waits for that", Unobserved },
        { "renews tokens that are about to expire no more often than it connects again", ShortTokens },
        { "stops reading at a page without notifications, whatever total the service gives", TotalTooHigh },
        { "reads again after a delay when a page is older than the one before", OlderPages },
        { "gives up a silent connection in ten seconds, however often the game asks for a check", ChecksOften },
        { "survives messages of all kinds, and shows the inbox afterwards", Survives },
    };

    static void SilentAfterClose()
    {
        var bench = Bench.Connected();
        bench.Close(1006);
        for (var count = 0; count < 9; count++) bench.Model.Publish();
        bench.Inbox.Received += one => bench.Inbox.Close();
        bench.Pass(1);
        bench.Accept();
        Expecting.Listed(bench.Told, "000001");

        bench = Bench.Connected(null, one => one.Model.Publish());
        var held = new TaskCompletionSource<HttpAnswer>();
        bench.Answer = call => held.Task;
        var deleted = bench.Inbox.DeleteAsync("000001");
        bench.Settle();
        var last = bench.Inbox.Snapshot;
        bench.Inbox.Changed += snapshot => last = snapshot;
        bench.Storage.Dispose();
        var atClose = last;
        held.SetResult(Bench.Refusal(403, "FORBIDDEN"));
        var marked = bench.Inbox.MarkAllReadAsync();
        bench.Settle();
        Expecting.That(deleted.IsFaulted && marked.IsFaulted, "both fail");
        Expecting.That(ReferenceEquals(atClose, last), "no handler is called");
    }

    static void SilentAfterDispose()
    {
        var bench = Bench.Connected();
        bench.Model.Publish();
        SynchronizationContext.SetSynchronizationContext(null);
        foreach (var message in bench.Model.Since(0)) bench.Socket.Arrive(message); // Read by the context, after this.
        bench.Storage.Dispose();
        SynchronizationContext.SetSynchronizationContext(bench);
        bench.Settle();
        Expecting.Listed(bench.Told);
        Expecting.Listed(bench.Errors);
        Expecting.Listed(bench.States, "Connected", "Closed");
    }

    static void SurvivesHandlers()
    {
        var random = new Random(ReplicaTests.Seed);
        var acts = new Action<Bench>[]
        {
            one => one.Inbox.MarkReadAsync(new[] { "000001" }), one => one.Inbox.DeleteAsync("000002"), one => one.Inbox.LoadMoreAsync(2),
            one => one.Inbox.DeleteReadAsync(), one => one.Inbox.WaitUntilReadyAsync(), one => one.Inbox.Close(), one => one.Storage.Dispose(),
            one => { throw new InvalidOperationException("The handler fails."); }, one => { }, one => { }, one => { },
        };
        for (var run = 0; run < 200; run++)
        {
            var late = 0;
            var bench = new Bench(new InboxOptions { Limit = 2 }, one =>
            {
                for (var count = 0; count < 6; count++) one.Model.Publish();
            });
            Action act = () =>
            {
                if (bench.Inbox.State.IsFinal) late += 1;
                else acts[random.Next(acts.Length)](bench);
            };
            bench.Inbox.Changed += snapshot => act();
            bench.Inbox.Received += one => act();
            bench.Inbox.Failed += error => act();
            bench.Inbox.StateChanged += state =>
            {
                if (!state.IsFinal) act();
            };
            bench.Accept();
            for (var step = 0; step < 20 && !bench.Inbox.State.IsFinal; step++)
            {
                if (random.Next(3) == 0) bench.Close(1006);
                var sockets = bench.Sockets.Count;
                bench.Model.Publish();
                bench.Pass(1);
                if (bench.Sockets.Count > sockets) bench.Accept();
            }
            bench.Storage.Dispose();
            bench.Pass(1);
            Expecting.Equal(0, late);
            Expecting.Equal(0, bench.Timers);
            Expecting.Listed(bench.Thrown.Distinct().Where(thrown => thrown != "The handler fails."));
            Expecting.Listed(bench.Told, bench.Told.Distinct().OrderBy(id => id, StringComparer.Ordinal).ToArray());
        }
    }

    static void LatestLast()
    {
        var bench = Bench.Connected();
        bench.Inbox.Changed += snapshot =>
        {
            if (snapshot.Unread > 0) bench.Inbox.MarkAllReadAsync();
        };
        var badges = new List<long>();
        bench.Inbox.Changed += snapshot => badges.Add(snapshot.Unread);
        bench.Change(model => model.Publish());
        Expecting.Equal("1 0", string.Join(" ", badges));

        bench = new Bench();
        bench.Inbox.StateChanged += state =>
        {
            if (state.Status == InboxStatus.Retrying) bench.Inbox.Close();
        };
        var states = new List<string>();
        bench.Inbox.StateChanged += state => states.Add(state.Status.ToString());
        bench.Accept();
        bench.Close(1006);
        Expecting.Listed(states, "Connected", "Retrying", "Closed");
    }

    static void Unobserved()
    {
        var found = new List<string>();
        EventHandler<UnobservedTaskExceptionEventArgs> note = (sender, error) =>
        {
            lock (found) found.Add(error.Exception.InnerException.Message);
        };
        Collect(); // What other tests have left.
        TaskScheduler.UnobservedTaskException += note;
        for (var round = 0; round < 20; round++) CloseEarly();
        Collect();
        TaskScheduler.UnobservedTaskException -= note;
        lock (found) Expecting.Listed(found.Distinct());
    }

    static void Collect()
    {
        for (var collection = 0; collection < 3; collection++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }
    }

    static void CloseEarly()
    {
        var bench = new Bench(null, one => one.Answer = call => new TaskCompletionSource<HttpAnswer>().Task);
        bench.Inbox.Close();
        bench.Settle();
    }

    static void ShortTokens()
    {
        var made = 0;
        var bench = new Bench(null, one => one.Token = () => Task.FromResult(InboxTokenTests.TokenFor("short" + made++, 2)));
        for (var step = 0; step < 600; step++)
        {
            var sockets = bench.Sockets.Count;
            bench.Pass(0.1);
            if (bench.Sockets.Count > sockets) bench.Accept();
        }
        Expecting.That(bench.Sockets.Count < 40, "few connections in a minute, not " + bench.Sockets.Count);
        Expecting.That(bench.Sockets.Count > 2, "it goes on");
    }

    static void TotalTooHigh()
    {
        var lists = 0;
        var bench = new Bench(null, one =>
        {
            for (var count = 0; count < 3; count++) one.Model.Publish();
            one.Answer = call => Counted(ref lists, one, call, page => page["total"] = 8);
        });
        bench.Accept();
        bench.Change(model => model.Publish());
        Expecting.Equal("4, 4 of 4: 000004 000003 000002 000001", bench.Shown);
        Expecting.Equal(2, lists);
    }

    static void OlderPages()
    {
        var lists = 0;
        var options = new InboxOptions { Limit = 150 };
        var bench = new Bench(options, one =>
        {
            for (var count = 0; count < 150; count++) one.Model.Publish();
            one.Answer = call => Counted(ref lists, one, call, page => { }, call.Url.Contains("offset=0") ? 0 : -1);
        });
        bench.Pass(60);
        Expecting.That(lists < 80, "few requests in a minute, not " + lists);
    }

    static void ChecksOften()
    {
        var bench = Bench.Connected();
        for (var second = 0; second < 10; second++)
        {
            for (var check = 0; check < 10; check++) bench.Inbox.Reconnect();
            bench.Pass(1);
        }
        Expecting.Listed(bench.Errors, "CONNECTION_LOST");
        Expecting.Listed(bench.Sockets[0].Sent, "ping");
    }

    static void Survives()
    {
        var random = new Random(ReplicaTests.Seed);
        for (var run = 0; run < 60; run++)
        {
            var bench = Bench.Connected(null, one => one.Model.Publish());
            for (var step = 0; step < 40; step++)
            {
                var message = Odd(random, bench.Model.Seq);
                var sockets = bench.Sockets.Count;
                bench.Arrive(message);
                if (random.Next(4) == 0) bench.Pass(31);
                if (bench.Sockets.Count > sockets) bench.Accept();
                Expecting.Listed(bench.Thrown);
            }
            bench.Model.DeleteMany(null);
            for (var count = 0; count < 7; count++) bench.Model.Publish(); // More than a socket may have missed.
            var before = bench.Sockets.Count;
            bench.Close(1006);
            while (bench.Sockets.Count == before) bench.Pass(0.1);
            bench.Accept();
            Expecting.Equal(InboxStatus.Connected, bench.Inbox.State.Status);
            Expecting.Equal(bench.Model.Seq + ", 7 of 7: " + string.Join(" ", bench.Model.Ids), bench.Shown);
        }
    }

    /// <summary>A message of a service that is broken.</summary>
    static string Odd(Random random, int seq)
    {
        var numbers = new JToken[] { seq + 1, seq, 0, -1, long.MaxValue, 1.5, "1", null, new JArray(), double.MaxValue };
        var values = new JToken[] { null, 7, "text", true, new JObject(), new JArray(1, null, "a"), new JArray("a", "a") };
        var types = new JToken[] { "ready", "notification", "notifications_read", "notification_deleted", "notifications_deleted", "signal", "new", "", 7, null };
        var texts = new[] { "", "null", "[]", "{", "\0", "pong", "ping", "{\"type\":\"a\",\"seq\":" + new string('9', 400) + "}", new string('[', 100000), "\uFFFD\uD800" };
        if (random.Next(8) == 0) return texts[random.Next(texts.Length)];
        var data = ModelInbox.One("odd" + random.Next(9), "odd");
        foreach (var name in new[] { "id", "type", "data", "state", "created_at" })
            if (random.Next(8) == 0) data[name] = random.Next(2) == 0 ? values[random.Next(values.Length)] : numbers[random.Next(numbers.Length)];
        data["recovered"] = random.Next(3) == 0 ? values[random.Next(values.Length)] : true;
        data["notification_ids"] = values[random.Next(values.Length)];
        data["notification_id"] = values[random.Next(values.Length)];
        var message = new JObject { { "type", types[random.Next(types.Length)] }, { "data", random.Next(8) == 0 ? values[random.Next(values.Length)] : data } };
        if (random.Next(6) > 0) message["seq"] = random.Next(2) == 0 ? seq + 1 : numbers[random.Next(numbers.Length)];
        if (random.Next(6) > 0) message["unread"] = random.Next(2) == 0 ? 1 : numbers[random.Next(numbers.Length)];
        return message.ToString(Newtonsoft.Json.Formatting.None);
    }

    /// <summary>A list of the model's, which <paramref name="change"/> falsifies.</summary>
    static Task<HttpAnswer> Counted(ref int lists, Bench bench, HttpCall call, Action<JObject> change, int seqOff = 0)
    {
        lists += 1;
        if (lists > Loop) return new TaskCompletionSource<HttpAnswer>().Task;
        var listed = bench.List(call);
        var page = JObject.Parse(listed.Text);
        change(page);
        var headers = new Dictionary<string, string> { { "Content-Type", "application/json" }, { "X-Inbox-Seq", (bench.Model.Seq + seqOff).ToString() } };
        return Task.FromResult(new HttpAnswer(200, headers, Expecting.Bytes(page.ToString())));
    }
}
