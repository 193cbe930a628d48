using System;
using System.Collections.Generic;
using System.Linq;
using EdgeGameStorage;
using Newtonsoft.Json.Linq;

/// <summary>
/// A replica of an inbox, with everything between them: messages under way on a socket, a page that has been asked for, changes of this
/// device. After each step, what is shown is what the inbox was at that seq. As test/client/inbox/simulation.ts.
/// </summary>
sealed class InboxSimulation
{
    readonly ModelInbox inbox = new ModelInbox(6);
    readonly InboxReplica replica;
    readonly Random random;
    readonly List<string> received = new List<string>();
    Queue<string> socket;
    bool isReady;
    InboxPageRequest request;
    NotificationPage answer;
    int? firstSeq;
    long? seq;
    /// <summary>How many steps changes of this device may still differ from the service.</summary>
    readonly List<OwnChange> own = new List<OwnChange>();
    readonly List<OwnChange> made = new List<OwnChange>();

    public InboxSimulation(int wanted, Random random)
    {
        replica = new InboxReplica(wanted);
        this.random = random;
    }

    public List<string> Told { get; } = new List<string>();

    /// <summary>The parts of the inbox's history that a new list has jumped over: after the first seq, up to the second.</summary>
    public List<long[]> Jumps { get; } = new List<long[]>();

    public void Step()
    {
        var draw = random.Next(100);
        if (draw < 16) Change(model => model.Publish());
        else if (draw < 20) Change(model => model.MarkRead(random.Next(4) == 0 ? null : Picked(2)));
        else if (draw < 24) Change(model => model.Delete(Picked(1).FirstOrDefault()));
        else if (draw < 28) Change(model => model.DeleteMany(random.Next(6) == 0 ? null : Picked(3)));
        else if (draw < 29) Change(model => model.ChangeUnknown());
        else if (draw < 38) Connect();
        else if (draw < 42) Cut();
        else if (draw < 64) Deliver();
        else if (draw < 67) Repeat();
        else if (draw < 76) AskForPage();
        else if (draw < 84) AnswerPage();
        else if (draw < 89) Offer();
        else if (draw < 91) LosePage();
        else if (draw < 92) replica.WantMore(random.Next(8));
        else if (draw < 96) ChangeOwn();
        else SettleOwn(random.Next(3));
    }

    /// <summary>What holds after each step.</summary>
    public void Check()
    {
        Told.AddRange(replica.TakeNew().Select(one => one.Id));
        var view = replica.View;
        if (view == null) return;
        if (seq != null && view.Seq > seq + 1) Jumps.Add(new[] { seq.Value, view.Seq });
        Expecting.That(seq == null || view.Seq >= seq, "no step back");
        seq = view.Seq;
        var standing = inbox.History[(int)view.Seq];
        Expecting.That(view.Notifications.Count(IsUnread) <= view.Unread, "no more unread ones than it counts");
        var isAhead = own.Concat(made).Any(change => standing.Notifications.Any(
            one => change.Ids.Contains((string)one["id"]) && (change.IsDeletion || (string)one["state"] == "unread")));
        if (!isAhead) Expecting.Equal(standing.Text(view.Notifications.Count), Standing.Text(view));
    }

    /// <summary>Everything under way arrives, until nothing more happens. Then the replica is the inbox, and all has been told.</summary>
    public void Finish()
    {
        while (own.Count > 0) SettleOwn(0);
        for (var step = 0; socket == null || socket.Count > 0 || replica.NeedsPage; step++)
        {
            Expecting.That(step < 1000, "the replica comes to rest");
            if (!replica.IsStale) Connect();
            Deliver();
            if (request == null) AskForPage();
            AnswerPage();
            Offer();
            Check();
        }
        Expecting.That(replica.IsComplete, "the view is up to date");
        Expecting.Equal(inbox.Now.Text(replica.View.Notifications.Count), Standing.Text(replica.View));
        var later = inbox.Published.Where(one => one.Value > firstSeq).ToList();
        var wasTold = new HashSet<string>(Told);
        Expecting.Listed(Told, later.Select(one => one.Key).Where(wasTold.Contains).ToArray());
        foreach (var one in later)
        {
            var deleted = inbox.DeletedAt(one.Key, one.Value);
            var isOver = Jumps.Any(jump => jump[0] < one.Value && deleted <= jump[1]);
            Expecting.That(wasTold.Contains(one.Key) || isOver, "the notification " + one.Key + " is told");
        }
    }

