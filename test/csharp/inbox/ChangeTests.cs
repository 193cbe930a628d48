using System;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using EdgeGameStorage;

/// <summary>Changes of this device.</summary>
static class ChangeTests
{
    static readonly string[] Two = { "000002", "000004" };

    public static readonly Promises All = new Promises
    {
        { "a change shows at once with one request, and stays when its event arrives", ShowsAtOnce },
        { "a change comes back when it is refused, lost or canceled", ComesBack },
        { "a change keeps what arrives meanwhile", KeepsOthers },
        { "no ids are no request", NoIds },
        { "what this device has just marked stays in the list when it deletes the read ones", DeletesRead },
        { "a refusal brings nothing back that another request has deleted", NothingBack },
        { "a notification that no longer exists counts as deleted", IsGone },
    };

    static void ShowsAtOnce()
    {
        foreach (var change in new[]
        {
            Of(inbox => inbox.MarkReadAsync(Two), model => model.MarkRead(Two), "2 of 4: 000004 000003 000002 000001"),
            Of(inbox => inbox.MarkAllReadAsync(), model => model.MarkRead(null), "0 of 4: 000004 000003 000002 000001"),
            Of(inbox => inbox.DeleteAsync("000002"), model => model.Delete("000002"), "3 of 3: 000004 000003 000001"),
            Of(inbox => inbox.DeleteManyAsync(Two), model => model.DeleteMany(Two), "2 of 2: 000003 000001"),
            Of(inbox => inbox.DeleteAllAsync(), model => model.DeleteMany(null), "0 of 0: "),
        })
        {
            var bench = Filled();
            var held = Hold(bench);
            var done = change.Item1(bench.Inbox);
            Expecting.Equal("4, " + change.Item3, bench.Shown);
            Expecting.Equal(2, bench.Requests.Count);
            bench.Change(change.Item2);
            Expecting.Equal("5, " + change.Item3, bench.Shown);
            held.SetResult(null);
            bench.Settle();
            Expecting.Equal(TaskStatus.RanToCompletion, done.Status);
            Expecting.Equal("5, " + change.Item3, bench.Shown);
        }
    }

    static void ComesBack()
    {
        const string Before = "4, 4 of 4: 000004 000003 000002 000001";
        foreach (var failure in new[] { Task.FromResult(Bench.Refusal(403, "FORBIDDEN")), Lost() })
        {
            var bench = Filled();
            bench.Answer = call => failure;
            var done = bench.Inbox.DeleteManyAsync(Two);
            bench.Settle();
            Expecting.Equal(Before, bench.Shown);
            Expecting.That(done.IsFaulted, "the game is told");
        }
        using (var giveUp = new CancellationTokenSource())
        {
            var bench = Filled();
            bench.Answer = call => Task.Delay(-1, giveUp.Token).ContinueWith<HttpAnswer>(ended => { throw new OperationCanceledException(); });
            var done = bench.Inbox.MarkReadAsync(Two, giveUp.Token);
            Expecting.Equal("4, 2 of 4: 000004 000003 000002 000001", bench.Shown);
            giveUp.Cancel();
            SpinUntil(bench, () => done.IsCompleted);
            Expecting.That(done.IsCanceled, "it is canceled");
            Expecting.Equal(Before, bench.Shown);
        }
    }

    static void KeepsOthers()
    {
        var bench = Filled();
        var held = Hold(bench);
        bench.Inbox.DeleteAsync("000004");
        bench.Change(model => model.Publish());
        bench.Change(model => model.MarkRead(new[] { "000001" }));
        Expecting.Equal("6, 3 of 4: 000005 000003 000002 000001", bench.Shown);
        held.SetResult(Bench.Refusal(403, "FORBIDDEN"));
        bench.Settle();
        Expecting.Equal("6, 4 of 5: 000005 000004 000003 000002 000001", bench.Shown);
    }

    static void NoIds()
    {
        var bench = Filled();
        Expecting.That(bench.Inbox.MarkReadAsync(new string[0]).IsCompleted && bench.Inbox.DeleteManyAsync(new string[0]).IsCompleted, "they are done");
        Expecting.Listed(bench.Requests, "GET ");
    }

    static void DeletesRead()
    {
        var bench = Filled();
        bench.Change(model => model.MarkRead(new[] { "000001" }));
        var held = Hold(bench);
        bench.Inbox.MarkReadAsync(new[] { "000002" });
        bench.Inbox.DeleteReadAsync();
        Expecting.Equal("5, 2 of 3: 000004 000003 000002", bench.Shown);
        held.SetResult(null);
        bench.Settle();
        Expecting.Equal("5, 2 of 3: 000004 000003 000002", bench.Shown);
    }

    static void NothingBack()
    {
        var bench = Filled();
        bench.Inbox.DeleteManyAsync(Two);
        bench.Settle();
        bench.Answer = call => Task.FromResult(Bench.Refusal(403, "FORBIDDEN"));
        bench.Inbox.DeleteManyAsync(new[] { "000001", "000002" });
        bench.Settle();
        Expecting.Equal("4, 2 of 2: 000003 000001", bench.Shown);
    }

    static void IsGone()
    {
        var bench = Filled();
        bench.Answer = call => Task.FromResult(Bench.Refusal(404, "NOTIFICATION_NOT_FOUND"));
        var done = bench.Inbox.DeleteAsync("000002");
        bench.Settle();
        Expecting.Equal(TaskStatus.RanToCompletion, done.Status);
        Expecting.Equal("4, 3 of 3: 000004 000003 000001", bench.Shown);
    }

    static Bench Filled()
    {
        return Bench.Connected(null, bench =>
        {
            for (var count = 0; count < 4; count++) bench.Model.Publish();
        });
    }

    /// <summary>Holds requests back until it is set: null, so that the service answers.</summary>
    static TaskCompletionSource<HttpAnswer> Hold(Bench bench)
    {
        var held = new TaskCompletionSource<HttpAnswer>();
        bench.Answer = async call => await held.Task ?? new HttpAnswer(204, new System.Collections.Generic.KeyValuePair<string, string>[0], new byte[0]);
        return held;
    }

    static Task<HttpAnswer> Lost()
    {
        var lost = new TaskCompletionSource<HttpAnswer>();
        lost.SetException(new InvalidOperationException("The connection was cut."));
        return lost.Task;
    }

    static void SpinUntil(Bench bench, Func<bool> holds)
    {
        while (!holds())
        {
            Thread.Yield();
            bench.Settle();
        }
    }

    static Tuple<Func<Inbox, Task>, Action<ModelInbox>, string> Of(Func<Inbox, Task> ours, Action<ModelInbox> service, string shown)
    {
        return Tuple.Create(ours, service, shown);
    }
}
