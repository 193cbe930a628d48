using System;
using System.Collections.Generic;
using Newtonsoft.Json.Linq;

namespace EdgeGameStorage
{
    enum InboxMessageKind
    {
        /// <summary>The first message of a socket.</summary>
        Ready,

        /// <summary>A new notification.</summary>
        Added,

        Read,

        Deleted,

        /// <summary>A change that a later version of the service has, or that can't be read. The list is read again.</summary>
        UnknownChange,

        /// <summary>A notification that nothing keeps. It is no change to the inbox.</summary>
        Signal,

        /// <summary>A message without a seq that a later version of the service has. It is ignored.</summary>
        Unnumbered,
    }

    /// <summary>A message of the socket. /asyncapi.json describes them.</summary>
    sealed class InboxMessage
    {
        public InboxMessageKind Kind { get; private set; }

        /// <summary>Numbers the changes to an inbox, without gaps.</summary>
        public long Seq { get; private set; }

        /// <summary>How many notifications are unread at that seq.</summary>
        public long Unread { get; private set; }

        /// <summary>Of <c>Ready</c>: whether every event after the socket's <c>after</c> follows. Otherwise the list is read again.</summary>
        public bool IsRecovered { get; private set; }

        /// <summary>Of <c>Added</c> and <c>Signal</c>.</summary>
        public Notification Notification { get; private set; }

        /// <summary>Of <c>Read</c> and <c>Deleted</c>: which; null: all.</summary>
        public IReadOnlyList<string> Ids { get; private set; }

        /// <summary>Parses a message; null when the text is no valid message.</summary>
        public static InboxMessage Parse(string text)
        {
            var from = Json.TryParse(text);
            if (from == null) return null;
            try
            {
                return Read(from);
            }
            catch (FormatException)
            {
                return null;
            }
            catch (OverflowException)
            {
                return null; // A number of more than 64 bits.
            }
        }

        static InboxMessage Read(JObject from)
        {
            var type = Json.Required(Json.Text(from, "type"), "type");
            if (type == "signal") return new InboxMessage { Kind = InboxMessageKind.Signal, Notification = InboxNotification.Read(Data(from)) };
            if (from["seq"] == null) return new InboxMessage { Kind = InboxMessageKind.Unnumbered };
            var message = new InboxMessage { Kind = KindOf(type), Seq = Count(from, "seq"), Unread = Count(from, "unread") };
            if (type == "ready") message.IsRecovered = Json.Required(Json.Boolean(Data(from), "recovered"), "recovered");
            else message.ReadChange(type, from);
            return message;
        }

        /// <summary>A change whose data can't be read is one that this version does not know.</summary>
        void ReadChange(string type, JObject from)
        {
            try
            {
                if (type == "notification") Notification = InboxNotification.Read(Data(from));
                if (type == "notification_deleted") Ids = new[] { Json.Required(Json.Text(Data(from), "notification_id"), "notification_id") };
                if (type == "notifications_read" || type == "notifications_deleted") Ids = IdsOf(Data(from));
            }
            catch (FormatException)
            {
                Kind = InboxMessageKind.UnknownChange;
            }
        }

        static InboxMessageKind KindOf(string type)
        {
            switch (type)
            {
                case "ready": return InboxMessageKind.Ready;
                case "notification": return InboxMessageKind.Added;
                case "notifications_read": return InboxMessageKind.Read;
                case "notification_deleted": return InboxMessageKind.Deleted;
                case "notifications_deleted": return InboxMessageKind.Deleted;
                default: return InboxMessageKind.UnknownChange;
            }
        }

        /// <summary>Null means all, so a member that is missing is a mistake.</summary>
        static IReadOnlyList<string> IdsOf(JObject data)
        {
            Json.Required(data["notification_ids"], "notification_ids");
            return Json.Texts(data, "notification_ids");
        }

        static JObject Data(JObject from)
        {
            return Json.Required(Json.Object(from, "data"), "data");
        }

        static long Count(JObject from, string name)
        {
            var count = Json.Required(Json.Integer(from, name), name);
            if (count < 0) throw new FormatException("The member " + name + " is below zero.");
            return count;
        }
    }
}
