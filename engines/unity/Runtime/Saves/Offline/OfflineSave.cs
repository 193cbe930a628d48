namespace EdgeGameStorage
{
    /// <summary>A save as this device has it.</summary>
    public sealed class OfflineSave
    {
        internal OfflineSave(string slot, SaveContent content, long? revision, bool isWaiting)
        {
            Slot = slot;
            Bytes = content.Bytes;
            MimeType = content.MimeType ?? SaveContent.DefaultMimeType;
            Device = content.Device;
            Label = content.Label;
            PlayedSeconds = content.PlayedSeconds;
            Revision = revision;
            IsWaiting = isWaiting;
        }

        /// <summary>The slot that was read.</summary>
        public string Slot { get; }

        /// <summary>The save itself.</summary>
        public byte[] Bytes { get; }

        /// <summary>The type that it was written with.</summary>
        public string MimeType { get; }

        /// <summary>The device that wrote it; null when the game has not said it.</summary>
        public string Device { get; }

        /// <summary>What players read in a list of saves; null when the game has not said it.</summary>
        public string Label { get; }

        /// <summary>How long the game had been played, in seconds; null when the game has not said it.</summary>
        public long? PlayedSeconds { get; }

        /// <summary>Its revision, or the one that it is to replace; null when the slot was missing.</summary>
        public long? Revision { get; }

        /// <summary>Whether the service has yet to get it.</summary>
        public bool IsWaiting { get; }
    }
}
