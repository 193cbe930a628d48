using System;
using System.Globalization;
using System.Threading;
using System.Threading.Tasks;

namespace EdgeGameStorage
{
    /// <summary>The answer to a write: the save, or why it was not done.</summary>
    sealed class SaveAnswer
    {
        /// <summary>Null when the precondition does not hold.</summary>
        public Save Saved { get; set; }

        /// <summary>Null when it is saved.</summary>
        public StorageException Refusal { get; set; }

        /// <summary>What is there; null when the slot is missing.</summary>
        public Save Current { get; set; }

        public long? KeptRevision { get; set; }
    }

    /// <summary>A write, and what its repetitions have in common with it.</summary>
    sealed class SentWrite
    {
        public SentWrite(SaveContent content, Replaced over, bool keep)
            : this(content, over, keep, Request.NewKey())
        {
        }

        public SentWrite(SaveContent content, Replaced over, bool keep, string key)
        {
            Content = content;
            Over = over;
            Keep = keep;
            Key = key;
        }

        public SaveContent Content { get; }

        public Replaced Over { get; }

        public bool Keep { get; }

        /// <summary>The Idempotency-Key. Null for what an earlier version of the client has sent without one, over a revision.</summary>
        public string Key { get; }
    }

    /// <summary>The requests of a save's bytes.</summary>
    sealed class SavesService
    {
        readonly Transport transport;

        public SavesService(Transport transport)
        {
            this.transport = transport;
        }

        /// <summary>Writes a revision. Repeated when its answer is lost: the service knows the repetition by its key.</summary>
        public async Task<SaveAnswer> WriteAsync(string slot, SentWrite write, CancellationToken cancel)
        {
            var content = write.Content;
            var over = write.Over;
            var request = new Request("PUT /v1/saves/{slot}", "/v1/saves/" + Paths.Part("slot", slot)) { IsRepeatable = true }
                .With("keep", write.Keep ? "true" : null)
                .WithHeader("Idempotency-Key", write.Key)
                .WithHeader("If-Match", Replaced.ETagOf(over.Revision))
                .WithHeader("If-None-Match", over.IsAny || over.Revision != null ? null : "*")
                .WithHeader("Save-Device", PercentEncoding.Encoded(content.Device))
                .WithHeader("Save-Label", PercentEncoding.Encoded(content.Label))
                .WithHeader("Save-Played-Seconds", TextOf(content.PlayedSeconds))
                .WithContent(new HttpBody(content.Bytes), content.MimeType ?? SaveContent.DefaultMimeType);
            Save save;
            try
            {
                save = await transport.SendAsync(request, (from, answer) => Save.Read(from), cancel);
            }
            catch (RefusalException refusal) when (refusal.Code == ErrorCodes.PreconditionFailed)
            {
                var kept = Json.Integer(refusal.Body, "kept_revision");
                return new SaveAnswer { Refusal = refusal, Current = refusal.Current, KeptRevision = kept };
            }
            // A proxy may answer with JSON, too. Taken for the save, it would end the sending of what was never saved.
            if (save.Slot != slot || save.SizeBytes != content.Bytes.Length || save.Revision < 1) throw SomethingElse();
            save.ETag = Replaced.ETagOf(save.Revision); // Also when a proxy strips it.
            return new SaveAnswer { Saved = save };
        }

        /// <summary>Reads a revision; null: the current one.</summary>
        public async Task<ReadSave> ReadAsync(string slot, long? revision, CancellationToken cancel)
        {
            var request = new Request("GET /v1/saves/{slot}", "/v1/saves/" + Paths.Part("slot", slot))
            {
                IsRepeatable = true,
                AnswersContent = true,
            };
            var answer = await transport.SendAsync(request.With("revision", TextOf(revision)), cancel);
            long played;
            var hasPlayed = TryNumber(answer.Header("Save-Played-Seconds"), out played);
            return new ReadSave
            {
                Slot = slot,
                Revision = RevisionOf(answer),
                Bytes = answer.Body,
                MimeType = answer.Header("Content-Type") ?? SaveContent.DefaultMimeType,
                Device = PercentEncoding.Decoded(answer.Header("Save-Device")),
                Label = PercentEncoding.Decoded(answer.Header("Save-Label")),
                PlayedSeconds = hasPlayed ? played : (long?)null,
            };
        }

        /// <summary>Whether the service may take the same save later. After an answer 401 there may be a new token.</summary>
        public static bool IsTemporary(Exception error)
        {
            var refusal = error as StorageException;
            if (refusal == null || !refusal.IsOfService) return true;
            var status = refusal.Status;
            return status >= 500 || status == 401 || status == 408 || status == 425 || status == 429;
        }

        /// <summary>A proxy's page may have any type, but it has no ETag of a revision.</summary>
        static long RevisionOf(HttpAnswer answer)
        {
            var tag = ETags.Strong(ETags.Of(answer));
            long revision;
            var isQuoted = tag.Length > 2 && tag[0] == '"' && tag[tag.Length - 1] == '"';
            if (!TryNumber(isQuoted ? tag.Substring(1, tag.Length - 2) : null, out revision)) throw SomethingElse();
            return revision;
        }

        static bool TryNumber(string text, out long number)
        {
            return long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out number);
        }

        static string TextOf(long? number)
        {
            return number == null ? null : number.Value.ToString(CultureInfo.InvariantCulture);
        }

        static StorageException SomethingElse()
        {
            return Transport.NoAnswer("Something else answered.", null);
        }
    }
}
