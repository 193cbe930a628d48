using System;
using System.Linq;
using System.Threading.Tasks;
using EdgeGameStorage;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;

/// <summary>An inbox that connects, and what it is told.</summary>
static class ConnectionTests
{
    public static readonly Promises All = new Promises
    {
        { "lists first, and opens a socket with its token, and its seq in the address", Lists },
        { "goes on after the last seq, and tells what it has missed once", GoesOn },
        { "lists again when it has missed too much, and is connected when it has the list", ListsAgain },
        { "lists again when a socket can't go on, although its seq is the one of the list", ListsAtItsSeq },
        { "drops a socket that leaves an event out, and gets it with the next one", DropsGaps },
        { "drops a socket that sends what is no message", DropsUnreadable },
        { "leaves out a notification that it can't read, says so once, and goes on", LeavesOut },
        { "lists again after a change whose data it can't read, and keeps its socket", ListsUnreadable },
        { "drops a socket that does not begin with ready, or says it twice", NeedsReady },
        { "lists again after a change of an unknown kind, and keeps its socket", ListsUnknown },
        { "lists again after a change of an unknown kind that comes while it lists", ListsUnknownAgain },
        { "takes away what was deleted together, and what is not loaded", Deleted },
        { "tells a signal, which changes neither the list nor the seq", Signals },
        { "ignores a message without a seq that it does not know", Unnumbered },
        { "has notifications of any type, and of a state that it does not know", AnyType },
        { "reads the data of the service's own types", OwnTypes },
        { "calls the other handlers when one throws, and goes on", Throws },
        { "loads more when it is asked to", LoadsMore },
    };

    static void Lists()
    {
        var bench = Bench.Connected(null, one => one.Model.Publish());
        Expecting.Equal("wss://storage.example/v1/notifications/ws?after=1", bench.Socket.Call.Url);
        Expecting.Equal("notifications.v1 header.payload.first", bench.Socket.Call.Protocol + " " + bench.Socket.Call.Token);
        Expecting.Equal("1, 1 of 1: 000001", bench.Shown);
        Expecting.Listed(bench.Told);
        Expecting.Listed(bench.States, "Connected");
    }

    static void GoesOn()
    {
        var bench = Bench.Connected();
        bench.Change(model => model.Publish());
        bench.Close(1006);
        bench.Model.Publish();
        bench.Pass(1);
        Expecting.Equal(1L, bench.Socket.After);
        bench.Accept();
        bench.Arrive(bench.Model.Since(0)); // All of it again.
        Expecting.Listed(bench.Told, "000001", "000002");
        Expecting.Equal(1, bench.Requests.Count(one => one == "GET "));
    }

    static void ListsAgain()
    {
        var bench = Bench.Connected();
        bench.Close(1006);
        for (var count = 0; count < 9; count++) bench.Model.Publish();
        var held = new TaskCompletionSource<HttpAnswer>();
        HttpCall asked = null;
        bench.Answer = call =>
        {
            asked = call;
            return held.Task;
        };
        bench.Pass(1);
        bench.Accept();
        bench.Change(model => model.Publish());
        Expecting.Equal(InboxStatus.Connecting, bench.Inbox.State.Status);
        held.SetResult(bench.List(asked));
        bench.Settle();
        Expecting.Equal(InboxStatus.Connected, bench.Inbox.State.Status);
        Expecting.Equal(10L, bench.Inbox.Snapshot.Seq);
        Expecting.Listed(bench.Told, Enumerable.Range(1, 10).Select(number => number.ToString("D6")).ToArray());
    }

    static void ListsAtItsSeq()
    {
        var bench = Bench.Connected();
        bench.Close(1006);
        bench.Pass(1);
        bench.Arrive("{\"type\":\"ready\",\"seq\":0,\"unread\":0,\"data\":{\"recovered\":false}}");
        Expecting.Equal(2, bench.Requests.Count(one => one == "GET "));
        Expecting.Equal(InboxStatus.Connected, bench.Inbox.State.Status);
    }

    static void DropsGaps()
    {
        var bench = Bench.Connected();
        bench.Model.Publish();
        bench.Change(model => model.Publish());
        Expecting.That(bench.Socket.IsDisposed, "the socket is dropped");
        bench.Pass(1);
        bench.Accept();
        Expecting.Listed(bench.Told, "000001", "000002");
    }

    static void DropsUnreadable()
    {
        foreach (var text in new[] { "what?", "[]", "{\"seq\": 1}", "{\"type\": \"notification\", \"seq\": -1, \"unread\": 0, \"data\": {}}" })
        {
            var bench = Bench.Connected();
            bench.Arrive(text);
            Expecting.Listed(bench.Errors, "UNREADABLE");
            Expecting.Equal(InboxStatus.Retrying, bench.Inbox.State.Status);
        }
    }

