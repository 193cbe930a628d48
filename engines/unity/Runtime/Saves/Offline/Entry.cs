namespace EdgeGameStorage
{
    /// <summary>Something that the game has written.</summary>
    sealed class KeptWrite
    {
        public KeptWrite(SaveContent content, bool keep, long number, string key)
        {
            Content = content;
            Keep = keep;
            Number = number;
            Key = key;
        }

        public SaveContent Content { get; }

        public bool Keep { get; }

        /// <summary>Tells it from what is written to the slot later.</summary>
        public long Number { get; }

        /// <summary>The Idempotency-Key. Null for what an earlier version of the client has put into the store.</summary>
        public string Key { get; }
    }

    enum EntryState
    {
        /// <summary>The service has the latest write as the revision of the base.</summary>
        Saved,

        /// <summary>The latest write is to be sent.</summary>
        Waiting,

        /// <summary>The service has another revision than the base, and the game has to resolve that.</summary>
        Conflict,
    }

    /// <summary>
    /// What this device knows of a slot. It survives a restart, so that every step can go on after the one before it. A step makes a new
    /// entry.
    /// </summary>
    sealed class Entry
    {
        public Entry(EntryState state, KeptWrite latest, long? over)
        {
            State = state;
            Latest = latest;
            Base = over;
        }

        public EntryState State { get; }

        /// <summary>What the game has written or read last.</summary>
        public KeptWrite Latest { get; }

        /// <summary>The revision that the latest write replaces, or has become; null when the slot was missing.</summary>
        public long? Base { get; }

        /// <summary>
        /// What has been sent over the base without an answer; otherwise null. It is repeated with its key before anything newer is sent:
        /// then the service answers as it did the first time, and the newer bytes don't conflict with this device's own.
        /// </summary>
        public KeptWrite Sent { get; set; }

        /// <summary>When it is saved by this device: the record of the revision.</summary>
        public Save Save { get; set; }

        /// <summary>In a conflict: what is there; null when the slot is missing.</summary>
        public Save Current { get; set; }

        /// <summary>In a conflict: the revision that keeps what was refused.</summary>
        public long? KeptRevision { get; set; }

        /// <summary>The game has written. What waits is replaced, and keeps its base.</summary>
        public static Entry Written(Entry entry, SaveContent content, bool keep)
        {
            var latest = Numbered(entry, content, keep);
            if (entry == null) return new Entry(EntryState.Waiting, latest, null);
            if (entry.State == EntryState.Saved) return new Entry(EntryState.Waiting, latest, entry.Base);
            return entry.With(latest, entry.Sent);
        }

        /// <summary>The game has read this revision of the service. What waits, or was saved while it was read, is newer, and stays.</summary>
        public static Entry Fetched(Entry entry, SaveContent content, long revision)
        {
            if (entry != null && (entry.State != EntryState.Saved || (entry.Base ?? 0) > revision)) return entry;
            return new Entry(EntryState.Saved, Numbered(entry, content, false), revision);
        }

        /// <summary>What waits is about to be sent over the base. From then on it may be done, although its answer is lost.</summary>
        public Entry Sending()
        {
            return State == EntryState.Waiting && Sent == null ? With(Latest, Latest) : this;
        }

        /// <summary>The service has written what was sent.</summary>
        public Entry Acknowledged(Save save)
        {
            return IsSent(Latest)
                ? new Entry(EntryState.Saved, Latest, save.Revision) { Save = save }
                : new Entry(EntryState.Waiting, Latest, save.Revision);
        }

        /// <summary>The service has refused what was sent, because it has another revision than the base.</summary>
        public Entry Refused(Save current, long? keptRevision)
        {
            return new Entry(EntryState.Conflict, Latest, Base) { Current = current, KeptRevision = keptRevision };
        }

        /// <summary>The service takes what was sent at no time, so it was not done. What the game writes next may be taken.</summary>
        public Entry Rejected()
        {
            return With(Latest, null);
        }

        /// <summary>The game has decided what replaces the revision that is there.</summary>
        public Entry Resolved(SaveContent content)
        {
            var over = Current == null ? (long?)null : Current.Revision;
            return new Entry(EntryState.Waiting, Numbered(this, content, false), over);
        }

        /// <summary>Whether this is what has been sent without an answer.</summary>
        public bool IsSent(KeptWrite write)
        {
            return Sent != null && Sent.Number == write.Number;
        }

        Entry With(KeptWrite latest, KeptWrite sent)
        {
            return new Entry(State, latest, Base) { Sent = sent, Save = Save, Current = Current, KeptRevision = KeptRevision };
        }

        static KeptWrite Numbered(Entry before, SaveContent content, bool keep)
        {
            return new KeptWrite(content, keep, before == null ? 1 : before.Latest.Number + 1, Request.NewKey());
        }
    }
}
