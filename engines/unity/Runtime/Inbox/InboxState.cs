using System;

namespace EdgeGameStorage
{
    /// <summary>What an inbox does at the moment.</summary>
    public enum InboxStatus
    {
        /// <summary>It connects, or reads the list.</summary>
        Connecting,

        /// <summary>The list and the unread count are up to date.</summary>
        Connected,

        /// <summary>It connects again after <see cref="InboxState.Delay"/>.</summary>
        Retrying,

        /// <summary>The user has opened too many connections. It connects when the game calls <see cref="Inbox.Reconnect"/>.</summary>
        Replaced,

        /// <summary>The game has closed it. Final.</summary>
        Closed,

        /// <summary>The service refuses the user; <see cref="InboxState.Error"/> says why. Final.</summary>
        Refused,

        /// <summary>The user has been erased. Final.</summary>
        Erased,
    }

    /// <summary>The state of an inbox's connection.</summary>
    public sealed class InboxState
    {
        internal InboxState(InboxStatus status, Exception error = null, TimeSpan? delay = null)
        {
            Status = status;
            Error = error;
            Delay = delay;
        }

        public InboxStatus Status { get; }

        /// <summary>Why it is not connected; null when nothing has failed.</summary>
        public Exception Error { get; }

        /// <summary>With <see cref="InboxStatus.Retrying"/>: how long it waits.</summary>
        public TimeSpan? Delay { get; }

        /// <summary>Whether the inbox has ended for good.</summary>
        public bool IsFinal
        {
            get { return Status == InboxStatus.Closed || Status == InboxStatus.Refused || Status == InboxStatus.Erased; }
        }

        internal bool IsWaiting
        {
            get { return Status == InboxStatus.Retrying || Status == InboxStatus.Replaced; }
        }

        /// <summary>The error that explains why the inbox has ended.</summary>
        internal Exception Reason
        {
            get { return Error ?? new InboxException(InboxErrorCodes.Closed, "The inbox has been closed."); }
        }
    }
}
