using System;

namespace EdgeGameStorage
{
    /// <summary>The bytes of a save, and what the game has said about them.</summary>
    public sealed class SaveContent
    {
        internal const string DefaultMimeType = "application/octet-stream";

        /// <summary>
        /// Copies the bytes, because a game may reuse its buffer while they are sent. Throws <see cref="ArgumentException"/> for a text
        /// that no request can carry.
        /// </summary>
        internal SaveContent(byte[] bytes, SaveDetails details)
        {
            if (bytes == null) throw new ArgumentNullException("bytes");
            Bytes = (byte[])bytes.Clone();
            if (details == null) return;
            Device = details.Device;
            Label = details.Label;
            PlayedSeconds = details.PlayedSeconds;
            MimeType = HeaderText.Checked("Content-Type", details.MimeType);
            PercentEncoding.Encoded(Device);
            PercentEncoding.Encoded(Label);
        }

        /// <summary>
        /// What a game writes. Throws <see cref="ArgumentException"/> also for a text that the service never takes: it would wait on the
        /// device for good.
        /// </summary>
        internal static SaveContent Of(byte[] bytes, SaveDetails details)
        {
            if (details != null)
            {
                CheckText("Device", details.Device);
                CheckText("Label", details.Label);
            }
            return new SaveContent(bytes, details);
        }

        /// <summary>The save itself, in any format.</summary>
        public byte[] Bytes { get; }

        /// <summary>The device that wrote; null when the game has not said it.</summary>
        public string Device { get; }

        /// <summary>What players read in a list of saves; null when the game has not said it.</summary>
        public string Label { get; }

        /// <summary>How long the game has been played, in seconds; null when the game has not said it.</summary>
        public long? PlayedSeconds { get; }

        /// <summary>Null when the game has not said it.</summary>
        public string MimeType { get; }

        /// <summary>Other bytes, with the details of these unless others are given.</summary>
        internal SaveContent With(byte[] bytes, SaveDetails details)
        {
            var given = details ?? new SaveDetails();
            return Of(bytes, new SaveDetails
            {
                Device = given.Device ?? Device,
                Label = given.Label ?? Label,
                PlayedSeconds = given.PlayedSeconds ?? PlayedSeconds,
                MimeType = given.MimeType ?? MimeType,
            });
        }

        static void CheckText(string name, string text)
        {
            if (string.IsNullOrEmpty(text)) return;
            var isVisible = text.Trim().Length > 0;
            foreach (var unit in text)
                isVisible &= !char.IsControl(unit) && !(unit >= '\u202a' && unit <= '\u202e') && !(unit >= '\u2066' && unit <= '\u2069');
            if (!isVisible)
                throw new ArgumentException("The " + name + " has no visible character, or one that controls the text around it.", name);
        }

        /// <summary>Whether both are the same, so that one request repeats the other.</summary>
        internal bool IsSame(SaveContent other)
        {
            if (Device != other.Device || Label != other.Label || PlayedSeconds != other.PlayedSeconds) return false;
            if (MimeType != other.MimeType || Bytes.Length != other.Bytes.Length) return false;
            for (var at = 0; at < Bytes.Length; at++)
                if (Bytes[at] != other.Bytes[at]) return false;
            return true;
        }
    }
}
