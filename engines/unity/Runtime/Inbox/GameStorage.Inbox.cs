namespace EdgeGameStorage
{
    public sealed partial class GameStorage
    {
        readonly object inboxGate = new object();
        readonly InboxOptions inboxOptions;
        Inbox inbox;

        /// <summary>
        /// A live copy of the player's inbox, with the options <see cref="GameStorageOptions.Inbox"/>. The first use of this property
        /// opens it; <see cref="Dispose"/> or <see cref="Inbox.Close"/> ends it. Add your handlers where you first use it, and on the
        /// main thread: they are called in its SynchronizationContext. On behalf of a player there is none (<see cref="System.NotSupportedException"/>).
        /// </summary>
        public Inbox Inbox
        {
            get
            {
                transport.CheckOwn("A live inbox");
                lock (inboxGate)
                {
                    if (inbox == null) inbox = new Inbox(new InboxService(transport), inboxOptions, disposing.Token);
                    return inbox;
                }
            }
        }

        void CloseInbox()
        {
            Inbox open;
            lock (inboxGate) open = inbox;
            if (open != null) open.Close();
        }
    }
}
