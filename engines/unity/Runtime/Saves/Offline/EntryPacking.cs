using System;
using System.Collections.Generic;
using System.IO;
using System.Text;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;

namespace EdgeGameStorage
{
    /// <summary>
    /// An entry as bytes: the length of its description, the description in JSON, the bytes of the latest write, and those of the sent one
    /// if they are others.
    /// </summary>
    static class EntryPacking
    {
        const int LengthBytes = 4;

        public static byte[] Packed(Entry entry)
        {
            var writes = new List<KeptWrite> { entry.Latest };
            if (entry.Sent != null && !entry.IsSent(entry.Latest)) writes.Add(entry.Sent);
            var described = new JArray();
            foreach (var write in writes) described.Add(Description(write));
            var head = new JObject
            {
                { "state", TextOf(entry.State) },
                { "base", entry.Base },
                { "is_latest_sent", entry.IsSent(entry.Latest) },
                { "writes", described },
                { "save", Description(entry.Save) },
                { "current", Description(entry.Current) },
                { "kept_revision", entry.KeptRevision },
            };
            var text = Encoding.UTF8.GetBytes(head.ToString(Formatting.None));
            using (var packed = new MemoryStream())
            {
                for (var shift = 24; shift >= 0; shift -= 8) packed.WriteByte((byte)(text.Length >> shift));
                packed.Write(text, 0, text.Length);
                foreach (var write in writes) packed.Write(write.Content.Bytes, 0, write.Content.Bytes.Length);
                return packed.ToArray();
            }
        }

        /// <summary>Throws <see cref="FormatException"/> for other bytes than <see cref="Packed"/> makes.</summary>
        public static Entry Unpacked(byte[] packed)
        {
            if (packed.Length < LengthBytes) throw Changed(null);
            var length = packed[0] << 24 | packed[1] << 16 | packed[2] << 8 | packed[3];
            if (length < 0 || length > packed.Length - LengthBytes) throw Changed(null);
            try
            {
                return Unpacked(Json.Parse(Encoding.UTF8.GetString(packed, LengthBytes, length)), packed, LengthBytes + length);
            }
            catch (JsonException error)
            {
                throw Changed(error);
            }
        }

        static Entry Unpacked(JObject head, byte[] packed, int at)
        {
            var writes = Json.Required(Json.List(head, "writes", write =>
            {
                var bytes = new byte[Json.Required(Json.Integer(write, "size"), "size")];
                if (bytes.Length > packed.Length - at) throw Changed(null);
                Buffer.BlockCopy(packed, at, bytes, 0, bytes.Length);
                at += bytes.Length;
                return WriteOf(write, bytes);
            }), "writes");
            if (writes.Count == 0 || at != packed.Length) throw Changed(null);
            var isLatestSent = Json.Boolean(head, "is_latest_sent") == true;
            return new Entry(StateOf(Json.Text(head, "state")), writes[0], Json.Integer(head, "base"))
            {
                Sent = isLatestSent ? writes[0] : writes.Count > 1 ? writes[1] : null,
                Save = SaveOf(Json.Object(head, "save")),
                Current = SaveOf(Json.Object(head, "current")),
                KeptRevision = Json.Integer(head, "kept_revision"),
            };
        }

        static JObject Description(KeptWrite write)
        {
            return new JObject
            {
                { "number", write.Number },
                { "keep", write.Keep },
                { "key", write.Key },
                { "device", write.Content.Device },
                { "label", write.Content.Label },
                { "played_seconds", write.Content.PlayedSeconds },
                { "mime_type", write.Content.MimeType },
                { "size", write.Content.Bytes.Length },
            };
        }

        static KeptWrite WriteOf(JObject write, byte[] bytes)
        {
            var details = new SaveDetails
            {
                Device = Json.Text(write, "device"),
                Label = Json.Text(write, "label"),
                PlayedSeconds = Json.Integer(write, "played_seconds"),
                MimeType = Json.Text(write, "mime_type"),
            };
            var number = Json.Required(Json.Integer(write, "number"), "number");
            return new KeptWrite(new SaveContent(bytes, details), Json.Boolean(write, "keep") == true, number, Json.Text(write, "key"));
        }

        static JObject Description(Save save)
        {
            if (save == null) return null;
            return new JObject
            {
                { "slot", save.Slot },
                { "revision", save.Revision },
                { "size_bytes", save.SizeBytes },
                { "mime_type", save.MimeType },
                { "checksum_sha256", save.ChecksumSha256 },
                { "device", save.Device },
                { "label", save.Label },
                { "played_seconds", save.PlayedSeconds },
                { "created_at", save.CreatedAt.ToUnixTimeSeconds() },
                { "updated_at", save.UpdatedAt.ToUnixTimeSeconds() },
                { "etag", save.ETag },
            };
        }

        /// <summary>Not by <c>Save.Read</c>: an entry outlives an update of the game, whose client may require more of an answer.</summary>
        static Save SaveOf(JObject save)
        {
            if (save == null) return null;
            return new Save
            {
                Slot = Json.Text(save, "slot"),
                Revision = Json.Required(Json.Integer(save, "revision"), "revision"),
                SizeBytes = Json.Integer(save, "size_bytes") ?? 0,
                MimeType = Json.Text(save, "mime_type"),
                ChecksumSha256 = Json.Text(save, "checksum_sha256"),
                Device = Json.Text(save, "device"),
                Label = Json.Text(save, "label"),
                PlayedSeconds = Json.Integer(save, "played_seconds"),
                CreatedAt = Json.Time(save, "created_at") ?? default(DateTimeOffset),
                UpdatedAt = Json.Time(save, "updated_at") ?? default(DateTimeOffset),
                ETag = Json.Text(save, "etag"),
            };
        }

        static string TextOf(EntryState state)
        {
            return state == EntryState.Saved ? "saved" : state == EntryState.Waiting ? "waiting" : "conflict";
        }

        static EntryState StateOf(string text)
        {
            if (text == "saved") return EntryState.Saved;
            if (text == "waiting") return EntryState.Waiting;
            if (text == "conflict") return EntryState.Conflict;
            throw Changed(null);
        }

        static FormatException Changed(Exception cause)
        {
            return new FormatException("The store has changed what was put into it.", cause);
        }
    }
}
