namespace EdgeGameStorage.Samples
{
    /// <summary>What the menu saves and loads. Your game implements it.</summary>
    public interface ISavedGame
    {
        /// <summary>What players read in the list, like "Chapter 3, the harbour"; at most 255 characters.</summary>
        string Label { get; }

        long PlayedSeconds { get; }

        /// <summary>Returns the state of the game, in your own format; at most 1 MiB.</summary>
        byte[] Save();

        /// <summary>Goes on from a state. Throw when the bytes can't be read, for example those of a newer version of the game.</summary>
        void Load(byte[] bytes);
    }
}
