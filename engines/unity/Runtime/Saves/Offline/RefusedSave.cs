namespace EdgeGameStorage
{
    /// <summary>What a device has kept for a slot that only the studio's servers write.</summary>
    public sealed class RefusedSave
    {
        internal RefusedSave(string slot, SaveContent mine, StorageException error)
        {
            Slot = slot;
            Mine = mine;
            Error = error;
        }

        /// <summary>The slot that was not written.</summary>
        public string Slot { get; }

        /// <summary>What was not written.</summary>
        public SaveContent Mine { get; }

        /// <summary><c>SAVE_READ_ONLY</c>.</summary>
        public StorageException Error { get; }
    }
}
