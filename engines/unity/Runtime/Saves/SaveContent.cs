using System;
using System.Text.RegularExpressions;

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
                CheckText("Device", details.Device, 64);
                CheckText("Label", details.Label, 255);
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

        /// <summary>What Unicode ignores by default, and what looks like white space.</summary>
        const string Invisible =
            @"^(?:[\s\x85\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb]"
            + @"|\ud82f[\udca0-\udca3]|\ud834[\udd73-\udd7a]|[\udb40-\udb43][\udc00-\udfff])*\z";

        static void CheckText(string name, string text, int most)
        {
            if (string.IsNullOrEmpty(text)) return;
            var codePoints = 0;
            foreach (var unit in text)
                if (!char.IsLowSurrogate(unit)) codePoints++;
            if (codePoints > most) throw new ArgumentException("The " + name + " has more than " + most + " characters.", name);
            if (Regex.IsMatch(text, Invisible) || Regex.IsMatch(text, @"[\0-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]"))
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
