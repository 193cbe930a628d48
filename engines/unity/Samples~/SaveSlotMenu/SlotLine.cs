using System;

namespace EdgeGameStorage.Samples
{
    enum SlotState
    {
        /// <summary>The service has it.</summary>
        Saved,

        /// <summary>This device has a newer save, which is sent when there is a connection.</summary>
        Waiting,

        /// <summary>This device and another one have both saved to the slot, and the player has to choose.</summary>
        Conflict,
    }

    /// <summary>A save as a line of the menu.</summary>
    sealed class SlotLine
    {
        public string Slot { get; set; }

        /// <summary>Null when the game has not given it one.</summary>
        public string Label { get; set; }

        /// <summary>Null when the game has not said it.</summary>
        public string Device { get; set; }

        /// <summary>Null when the game has not said it.</summary>
        public long? PlayedSeconds { get; set; }

        /// <summary>Null of a save that only this device knows.</summary>
        public DateTimeOffset? UpdatedAt { get; set; }

        /// <summary>The revision that the player sees; null when the service has none.</summary>
        public long? Revision { get; set; }

        public SlotState State { get; set; }

        /// <summary>Whether it can be loaded without a connection.</summary>
        public bool IsOnDevice { get; set; }

        public SlotLine Copy()
        {
            return (SlotLine)MemberwiseClone();
        }
    }

    /// <summary>Two saves of one slot, side by side.</summary>
    sealed class SlotConflict
    {
        public string Slot { get; set; }

        /// <summary>The save of this device, which is not sent yet.</summary>
        public SlotLine Mine { get; set; }

        /// <summary>The save of the other device; null when the other device has deleted the slot.</summary>
        public SlotLine Theirs { get; set; }

        internal SaveConflict Source { get; set; }
    }

    enum ConflictChoice
    {
        /// <summary>This device's save replaces the other one, which stays in the history of the slot.</summary>
        Mine,

        /// <summary>The other device's save stays, and this device's is dropped.</summary>
        Theirs,

        /// <summary>The other device's save stays, and this device's goes to a slot of its own.</summary>
        Both,
    }
}
