namespace EdgeGameStorage
{
    /// <summary>A request for a page. Only the answer to the latest request is accepted.</summary>
    sealed class InboxPageRequest
    {
        public InboxPageRequest(InboxView origin, int limit)
        {
            Base = origin;
            Offset = origin == null ? 0 : origin.Notifications.Count;
            Limit = limit;
        }

        /// <summary>The view that the page extends; null: it begins the list.</summary>
        public InboxView Base { get; }

        public int Offset { get; }

        public int Limit { get; }
    }

    enum PageOutcome
    {
        Added,

        /// <summary>The page is newer than the replica: offer it again after the next event.</summary>
        Ahead,

        /// <summary>Request a page again.</summary>
        Outdated,

        /// <summary>The inbox is older than the replica. The list has to be read again.</summary>
        Behind,
    }
}
