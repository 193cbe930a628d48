using System;
using System.Globalization;
using System.Text;

namespace EdgeGameStorage.Samples
{
    /// <summary>A game to try the menu with. Replace it by yours.</summary>
    sealed class DemoGame : ISavedGame
    {
        public long Towers { get; private set; }

        public long PlayedSeconds { get; private set; }

        public string Label
        {
            get { return Towers == 1 ? "1 tower" : Towers + " towers"; }
        }

        public void Build()
        {
            Towers += 1;
            PlayedSeconds += 90;
        }

        public byte[] Save()
        {
            // The version of the format comes first, so that later versions of the game can tell.
            return Encoding.UTF8.GetBytes(FormattableString.Invariant($"1 {Towers} {PlayedSeconds}"));
        }

        public void Load(byte[] bytes)
        {
            var parts = Encoding.UTF8.GetString(bytes).Split(' ');
            if (parts.Length != 3 || parts[0] != "1") throw new FormatException("This is no save of version 1.");
            Towers = long.Parse(parts[1], CultureInfo.InvariantCulture);
            PlayedSeconds = long.Parse(parts[2], CultureInfo.InvariantCulture);
        }
    }
}
