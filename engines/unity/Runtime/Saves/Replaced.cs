using System.Globalization;

namespace EdgeGameStorage
{
    /// <summary>What a write replaces: one revision and no other, no save at all (the slot is missing), or whatever is there.</summary>
    struct Replaced
    {
        /// <summary>Whatever is there.</summary>
        public static readonly Replaced Any = new Replaced { IsAny = true };

        public bool IsAny { get; private set; }

        /// <summary>Null for whatever is there, and when the slot is missing.</summary>
        public long? Revision { get; private set; }

        /// <summary>This revision; null: the slot is missing.</summary>
        public static Replaced Only(long? revision)
        {
            return new Replaced { Revision = revision };
        }

        /// <summary>The header <c>If-Match</c> of a revision; null without one.</summary>
        public static string ETagOf(long? revision)
        {
            return revision == null ? null : "\"" + revision.Value.ToString(CultureInfo.InvariantCulture) + "\"";
        }
    }
}