    static void LeavesOut()
    {
        var nested = "{\"a\":";
        var unreadable = new[]
        {
            string.Concat(Enumerable.Repeat(nested, 65)) + "1" + new string('}', 65),
            string.Concat(Enumerable.Repeat(nested, 2000)) + "1" + new string('}', 2000),
            "null",
            "[]",
        };
        foreach (var data in unreadable)
        {
            var bench = Bench.Connected(null, one =>
            {
                one.Model.Publish();
                one.Model.Publish(data);
            });
            Expecting.Equal("2, 2 of 2: 000001", bench.Shown);
            Expecting.That(!bench.Inbox.Snapshot.HasMore, "nothing more is offered");
            Expecting.Listed(bench.Errors, "UNREADABLE");
            bench.Change(model => model.Publish(data));
            bench.Change(model => model.Publish());
            bench.Change(model => model.MarkRead(new[] { "000002" }));
            Expecting.Equal("5, 3 of 4: 000004 000001", bench.Shown);
            Expecting.Listed(bench.Told, "000004");
            Expecting.Listed(bench.Errors, "UNREADABLE", "UNREADABLE");
            bench.Arrive("{\"type\":\"signal\",\"data\":{\"id\":\"s\",\"type\":\"a.b\",\"data\":" + data + ",\"state\":\"unread\",\"created_at\":1}}");
            Expecting.Listed(bench.Signals);
            Expecting.Listed(bench.Errors, "UNREADABLE", "UNREADABLE", "UNREADABLE");
            Expecting.Equal(InboxStatus.Connected, bench.Inbox.State.Status);
            Expecting.Equal(1, bench.Sockets.Count);
        }
        var deepest = string.Concat(Enumerable.Repeat(nested, 64)) + "1" + new string('}', 64);
        Expecting.Equal("1, 1 of 1: 000001", Bench.Connected(null, one => one.Model.Publish(deepest)).Shown);
    }

    static void ListsUnreadable()
    {
        var bench = Bench.Connected();
        bench.Model.Publish();
        bench.Arrive("{\"type\": \"notification\", \"seq\": 1, \"unread\": 1, \"data\": {\"state\": \"unread\"}}");
        Expecting.Listed(bench.Told, "000001");
        Expecting.Listed(bench.Errors);
        Expecting.Equal(1, bench.Sockets.Count);
    }

    static void NeedsReady()
    {
        var bench = new Bench();
        bench.Model.Publish();
        bench.Arrive(bench.Model.Since(0));
        Expecting.Listed(bench.Errors, "UNREADABLE");
        bench.Pass(1);
        bench.Accept();
        bench.Arrive(bench.Model.Connect(bench.Model.Seq));
        Expecting.Listed(bench.Errors, "UNREADABLE", "UNREADABLE");
    }

    static void ListsUnknown()
    {
        var bench = Bench.Connected(null, one => one.Model.Publish());
        bench.Change(model => model.ChangeUnknown());
        Expecting.Equal("2, 0 of 0: ", bench.Shown);
        bench.Change(model => model.Publish());
        Expecting.Listed(bench.Told, "000002");
        Expecting.Equal(1, bench.Sockets.Count);
        Expecting.Listed(bench.Errors);
    }

    static void ListsUnknownAgain()
    {
        var bench = Bench.Connected(null, one => one.Model.Publish());
        HttpCall asked = null;
        var held = new TaskCompletionSource<HttpAnswer>();
        bench.Answer = call =>
        {
            asked = call;
            return held.Task;
        };
        bench.Change(model => model.ChangeUnknown());
        var first = bench.List(asked);
        bench.Change(model => model.Publish());
        bench.Change(model => model.ChangeUnknown());
        bench.Change(model => model.Publish());
        bench.Answer = call => null;
        held.SetResult(first);
        bench.Settle();
        Expecting.Equal("5, 1 of 1: 000003", bench.Shown);
        bench.Change(model => model.Publish());
        Expecting.Equal("6, 2 of 2: 000004 000003", bench.Shown);
        Expecting.Equal(1, bench.Sockets.Count);
    }

    static void Deleted()
    {
        var bench = Bench.Connected(new InboxOptions { Limit = 2 }, PublishFour);
        bench.Change(model => model.DeleteMany(new[] { "000001", "000003" }));
        Expecting.Equal("5, 2 of 2: 000004 000002", bench.Shown);
        bench.Change(model => model.MarkRead(null));
        Expecting.Equal("6, 0 of 2: 000004 000002", bench.Shown);
        bench.Change(model => model.Delete("000004"));
        bench.Change(model => model.DeleteMany(null));
        Expecting.Equal("8, 0 of 0: ", bench.Shown);
    }

    static void Signals()
    {
        var bench = Bench.Connected(null, PublishFour);
        var before = bench.Inbox.Snapshot;
        bench.Arrive(Message("signal", ModelInbox.One("000009", "game.turn")));
        var numbered = new JObject { { "type", "signal" }, { "seq", 4 }, { "unread", 4 }, { "data", ModelInbox.One("000010", "game.turn") } };
        bench.Arrive(numbered.ToString(Formatting.None));
        Expecting.Listed(bench.Signals, "game.turn", "game.turn");
        Expecting.That(ReferenceEquals(before, bench.Inbox.Snapshot), "the snapshot stays");
        Expecting.Listed(bench.Told);
        bench.Change(model => model.Publish());
        Expecting.Equal(5L, bench.Inbox.Snapshot.Seq);
    }

