using System;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using EdgeGameStorage;

/// <summary>An inbox whose connection ends, that is refused, or that is closed.</summary>
static class EndingTests
{
    public static readonly Promises All = new Promises
    {
        { "waits a random time whose most doubles up to thirty seconds, and begins anew after a connection that has lasted", Waits },
        { "is asked for a sign of life after thirty seconds, and is given up ten seconds later", Pings },
        { "gives up a socket that is not opened in ten seconds", Stuck },
        { "asks for the reason when a socket is refused", Refused },
        { "stays away when newer sockets have replaced it, until the game asks", Replaced },
        { "connects again after any other close", OtherCloses },
        { "ends with an empty list when the user has been erased", Erased },
        { "ends with the error when the service refuses the user", RefusedForGood },
        { "ends Ready() with the reason when the first list is refused, and not when it fails for a while", NotReady },
        { "waits as long as the service asks", AskedToWait },
        { "checks the connection when the game asks", Checks },
        { "ends its socket and all its timers when it is closed, and with the client", Closes },
        { "is closed while it waits, and by a handler", ClosedMeanwhile },
        { "runs what is posted from many threads one by one", Serial },
    };

    static void Waits()
    {
        var most = new[] { 1, 2, 4, 8, 16, 30, 30 };
        var sums = new double[most.Length];
        for (var run = 0; run < 20; run++)
        {
            var bench = Bench.Connected();
            for (var failure = 0; failure < most.Length; failure++)
            {
                bench.Close(1006);
                var delay = bench.Inbox.State.Delay.Value.TotalSeconds;
                Expecting.That(delay >= 0 && delay <= most[failure], "at most " + most[failure] + " s, not " + delay);
                sums[failure] += delay;
                bench.Pass(delay);
                bench.Accept();
            }
            bench.Pass(10);
            bench.Close(1006);
            Expecting.That(bench.Inbox.State.Delay.Value.TotalSeconds <= 1, "at most a second after a connection that has lasted");
        }
        for (var failure = 0; failure < most.Length; failure++)
            Expecting.That(sums[failure] / 20 > most[failure] * 0.2, "random delays of up to " + most[failure] + " s");
    }

    static void Pings()
    {
        var bench = Bench.Connected();
        bench.Pass(30);
        Expecting.Listed(bench.Socket.Sent, "ping");
        bench.Arrive("pong");
        bench.Pass(30);
        Expecting.Listed(bench.Socket.Sent, "ping", "ping");
        bench.Pass(9.9);
        Expecting.That(!bench.Socket.IsDisposed, "it waits for an answer");
        bench.Pass(0.1);
        Expecting.That(bench.Socket.IsDisposed, "it is given up");
        Expecting.Listed(bench.Errors, "CONNECTION_LOST");
        bench.Pass(1);
        Expecting.Equal(2, bench.Sockets.Count);
    }

    static void Stuck()
    {
        var bench = new Bench(null, one => one.IsStuck = true);
        bench.Pass(10);
        Expecting.Listed(bench.Errors, "SOCKET_NOT_OPENED");
        Expecting.Listed(bench.Requests, "GET ", "GET /unread-count");
    }

    static void Refused()
    {
        var bench = new Bench(null, one => one.IsRefused = true);
        bench.Settle();
        Expecting.Listed(bench.Errors, "SOCKET_NOT_OPENED");
        Expecting.Listed(bench.Requests, "GET ", "GET /unread-count");
    }

    static void Replaced()
    {
        var bench = Bench.Connected();
        bench.Close(4429);
        bench.Pass(3600);
        Expecting.Equal(InboxStatus.Replaced, bench.Inbox.State.Status);
        Expecting.Listed(bench.Errors, "REPLACED");
        Expecting.Equal(1, bench.Sockets.Count);
        bench.Inbox.Reconnect();
        bench.Accept();
        Expecting.Equal(InboxStatus.Connected, bench.Inbox.State.Status);
    }

    static void OtherCloses()
    {
        foreach (var code in new[] { 1000, 1001, 1006, 1008, 1009, 1011, 1012, 4999 })
        {
            var bench = Bench.Connected();
            bench.Change(model => model.Publish());
            bench.Close(code);
            Expecting.Equal(InboxStatus.Retrying, bench.Inbox.State.Status);
            bench.Pass(1);
            Expecting.Equal(1L, bench.Socket.After);
        }
    }

    static void Erased()
    {
        var bench = Bench.Connected(null, one => one.Model.Publish());
        bench.Close(4410);
        Expecting.Equal(InboxStatus.Erased, bench.Inbox.State.Status);
        Expecting.Listed(bench.Errors, "USER_ERASED");
        Expecting.Equal("1, 0 of 0: ", bench.Shown);
        bench.Pass(3600);
        Expecting.Equal(1, bench.Sockets.Count);
    }

