namespace EdgeGameStorage
{
    /// <summary>What a game says about the bytes of a save.</summary>
    public class SaveDetails
    {
        /// <summary>The device that writes, in at most 64 characters, like <c>Ada’s phone</c>.</summary>
        public string Device { get; set; }

        /// <summary>What players read in a list of saves, in at most 255 characters, like <c>Chapter 3, the harbour</c>.</summary>
        public string Label { get; set; }

        /// <summary>How long the game has been played, in whole seconds.</summary>
        public long? PlayedSeconds { get; set; }

        /// <summary>Default: <c>application/octet-stream</c>.</summary>
        public string MimeType { get; set; }
    }

    /// <summary>The options of <see cref="Saves.WriteAsync(string, byte[], SaveWriteOptions, System.Threading.CancellationToken)"/>.</summary>
    public sealed class SaveWriteOptions : SaveDetails
    {
        /// <summary>Whether the service keeps the bytes of a conflict as a revision that is not current. Default: false.</summary>
        public bool Keep { get; set; }

        /// <summary>Writes over whatever is there, whether this client has read it or not. Default: false.</summary>
        public bool Overwrite { get; set; }
    }

    /// <summary>The options of <see cref="Saves.RestoreAsync"/> and <see cref="Saves.DeleteAsync"/>.</summary>
    public sealed class SaveChangeOptions
    {
        /// <summary>Changes the slot whatever is there, whether this client has read it or not. Default: false.</summary>
        public bool Overwrite { get; set; }

        /// <summary>The revision that has to be current, as the player has seen it. Default: the one that this client has read or written.</summary>
        public long? Revision { get; set; }
    }
}