    void Change(Action<ModelInbox> change)
    {
        var before = inbox.Seq;
        change(inbox);
        if (socket != null)
            foreach (var message in inbox.Since(before)) socket.Enqueue(message);
    }

    List<string> Picked(int count)
    {
        var ids = inbox.Ids;
        return Enumerable.Range(0, Math.Min(count, ids.Count)).Select(one => ids[random.Next(ids.Count)]).Distinct().ToList();
    }

    void Connect()
    {
        if (socket != null) return;
        socket = new Queue<string>(inbox.Connect(replica.Seq));
        received.Clear();
        isReady = false;
    }

    void Cut()
    {
        socket = null;
    }

    /// <summary>Takes the next message of the socket.</summary>
    void Deliver()
    {
        if (socket == null || socket.Count == 0) return;
        var text = socket.Dequeue();
        var message = InboxMessage.Parse(text);
        if (message.Kind == InboxMessageKind.Ready)
        {
            isReady = true;
            replica.Ready(message);
        }
        else
        {
            received.Add(text);
            Receive(message);
        }
        Offer();
    }

    /// <summary>Takes a message of this socket a second time.</summary>
    void Repeat()
    {
        if (isReady && socket != null && received.Count > 0) Receive(InboxMessage.Parse(received[random.Next(received.Count)]));
    }

    void Receive(InboxMessage message)
    {
        if (!replica.Receive(message)) Cut();
    }

    void AskForPage()
    {
        if (!replica.NeedsPage) return;
        request = replica.RequestPage();
        answer = null;
    }

    void AnswerPage()
    {
        if (request == null || answer != null) return;
        var headers = new Dictionary<string, string> { { "X-Inbox-Seq", inbox.Seq.ToString() } };
        answer = NotificationPage.Read(inbox.Page(request.Limit, request.Offset), new HttpAnswer(200, headers, new byte[0]));
    }

    void Offer()
    {
        if (request == null || answer == null) return;
        var outcome = replica.Accept(request, answer);
        if (outcome == PageOutcome.Added && firstSeq == null) firstSeq = (int)answer.Seq;
        if (outcome != PageOutcome.Ahead) LosePage();
    }

    void LosePage()
    {
        request = null;
        answer = null;
    }

    /// <summary>This device marks some as read, or deletes them; the change is shown at once.</summary>
    void ChangeOwn()
    {
        if (replica.View == null || replica.View.Notifications.Count == 0) return;
        var shown = replica.View.Notifications;
        var ids = Enumerable.Range(0, 1 + random.Next(3)).Select(one => shown[random.Next(shown.Count)].Id).Distinct().ToList();
        var isDeletion = random.Next(2) == 0;
        var revert = isDeletion ? replica.Own.Delete(ids) : replica.Own.Read(ids);
        own.Add(new OwnChange { Ids = ids, IsDeletion = isDeletion, Revert = revert });
        Expecting.That(
            replica.View.Notifications.All(one => !ids.Contains(one.Id) || (!isDeletion && one.State == NotificationState.Read)), "it is shown at once");
    }

    /// <summary>A change of this device is made, refused, or made although its answer is lost.</summary>
    void SettleOwn(int outcome)
    {
        if (own.Count == 0) return;
        var change = own[0];
        own.RemoveAt(0);
        if (outcome != 1) Change(model => (change.IsDeletion ? (Action<IReadOnlyList<string>>)model.DeleteMany : model.MarkRead)(change.Ids));
        if (outcome == 0) made.Add(change);
        else change.Revert();
    }

    static bool IsUnread(Notification notification)
    {
        return notification.State == NotificationState.Unread;
    }

    /// <summary>A change that this device has asked for.</summary>
    sealed class OwnChange
    {
        public List<string> Ids { get; set; }

        public bool IsDeletion { get; set; }

        public Action Revert { get; set; }
    }
}
