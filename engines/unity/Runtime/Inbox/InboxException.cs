namespace EdgeGameStorage
{
    /// <summary>Why an inbox is not connected, when the service has not refused a request. <c>Code</c> is one of <see cref="InboxErrorCodes"/>.</summary>
    public sealed class InboxException : StorageException
    {
        internal InboxException(string code, string message)
            : base(code, message)
        {
        }
    }

    /// <summary>The codes of an <see cref="InboxException"/>.</summary>
    public static class InboxErrorCodes
    {
        /// <summary>The connection ended, or the service stopped answering on it.</summary>
        public const string ConnectionLost = "CONNECTION_LOST";

        /// <summary>No socket could be opened, although the service answers requests: a proxy may block WebSockets.</summary>
        public const string SocketNotOpened = "SOCKET_NOT_OPENED";

        /// <summary>The service sent a message that this version of the client can't parse.</summary>
        public const string Unreadable = "UNREADABLE";

        /// <summary>The user has opened more sockets than the service allows, and this was the oldest.</summary>
        public const string Replaced = "REPLACED";

        /// <summary>The user has been erased.</summary>
        public const string UserErased = "USER_ERASED";

        /// <summary>The token is not a JWT.</summary>
        public const string InvalidToken = "INVALID_TOKEN";

        /// <summary>The game has closed the inbox.</summary>
        public const string Closed = "CLOSED";
    }
}