    static void RefusedForGood()
    {
        foreach (var refusal in new[] { Bench.Refusal(401, "UNAUTHENTICATED"), Bench.Refusal(403, "FORBIDDEN") })
        {
            var bench = new Bench();
            bench.Answer = call => Task.FromResult(refusal);
            bench.Close(1006);
            var error = (StorageException)bench.Inbox.State.Error;
            Expecting.Equal(InboxStatus.Refused, bench.Inbox.State.Status);
            Expecting.Listed(bench.Errors, error.Code);
            bench.Pass(3600);
            Expecting.Equal(1, bench.Sockets.Count);
            Expecting.Equal(error.Code, CodeOf(bench, bench.Inbox.LoadMoreAsync()));
        }
    }

    static void NotReady()
    {
        var bench = new Bench(null, one => one.Answer = call => Task.FromResult(Bench.Refusal(503, "UNAVAILABLE")));
        var ready = bench.Inbox.WaitUntilReadyAsync();
        bench.Settle();
        Expecting.That(!ready.IsCompleted, "it goes on");
        Expecting.Listed(bench.Errors, "UNAVAILABLE");
        bench.Answer = call => Task.FromResult(Bench.Refusal(403, "FORBIDDEN"));
        bench.Pass(1);
        Expecting.Equal("FORBIDDEN", CodeOf(bench, ready));
        Expecting.Equal("FORBIDDEN", CodeOf(bench, bench.Inbox.WaitUntilReadyAsync()));
    }

    static void AskedToWait()
    {
        var bench = new Bench();
        bench.Answer = call => Task.FromResult(Bench.Refusal(503, "UNAVAILABLE", 60));
        bench.Close(1006);
        bench.Pass(59.9);
        Expecting.Equal(1, bench.Sockets.Count);
        bench.Pass(1.1);
        Expecting.Equal(2, bench.Sockets.Count);
    }

    static void Checks()
    {
        var bench = Bench.Connected();
        bench.Inbox.Reconnect();
        Expecting.Listed(bench.Socket.Sent, "ping");
        bench.Pass(10);
        Expecting.Listed(bench.Errors, "CONNECTION_LOST");
        Expecting.Equal(1, bench.Sockets.Count);
        bench.Inbox.Reconnect();
        bench.Settle();
        Expecting.Equal(2, bench.Sockets.Count);
    }

    static void Closes()
    {
        foreach (var close in new Action<Bench>[] { bench => bench.Inbox.Close(), bench => bench.Storage.Dispose() })
        {
            var bench = Bench.Connected(null, one => one.Token = () => Task.FromResult(InboxTokenTests.TokenFor("first", 3600)));
            close(bench);
            bench.Settle();
            Expecting.That(bench.Socket.IsDisposed, "the socket ends");
            Expecting.Equal(InboxStatus.Closed, bench.Inbox.State.Status);
            Expecting.Equal(0, bench.Timers);
            Expecting.Listed(bench.States, "Connected", "Closed");
            Expecting.Listed(bench.Errors);
        }
        var early = new Bench();
        early.Inbox.Close();
        Expecting.Equal("CLOSED", CodeOf(early, early.Inbox.LoadMoreAsync()));
        early.Pass(100);
        Expecting.Equal(0, early.Timers);
    }

    static void ClosedMeanwhile()
    {
        var bench = Bench.Connected();
        bench.Close(1006);
        bench.Inbox.Close();
        bench.Pass(3600);
        Expecting.Equal(1, bench.Sockets.Count);
        Expecting.Equal(0, bench.Timers);
        foreach (var code in new[] { 1006, 4429 })
        {
            bench = Bench.Connected();
            bench.Inbox.Failed += error => bench.Inbox.Close();
            bench.Close(code);
            bench.Pass(3600);
            Expecting.Equal(1, bench.Sockets.Count);
            Expecting.Equal(0, bench.Timers);
            Expecting.Listed(bench.States, "Connected", "Closed");
        }
    }

    static void Serial()
    {
        var context = new SerialContext();
        int running = 0, done = 0, overlaps = 0;
        var lasts = new int[4];
        var threads = Enumerable.Range(0, lasts.Length).Select(thread => new Thread(() =>
        {
            for (var number = 1; number <= 2000; number++)
            {
                var mine = number;
                context.Post(state =>
                {
                    if (Interlocked.Increment(ref running) != 1 || SynchronizationContext.Current != context) overlaps += 1;
                    if (lasts[thread] != mine - 1) overlaps += 1;
                    lasts[thread] = mine;
                    done += 1;
                    Interlocked.Decrement(ref running);
                }, null);
            }
        })).ToList();
        foreach (var thread in threads) thread.Start();
        foreach (var thread in threads) thread.Join();
        var ended = new ManualResetEvent(false);
        context.Post(state => ended.Set(), null);
        Expecting.That(ended.WaitOne(TimeSpan.FromSeconds(60)), "all is run");
        Expecting.Equal(0, overlaps);
        Expecting.Equal(8000, done);
    }

    static string CodeOf(Bench bench, Task failed)
    {
        bench.Settle();
        Expecting.That(failed.IsFaulted, "it has failed");
        return ((StorageException)failed.Exception.InnerException).Code;
    }
}
