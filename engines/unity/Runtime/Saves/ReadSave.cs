namespace EdgeGameStorage
{
    /// <summary>The bytes of a revision, and what is known of them.</summary>
    public sealed class ReadSave
    {
        internal ReadSave()
        {
        }

        /// <summary>The slot that was read.</summary>
        public string Slot { get; internal set; }

        /// <summary>The revision that was read.</summary>
        public long Revision { get; internal set; }

        /// <summary>The save itself.</summary>
        public byte[] Bytes { get; internal set; }

        /// <summary>The type that it was written with.</summary>
        public string MimeType { get; internal set; }

        /// <summary>The device that wrote it; null when the game has not said it.</summary>
        public string Device { get; internal set; }

        /// <summary>What players read in a list of saves; null when the game has not said it.</summary>
        public string Label { get; internal set; }

        /// <summary>How long the game had been played, in seconds; null when the game has not said it.</summary>
        public long? PlayedSeconds { get; internal set; }

        internal SaveContent ToContent()
        {
            return new SaveContent(
                Bytes, new SaveDetails { Device = Device, Label = Label, PlayedSeconds = PlayedSeconds, MimeType = MimeType });
        }
    }
}
