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
