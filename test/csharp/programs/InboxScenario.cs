using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using EdgeGameStorage;

/// <summary>What test/csharp/inbox-scenario.ts does, with this client.</summary>
static class InboxScenario
{
    public static async Task Use(Game game)
    {
        using (var storage = game.Open())
        {
            var seen = await Seen(game);
            await storage.CreateContentAsync(
                new HttpBody(Encoding.UTF8.GetBytes(seen)), "text/plain", new CreateContentQuery { Name = "inbox.txt" });
        }
    }

    static async Task<string> Seen(Game game)
    {
        var seen = new List<string>();
        var service = new GameStorage(game.Url, (renew, cancel) => Task.FromResult(game.Social));
        var second = game.Open();
        for (var number = 1; number <= 3; number++) await service.PublishNotificationAsync(Gift(game, "shop.gift", number));

        var inbox = game.Open(new GameStorageOptions { Inbox = new InboxOptions { Limit = 2 } }).Inbox;
        inbox.Received += one => seen.Add("told " + one.Type + " " + one.Data);
        inbox.Signalled += one => seen.Add("signal " + one.Type + " " + one.Data);
        var context = SynchronizationContext.Current;
        inbox.Changed += snapshot => Expecting.That(context == null || SynchronizationContext.Current == context, "the context that opened it");
        await inbox.WaitUntilReadyAsync();
        Note(seen, "the newest two", inbox);
        await inbox.LoadMoreAsync();
        Note(seen, "all", inbox);
        await Until(inbox, () => inbox.State.Status == InboxStatus.Connected);

        var friend = "{ \"from_user_id\": 7, \"from_display_name\": \"Grace\" }";
        await service.PublishNotificationAsync(new PublishNotification { UserId = game.User, Type = NotificationTypes.FriendRequest, Data = friend, Region = Region.Oc });
        var signal = Gift(game, "shop.turn", 4);
        signal.Persistent = false;
        await service.PublishNotificationAsync(signal);
        var data = "{ \"number\": 5 }";
        await service.PublishNotificationsAsync(new PublishBatch { UserIds = new[] { game.User, "bob" }, Type = "shop.gift", Data = data, Region = Region.Weur });
        await Until(inbox, () => seen.Count == 5);
        Note(seen, "five, and a signal", inbox);
        Expecting.That(inbox.Snapshot.Notifications[1].Friend().FromDisplayName == "Grace", "the friend");
        Expecting.That(inbox.Snapshot.Notifications[0].Friend() == null, "no friend of a gift");

        var ids = inbox.Snapshot.Notifications.Select(one => one.Id).ToList();
        await second.MarkNotificationsReadAsync(new ReadNotifications { NotificationIds = new[] { ids[4] } });
        await Until(inbox, () => inbox.Snapshot.Seq == 6);
        await inbox.MarkReadAsync(new[] { ids[0], ids[1] });
        await Until(inbox, () => inbox.Snapshot.Seq == 7);
        Note(seen, "three are read", inbox);
        await inbox.DeleteAsync(ids[2]);
        await Until(inbox, () => inbox.Snapshot.Seq == 8);
        await inbox.DeleteAsync(ids[2]);
        await second.DeleteNotificationsAsync(new DeleteNotifications { NotificationIds = new[] { ids[4], ids[3] } });
        await Until(inbox, () => inbox.Snapshot.Seq == 9);
        Note(seen, "two are left", inbox);
        await service.PublishNotificationAsync(Gift(game, "shop.gift", 6));
        await Until(inbox, () => inbox.Snapshot.Seq == 10 && seen.Count == 9);
        await inbox.DeleteReadAsync();
        await Until(inbox, () => inbox.Snapshot.Seq == 11);
        Note(seen, "the new one is left", inbox);
        await inbox.DeleteManyAsync(new string[0]);
        await inbox.MarkAllReadAsync();
        await service.PublishNotificationAsync(Gift(game, "shop.gift", 7));
        await Until(inbox, () => inbox.Snapshot.Seq == 13 && seen.Count == 11);
        Note(seen, "one is read", inbox);
        inbox.Close();
        await Until(inbox, () => inbox.State.IsFinal);
        seen.Add("closed");

        var refused = new GameStorage(game.Url, (renew, cancel) => Task.FromResult(game.Argument));
        seen.Add((await Expecting.Error<StorageException>(() => refused.Inbox.WaitUntilReadyAsync())).Code);
        return string.Join("\n", seen);
    }

    static PublishNotification Gift(Game game, string type, int number)
    {
        return new PublishNotification { UserId = game.User, Type = type, Data = "{ \"number\": " + number + " }" };
    }

    static void Note(List<string> seen, string what, Inbox inbox)
    {
        var shown = inbox.Snapshot;
        var list = shown.Notifications.Select(
            one => one.Type + " " + one.Data + " " + (one.State == NotificationState.Read ? "read" : "unread"));
        seen.Add(
            what + ": " + shown.Unread + " of " + shown.Total + " at " + shown.Seq + (shown.HasMore ? ", and more" : "") + ": "
            + string.Join(", ", list));
    }

    /// <summary>Waits until something holds, which is asked at each event of an inbox.</summary>
    static async Task Until(Inbox inbox, Func<bool> isReached)
    {
        var reached = new TaskCompletionSource<bool>();
        Action check = () =>
        {
            if (isReached()) reached.TrySetResult(true);
        };
        Action<InboxSnapshot> changed = snapshot => check();
        Action<Notification> told = notification => check();
        Action<InboxState> state = now => check();
        inbox.Changed += changed;
        inbox.Received += told;
        inbox.Signalled += told;
        inbox.StateChanged += state;
        check();
        await reached.Task;
        inbox.Changed -= changed;
        inbox.Received -= told;
        inbox.Signalled -= told;
        inbox.StateChanged -= state;
    }
}
