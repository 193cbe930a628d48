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
            return new SaveContent(bytes, new SaveDetails
            {
                Device = given.Device ?? Device,
                Label = given.Label ?? Label,
                PlayedSeconds = given.PlayedSeconds ?? PlayedSeconds,
                MimeType = given.MimeType ?? MimeType,
            });
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
