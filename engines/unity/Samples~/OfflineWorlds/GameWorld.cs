using System;

namespace EdgeGameStorage.Samples
{
    /// <summary>A world that the game has, whether it is on this device or not.</summary>
    [Serializable]
    public sealed class GameWorld
    {
        /// <summary>What players read.</summary>
        public string name;

        /// <summary>The id of its asset.</summary>
        public string id;
    }
}
