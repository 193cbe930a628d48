using System;

namespace EdgeGameStorage
{
    /// <summary>The service's own types of notifications. A type of the game's own has a dot, and any data.</summary>
    public static class NotificationTypes
    {
        public const string FriendRequest = "friend_request";

        public const string FriendAccepted = "friend_accepted";

        /// <summary>Somebody has shared a file with the player, where the operator has turned it on.</summary>
        public const string FileShared = "file.shared";

        /// <summary>A moderator has decided about something of the player's, or about the player.</summary>
        public const string DecisionMade = "moderation.decision";

        /// <summary>A moderator has decided about what the player has reported.</summary>
        public const string ReportDecided = "moderation.report_decided";

        /// <summary>A moderator has answered the player's appeal.</summary>
        public const string AppealDecided = "moderation.appeal_decided";
    }

    /// <summary>The data of a <see cref="NotificationTypes.FriendRequest"/> or <see cref="NotificationTypes.FriendAccepted"/>.</summary>
    public sealed class FriendData
    {
        public long FromUserId { get; internal set; }

        public string FromDisplayName { get; internal set; }
    }

    /// <summary>The data of a <see cref="NotificationTypes.FileShared"/>.</summary>
    public sealed class SharedFileData
    {
        public string ShareId { get; internal set; }

        public string FileId { get; internal set; }

        public string OwnerId { get; internal set; }

        public string Name { get; internal set; }
    }

    /// <summary>The data of a <see cref="NotificationTypes.DecisionMade"/>.</summary>
    public sealed class DecisionMadeData
    {
        public string DecisionId { get; internal set; }

        public TargetType TargetType { get; internal set; }

        public string TargetId { get; internal set; }

        /// <summary>The name of the thing; null for a user.</summary>
        public string Name { get; internal set; }

        public DecisionAction Action { get; internal set; }
    }

    /// <summary>The data of a <see cref="NotificationTypes.ReportDecided"/>.</summary>
    public sealed class ReportDecidedData
    {
        public string ReportId { get; internal set; }

        public TargetType TargetType { get; internal set; }

        public string TargetId { get; internal set; }

        public DecisionAction Action { get; internal set; }
    }

    /// <summary>The data of a <see cref="NotificationTypes.AppealDecided"/>.</summary>
    public sealed class AppealDecidedData
    {
        public string DecisionId { get; internal set; }

        public AppealOutcome Outcome { get; internal set; }
    }

    /// <summary>Reads the data of the service's own types of notifications.</summary>
    public static class NotificationDataReading
    {
        /// <summary>The friend of a notification; null when it is of another type.</summary>
        public static FriendData Friend(this Notification notification)
        {
            if (notification.Type != NotificationTypes.FriendRequest && notification.Type != NotificationTypes.FriendAccepted) return null;
            return Read(notification.Data, from => new FriendData
            {
                FromUserId = Json.Required(from.GetInt64("from_user_id"), "from_user_id"),
                FromDisplayName = Json.Required(from.GetString("from_display_name"), "from_display_name"),
            });
        }

        /// <summary>The file of a notification; null when it is of another type.</summary>
        public static SharedFileData SharedFile(this Notification notification)
        {
            if (notification.Type != NotificationTypes.FileShared) return null;
            return Read(notification.Data, from => new SharedFileData
            {
                ShareId = Json.Required(from.GetString("share_id"), "share_id"),
                FileId = Json.Required(from.GetString("file_id"), "file_id"),
                OwnerId = Json.Required(from.GetString("owner_id"), "owner_id"),
                Name = Json.Required(from.GetString("name"), "name"),
            });
        }

        /// <summary>The decision of a notification; null when it is of another type.</summary>
        public static DecisionMadeData DecisionMade(this Notification notification)
        {
            if (notification.Type != NotificationTypes.DecisionMade) return null;
            return Read(notification.Data, from => new DecisionMadeData
            {
                DecisionId = Json.Required(from.GetString("decision_id"), "decision_id"),
                TargetType = TypeOf(TargetOf(from)),
                TargetId = Json.Required(TargetOf(from).GetString("id"), "id"),
                Name = from.GetString("name"),
                Action = ActionOf(from),
            });
        }

        /// <summary>What became of a report; null when the notification is of another type.</summary>
        public static ReportDecidedData ReportDecided(this Notification notification)
        {
            if (notification.Type != NotificationTypes.ReportDecided) return null;
            return Read(notification.Data, from => new ReportDecidedData
            {
                ReportId = Json.Required(from.GetString("report_id"), "report_id"),
                TargetType = TypeOf(TargetOf(from)),
                TargetId = Json.Required(TargetOf(from).GetString("id"), "id"),
                Action = ActionOf(from),
            });
        }

        /// <summary>The answer to an appeal; null when the notification is of another type.</summary>
        public static AppealDecidedData AppealDecided(this Notification notification)
        {
            if (notification.Type != NotificationTypes.AppealDecided) return null;
            return Read(notification.Data, from => new AppealDecidedData
            {
                DecisionId = Json.Required(from.GetString("decision_id"), "decision_id"),
                Outcome = Json.Required(Enumerations.ReadAppealOutcome(from.GetString("outcome")), "outcome"),
            });
        }

        static JsonFields TargetOf(JsonFields from)
        {
            return Json.Required(from.GetFields("target"), "target");
        }

        static TargetType TypeOf(JsonFields target)
        {
            return Json.Required(Enumerations.ReadTargetType(target.GetString("type")), "type");
        }

        static DecisionAction ActionOf(JsonFields from)
        {
            return Json.Required(Enumerations.ReadDecisionAction(from.GetString("action")), "action");
        }

        /// <summary>Null when the data is not as this version of the client knows it.</summary>
        static T Read<T>(string data, Func<JsonFields, T> read)
            where T : class
        {
            try
            {
                return read(JsonFields.Parse(data));
            }
            catch (FormatException)
            {
                return null;
            }
        }
    }
}
