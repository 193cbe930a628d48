using System;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;

namespace EdgeGameStorage
{
    /// <summary>Reads the notifications of an inbox one by one: one that can't be read leaves the others as they are.</summary>
    static class InboxNotification
    {
        /// <summary>The notification. One that can't be read has only its id and its state, so that it counts, and no data.</summary>
        public static Notification Read(JObject from)
        {
            try
            {
                return Notification.Read(from);
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
    }
}
