using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Newtonsoft.Json.Linq;

namespace EdgeGameStorage
{
    /// <summary>The requests of an inbox.</summary>
    sealed class InboxService
    {
        const string Protocol = "notifications.v1";

        readonly Transport transport;

        public InboxService(Transport transport)
        {
            this.transport = transport;
        }

        public IPlatform Platform
        {
            get { return transport.Platform; }
        }

        public Task<string> TokenAsync(bool renew, CancellationToken cancel)
        {
            return transport.Tokens.GetAsync(renew, cancel);
        }

        /// <summary>The request of a socket that continues after a seq; null: it begins at the present one.</summary>
        public SocketCall Socket(long? after, string token)
        {
            var address = "ws" + transport.BaseUrl.Substring("http".Length);
            var request = new Request("GET /v1/notifications/ws", "/v1/notifications/ws").With("after", after);
            return new SocketCall(address + request.Path + request.Query, Protocol, token, UserAgent.Value);
        }

        /// <summary>Lists a page. The transport does not repeat it: the inbox does, and tells the failure each time.</summary>
        public Task<NotificationPage> ListAsync(InboxPageRequest page, CancellationToken cancel)
        {
            var request = new Request("GET /v1/notifications", "/v1/notifications").With("limit", page.Limit).With("offset", page.Offset);
            return transport.SendAsync(request, ReadPage, cancel);
        }

        static NotificationPage ReadPage(JObject from, HttpAnswer answer)
        {
            return new NotificationPage
            {
                Notifications = Json.Required(Json.List(from, "notifications", InboxNotification.Read), "notifications"),
                Total = Json.Required(Json.Integer(from, "total"), "total"),
                Unread = Json.Required(Json.Integer(from, "unread"), "unread"),
                Seq = Json.HeaderInteger(answer, "X-Inbox-Seq"),
            };
        }

        /// <summary>Ends when the service accepts the user's token; otherwise throws the reason.</summary>
        public Task CheckAsync(CancellationToken cancel)
        {
            return transport.SendAsync(new Request("GET /v1/notifications/unread-count", "/v1/notifications/unread-count"), cancel);
        }

        /// <summary>Marks these notifications as read; null: all, which a repetition would do to later ones, too.</summary>
        public Task MarkReadAsync(IReadOnlyList<string> ids, CancellationToken cancel)
        {
            var request = new Request("POST /v1/notifications/read", "/v1/notifications/read") { IsRepeatable = ids != null };
            return transport.SendAsync(request.WithJson(new ReadNotifications { NotificationIds = ids }.ToJson()), cancel);
        }

        /// <summary>Deletes a notification. Ends also when it no longer exists.</summary>
        public async Task DeleteAsync(string id, CancellationToken cancel)
        {
            var request = new Request("DELETE /v1/notifications/{id}", "/v1/notifications/" + Paths.Part("id", id)) { IsRepeatable = true };
            try
            {
                await transport.SendAsync(request, cancel);
            }
            catch (StorageException error) when (error.Code == ErrorCodes.NotificationNotFound)
            {
            }
        }

        /// <summary>Deletes these, or all that match, of which a repetition would delete later ones, too.</summary>
        public Task DeleteSelectedAsync(DeleteNotifications selection, CancellationToken cancel)
        {
            var request = new Request("POST /v1/notifications/delete", "/v1/notifications/delete") { IsRepeatable = selection.NotificationIds != null };
            return transport.SendAsync(request.WithJson(selection.ToJson()), cancel);
        }
    }
}
