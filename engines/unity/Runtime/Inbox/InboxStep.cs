using System;

namespace EdgeGameStorage
{
    enum InboxNext
    {
        /// <summary>It connects with a new token.</summary>
        Renew,

        /// <summary>It connects after a while.</summary>
        Retry,

        /// <summary>It connects when the game asks for it.</summary>
        Pause,

        /// <summary>It ends.</summary>
        Stop,
    }

    /// <summary>What an inbox does after a connection has ended.</summary>
    sealed class InboxStep
    {
        const int TokenExpired = 4401;
        const int UserErased = 4410;
        const int Replaced = 4429;

        InboxStep(InboxNext next, Exception error, InboxStatus end = InboxStatus.Refused)
        {
            Next = next;
            Error = error;
            End = end;
        }

        public InboxNext Next { get; }

        /// <summary>Null with <see cref="InboxNext.Renew"/>.</summary>
        public Exception Error { get; }

        /// <summary>With <see cref="InboxNext.Stop"/>: how the inbox ends.</summary>
        public InboxStatus End { get; }

        /// <summary>How long the service asks to wait.</summary>
        public TimeSpan Asked
        {
            get
            {
                var refusal = Error as StorageException;
                return TimeSpan.FromSeconds(refusal == null ? 0 : refusal.RetryAfterSeconds ?? 0);
            }
        }

        public static InboxStep Renew()
        {
            return new InboxStep(InboxNext.Renew, null);
        }

        /// <summary>
        /// The step after a socket has ended (docs/notifications.md#the-socket). Null: send a request to learn the reason.
        /// </summary>
        public static InboxStep AfterSocket(SocketEnd end)
        {
            if (end.Kind == SocketEndKind.Unreadable)
                return Retry(InboxErrorCodes.Unreadable, "The service sent a message that this client does not understand.");
            if (end.Kind == SocketEndKind.Closed)
                switch (end.Code)
                {
                    case TokenExpired:
                        return Renew();
                    case UserErased:
                        var erased = new InboxException(InboxErrorCodes.UserErased, "The user has been erased.");
                        return new InboxStep(InboxNext.Stop, erased, InboxStatus.Erased);
                    case Replaced:
                        var replaced = new InboxException(
                            InboxErrorCodes.Replaced, "Newer connections of this user have taken the place of this one.");
                        return new InboxStep(InboxNext.Pause, replaced);
                }
            return end.WasReady ? Retry(InboxErrorCodes.ConnectionLost, "The connection was lost.") : null;
        }

        /// <summary>The step after a socket could not be opened although the service answered a request.</summary>
        public static InboxStep AfterRefusedSocket()
        {
            return Retry(InboxErrorCodes.SocketNotOpened, "The service answers, but a WebSocket could not be opened.");
        }

        /// <summary>The step after a request of the inbox, or the token provider, has failed.</summary>
        public static InboxStep AfterError(Exception error)
        {
            if (error is InboxException) return new InboxStep(InboxNext.Stop, error);
            var refusal = error as StorageException;
            if (refusal == null || !refusal.IsOfService || IsTemporary(refusal.Status)) return new InboxStep(InboxNext.Retry, error);
            return new InboxStep(InboxNext.Stop, error);
        }

        /// <summary>Whether the same request may succeed later.</summary>
        static bool IsTemporary(int status)
        {
            return status >= 500 || status == 408 || status == 425 || status == 429;
        }

        static InboxStep Retry(string code, string message)
        {
            return new InboxStep(InboxNext.Retry, new InboxException(code, message));
        }
    }
}
