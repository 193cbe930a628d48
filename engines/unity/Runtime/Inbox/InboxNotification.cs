using System;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;

namespace EdgeGameStorage
{
    /// <summary>Reads the notifications of an inbox one by one: one that can't be read leaves the others as they are.</summary>
    static class InboxNotification
    {
        /// <summary>The most levels of a notification's data: as many as the service takes, and Newtonsoft's readers by default.</summary>
        const int MaxLevels = 64;

        /// <summary>The notification. One that can't be read has only its id and its state, so that it counts, and no data.</summary>
        public static Notification Read(JObject from)
        {
            try
            {
                var notification = Notification.Read(from);
                CheckLevels(notification.Data);
                return notification;
            }
            catch (Exception error) when (error is FormatException || error is OverflowException || error is JsonException)
            {
                var isRead = (from["state"] as JValue)?.Value as string == "read";
                return new Notification
                {
                    Id = Json.Required(Json.Text(from, "id"), "id"),
                    State = isRead ? NotificationState.Read : NotificationState.Unread,
                };
            }
        }

        /// <summary>Throws <see cref="JsonException"/> for data in which games that follow its levels could exhaust the stack.</summary>
        static void CheckLevels(JObject data)
        {
            using (var reader = new JTokenReader(data) { MaxDepth = MaxLevels })
                while (reader.Read())
                {
                }
        }
    }
}