    static void Unnumbered()
    {
        var bench = Bench.Connected(null, PublishFour);
        bench.Arrive(Message("typing", new JObject { { "by", "grace" } }));
        bench.Change(model => model.Publish());
        Expecting.Equal(5L, bench.Inbox.Snapshot.Seq);
        Expecting.Listed(bench.Errors);
    }

    static void AnyType()
    {
        var bench = Bench.Connected();
        var one = ModelInbox.One("000009", "later");
        one["state"] = "archived";
        one["data"] = new JObject { { "deep", new JArray(1) } };
        bench.Arrive(new JObject { { "type", "notification" }, { "seq", 1 }, { "unread", 0 }, { "data", one } }.ToString(Formatting.None));
        var shown = bench.Inbox.Snapshot.Notifications.Single();
        Expecting.Equal("later Unknown {\"deep\":[1]}", shown.Type + " " + shown.State + " " + shown.Data);
        Expecting.That(shown.Friend() == null && shown.SharedFile() == null, "no data of the service's types");
    }

    static void OwnTypes()
    {
        var bench = Bench.Connected(null, one => one.Model.Publish());
        var friend = bench.Inbox.Snapshot.Notifications[0].Friend();
        Expecting.Equal("7 Grace", friend.FromUserId + " " + friend.FromDisplayName);
        var shared = ModelInbox.One("000002", NotificationTypes.FileShared);
        shared["data"] = new JObject { { "share_id", "s" }, { "file_id", "f" }, { "owner_id", "o" }, { "name", "n" } };
        var file = Notification.Read(shared).SharedFile();
        Expecting.Equal("s f o n", file.ShareId + " " + file.FileId + " " + file.OwnerId + " " + file.Name);
        shared["data"] = new JObject { { "share_id", 1 } };
        Expecting.That(Notification.Read(shared).SharedFile() == null, "no data that is not as it should be");
        var target = new JObject { { "type", "user" }, { "id", "ada" } };
        var decision = ModelInbox.One("000003", NotificationTypes.DecisionMade);
        decision["data"] = new JObject { { "decision_id", "d" }, { "target", target }, { "name", null }, { "action", "warn" } };
        var made = Notification.Read(decision).DecisionMade();
        Expecting.Equal("d User ada  Warn", made.DecisionId + " " + made.TargetType + " " + made.TargetId + " " + made.Name + " " + made.Action);
        var outcome = ModelInbox.One("000004", NotificationTypes.ReportDecided);
        outcome["data"] = new JObject { { "report_id", "r" }, { "target", target }, { "action", "rename" } };
        var decided = Notification.Read(outcome).ReportDecided();
        Expecting.Equal("r User ada Unknown", decided.ReportId + " " + decided.TargetType + " " + decided.TargetId + " " + decided.Action);
        var answer = ModelInbox.One("000005", NotificationTypes.AppealDecided);
        answer["data"] = new JObject { { "decision_id", "d" }, { "outcome", "upheld" } };
        var appeal = Notification.Read(answer).AppealDecided();
        Expecting.Equal("d Upheld", appeal.DecisionId + " " + appeal.Outcome);
        answer["data"] = new JObject { { "decision_id", "d" } };
        Expecting.That(Notification.Read(answer).AppealDecided() == null, "no answer without its outcome");
    }

    static void Throws()
    {
        var bench = new Bench();
        var calls = 0;
        bench.Inbox.Changed += snapshot => { throw new InvalidOperationException("changed"); };
        bench.Inbox.Received += one => { throw new InvalidOperationException("received"); };
        bench.Inbox.StateChanged += state => { throw new InvalidOperationException("state"); };
        bench.Inbox.Received += one => calls += 1;
        bench.Accept();
        bench.Change(model => model.Publish());
        bench.Change(model => model.Publish());
        Expecting.Equal(2, calls);
        Expecting.Listed(bench.Told, "000001", "000002");
        Expecting.Equal(InboxStatus.Connected, bench.Inbox.State.Status);
        Expecting.Listed(bench.Thrown.Distinct(), "state", "changed", "received");
    }

    static void LoadsMore()
    {
        var bench = Bench.Connected(new InboxOptions { Limit = 1 }, PublishFour);
        Expecting.That(bench.Inbox.Snapshot.HasMore, "there are more");
        var loaded = bench.Inbox.LoadMoreAsync(2);
        bench.Settle();
        Expecting.That(loaded.IsCompleted, "they are loaded");
        Expecting.Equal("4, 4 of 4: 000004 000003 000002 000001", bench.Shown);
    }

    static void PublishFour(Bench bench)
    {
        for (var count = 0; count < 4; count++) bench.Model.Publish();
    }

    static string Message(string type, JObject data)
    {
        return new JObject { { "type", type }, { "data", data } }.ToString(Formatting.None);
    }
}
