using System.Collections.Generic;
using System.IO;
using System.Linq;
using EdgeGameStorage;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;

/// <summary>How an inbox was at one seq.</summary>
sealed class Standing
{
    public Standing(IReadOnlyList<JObject> notifications)
    {
        Notifications = notifications;
        Unread = notifications.Count(one => (string)one["state"] == "unread");
    }

    /// <summary>Newest first.</summary>
    public IReadOnlyList<JObject> Notifications { get; }

    public int Unread { get; }

    /// <summary>The newest ones, as text.</summary>
    public string Text(int count)
    {
        return Unread + " of " + Notifications.Count + ": " + string.Join(" ", Notifications.Take(count).Select(one => (string)one["id"] + (string)one["state"]));
    }

    public static string Text(InboxView view)
    {
        var list = view.Notifications.Select(one => one.Id + (one.State == NotificationState.Read ? "read" : "unread"));
        return view.Unread + " of " + view.Total + ": " + string.Join(" ", list);
    }
}

/// <summary>An inbox like the service's, in memory, as test/client/inbox/model-inbox.ts. It remembers how it was at each seq.</summary>
sealed class ModelInbox
{
    readonly int keptEvents;
    readonly List<string> events = new List<string>();
    int made;

    /// <param name="keptEvents">How many events a socket may have missed.</param>
    public ModelInbox(int keptEvents)
    {
        this.keptEvents = keptEvents;
        History = new List<Standing> { new Standing(new JObject[0]) };
        Published = new List<KeyValuePair<string, int>>();
    }

    public List<Standing> History { get; }

    /// <summary>The id of each notification, with its seq.</summary>
    public List<KeyValuePair<string, int>> Published { get; }

    public int Seq
    {
        get { return History.Count - 1; }
    }

    public Standing Now
    {
        get { return History[Seq]; }
    }

    public IReadOnlyList<string> Ids
    {
        get { return Now.Notifications.Select(one => (string)one["id"]).ToList(); }
    }

    /// <param name="data">Its data, as JSON; null: that of a friend request.</param>
    public void Publish(string data = null)
    {
        made += 1;
        var id = made.ToString("D6");
        var notification = One(id, "friend_request");
        if (data != null)
            using (var reader = new JsonTextReader(new StringReader(data)) { MaxDepth = null })
                notification["data"] = JToken.ReadFrom(reader);
        Published.Add(new KeyValuePair<string, int>(id, Seq + 1));
        Change(new[] { notification }.Concat(Now.Notifications), "notification", notification);
    }

    /// <summary>Marks those with these ids as read; null: all.</summary>
    public void MarkRead(IReadOnlyList<string> ids)
    {
        var changed = Now.Notifications.Where(one => (string)one["state"] == "unread" && Has(ids, one)).Select(one => (string)one["id"]).ToList();
        if (changed.Count == 0) return;
        Change(Now.Notifications.Select(one => changed.Contains((string)one["id"]) ? Read(one) : one), "notifications_read", Named(ids, changed));
    }

    /// <summary>Deletes one with an event of its own.</summary>
    public void Delete(string id)
    {
        if (Ids.Contains(id)) Change(Without(new[] { id }), "notification_deleted", new JObject { { "notification_id", id } });
    }

    /// <summary>Deletes those with these ids with one event; null: all.</summary>
    public void DeleteMany(IReadOnlyList<string> ids)
    {
        var deleted = Now.Notifications.Where(one => Has(ids, one)).Select(one => (string)one["id"]).ToList();
        if (deleted.Count > 0) Change(Without(deleted), "notifications_deleted", Named(ids, deleted));
    }

    public void DeleteRead()
    {
        DeleteMany(Now.Notifications.Where(one => (string)one["state"] == "read").Select(one => (string)one["id"]).ToList());
    }

    /// <summary>A change that a later version of the service has. It takes all notifications away, which no known event does so.</summary>
    public void ChangeUnknown()
    {
        Change(new JObject[0], "renamed", new JObject());
    }

    public JObject Page(int limit, int offset)
    {
        var notifications = new JArray(Now.Notifications.Skip(offset).Take(limit));
        return new JObject { { "notifications", notifications }, { "total", Now.Notifications.Count }, { "unread", Now.Unread } };
    }

    /// <summary>The first messages of a socket.</summary>
    public IEnumerable<string> Connect(long? after)
    {
        var isRecovered = after <= Seq && Seq - after <= keptEvents;
        var seq = isRecovered ? (int)after.Value : Seq;
        return new[] { Message("ready", seq, new JObject { { "recovered", isRecovered } }) }.Concat(Since(seq));
    }

    public IEnumerable<string> Since(int seq)
    {
        return events.Skip(seq);
    }

    /// <summary>The seq at which a notification was deleted; null while it is there.</summary>
    public int? DeletedAt(string id, int published)
    {
        for (var seq = published; seq <= Seq; seq++)
            if (History[seq].Notifications.All(one => (string)one["id"] != id)) return seq;
        return null;
    }

    public static JObject One(string id, string type)
    {
        return new JObject
        {
            { "id", id },
            { "type", type },
            { "data", new JObject { { "from_user_id", 7 }, { "from_display_name", "Grace" } } },
            { "state", "unread" },
            { "created_at", 1800000000 },
        };
    }

    void Change(IEnumerable<JObject> notifications, string type, JObject data)
    {
        History.Add(new Standing(notifications.ToList()));
        events.Add(Message(type, Seq, data));
    }

    string Message(string type, int seq, JObject data)
    {
        var message = new JObject { { "type", type }, { "seq", seq }, { "unread", History[seq].Unread }, { "data", data } };
        return message.ToString(Formatting.None);
    }

    IEnumerable<JObject> Without(IReadOnlyList<string> ids)
    {
        return Now.Notifications.Where(one => !ids.Contains((string)one["id"]));
    }

    static JObject Read(JObject one)
    {
        return new JObject(one) { ["state"] = "read" };
    }

    static bool Has(IReadOnlyList<string> ids, JObject one)
    {
        return ids == null || ids.Contains((string)one["id"]);
    }

    static JObject Named(IReadOnlyList<string> ids, List<string> changed)
    {
        return new JObject { { "notification_ids", ids == null ? null : new JArray(changed) } };
    }
}
