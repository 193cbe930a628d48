using System;
using System.Threading;
using System.Threading.Tasks;

namespace EdgeGameStorage
{
    /// <summary>
    /// A client of the service, for the user of the token. Its methods return on the thread, or rather the SynchronizationContext, that
    /// called them: in Unity on the main thread. It has a method for each operation (Generated/Operations.cs), and what takes several
    /// requests: <c>UploadFileAsync</c>, <c>DownloadAsync</c>, <c>Saves</c> and <c>Inbox</c>.
    /// </summary>
    /// <example><code>
    /// using (var storage = new GameStorage("https://storage.example.com", (renew, cancel) => login.GetTokenAsync(renew)))
    ///     await storage.Saves.WriteAsync("slot-1", bytes);
    /// </code></example>
    public sealed partial class GameStorage : IDisposable
    {
        readonly Transport transport;
        readonly CancellationTokenSource disposing = new CancellationTokenSource();
        readonly bool ownsPlatform;
        readonly MutedUsers mutedUsers;

        /// <param name="url">The address of the service without <c>/v1</c>.</param>
        /// <param name="token">Returns the user's token.</param>
        /// <param name="options">Null: the defaults.</param>
        public GameStorage(string url, TokenProvider token, GameStorageOptions options = null)
        {
            var address = Paths.ServiceAddress(url);
            if (token == null) throw new ArgumentNullException("token");
            options = options ?? new GameStorageOptions();
            var timeout = options.TimeoutOrMost;
            ownsPlatform = options.Platform == null;
            var platform = options.Platform ?? DefaultPlatform.Make();
            inboxOptions = options.Inbox;
            transport = new Transport(address, token, options, platform, timeout, disposing.Token);
            mutedUsers = new MutedUsers(this);
        }

        GameStorage(GameStorage actor, string userId, string reason)
        {
            if (string.IsNullOrEmpty(userId)) throw new ArgumentException("userId is missing.", "userId");
            disposing = CancellationTokenSource.CreateLinkedTokenSource(actor.disposing.Token);
            transport = actor.transport.OnBehalfOf(userId, reason, disposing.Token);
            mutedUsers = new MutedUsers(this);
        }

        /// <summary>
        /// A client that does everything for a player, as the player's own would, with this client's token: of support or of a server,
        /// with the scope <c>players:write</c>, to read <c>players:read</c>, for saves <c>saves:write</c> or <c>saves:read</c>. Disposing
        /// this client ends it, too.
        /// </summary>
        /// <param name="userId">The player.</param>
        /// <param name="reason">Why, for the audit. What changes something needs one, except under the scopes of saves.</param>
        public GameStorage OnBehalfOf(string userId, string reason = null)
        {
            return new GameStorage(this, userId, reason);
        }

        /// <summary>
        /// Ends the inbox, the sending of saves that wait, and requests: methods under way throw <see cref="ObjectDisposedException"/>.
        /// </summary>
        public void Dispose()
        {
            CloseInbox(); // Before requests end, which its handlers would be told.
            disposing.Cancel();
            if (ownsPlatform) transport.Platform.Dispose();
        }
    }
}
