using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace EdgeGameStorage
{
    /// <summary>
    /// The saves of the user. Remembers the revision of each slot that it has read or written last, and replaces no other: a slot that
    /// it has not read is only written while the slot is missing.
    /// </summary>
    public sealed class Saves
    {
        readonly GameStorage storage;
        readonly Transport transport;
        readonly CancellationToken disposing;
        readonly SavesService service;
        readonly Turns turns = new Turns();
        readonly object gate = new object();
        readonly Dictionary<string, long> revisions = new Dictionary<string, long>(StringComparer.Ordinal);
        /// <summary>Writes that may have been done, although they have no answer.</summary>
        readonly Dictionary<string, SentWrite> unanswered = new Dictionary<string, SentWrite>(StringComparer.Ordinal);

        internal Saves(GameStorage storage, Transport transport, CancellationToken disposing)
        {
            this.storage = storage;
            this.transport = transport;
            this.disposing = disposing;
            service = new SavesService(transport);
        }

        /// <summary>
        /// Writes a save over the revision that this client has read or written last. Throws <see cref="SaveConflict"/> when the slot has
        /// another revision.
        /// </summary>
        /// <example><code>await storage.Saves.WriteAsync("auto", bytes, new SaveWriteOptions { Label = "The harbour", PlayedSeconds = 3600 });</code></example>
        public Task<Save> WriteAsync(
            string slot, byte[] bytes, SaveWriteOptions options = null, CancellationToken cancel = default(CancellationToken))
        {
            var content = SaveContent.Of(bytes, options);
            var keep = options != null && options.Keep;
            var overwrite = options != null && options.Overwrite;
            return turns.RunAsync(slot, async () =>
            {
                if (overwrite) return await WriteAsync(slot, new SentWrite(content, Replaced.Any, keep), cancel);
                var lost = UnansweredOf(slot);
                if (lost != null && lost.Keep == keep && lost.Content.IsSame(content)) return await WriteAsync(slot, lost, cancel);
                // Repeated first, because otherwise this write would be in conflict with it.
                if (lost != null) await RepeatAsync(slot, lost, cancel);
                return await WriteAsync(slot, new SentWrite(content, Replaced.Only(RevisionOf(slot)), keep), cancel);
            }, cancel);
        }

        /// <summary>Writes a text in UTF-8, as <see cref="WriteAsync(string, byte[], SaveWriteOptions, CancellationToken)"/>.</summary>
        public Task<Save> WriteAsync(
            string slot, string text, SaveWriteOptions options = null, CancellationToken cancel = default(CancellationToken))
        {
            return WriteAsync(slot, HttpBody.BytesOf(text), options, cancel);
        }

        /// <summary>Whether only the studio's servers write a slot: a player's write is <c>SAVE_READ_ONLY</c>.</summary>
        public static bool IsReadOnly(string slot)
        {
            return slot != null && slot.StartsWith("server.", StringComparison.Ordinal);
        }

        /// <summary>Reads a save: the current revision, or the one that is given. Throws <c>SAVE_NOT_FOUND</c> when there is none.</summary>
        public Task<ReadSave> ReadAsync(string slot, long? revision = null, CancellationToken cancel = default(CancellationToken))
        {
            return turns.RunAsync(slot, async () =>
            {
                var read = await service.ReadAsync(slot, revision, cancel);
                if (revision == null) Remember(slot, read.Revision);
                return read;
            }, cancel);
        }

        /// <summary>Lists the slots, the latest first; with <paramref name="deleted"/>, those that can be restored.</summary>
        public Task<SaveList> ListAsync(bool deleted = false, CancellationToken cancel = default(CancellationToken))
        {
            return storage.ListSavesAsync(deleted ? new ListSavesQuery { Deleted = true } : null, cancel);
        }

        /// <summary>Lists the revisions of a slot that are kept, newest first.</summary>
        public Task<SaveRevisionList> ListRevisionsAsync(string slot, CancellationToken cancel = default(CancellationToken))
        {
            return storage.ListSaveRevisionsAsync(slot, cancel);
        }

        /// <summary>
        /// Makes a new revision with the content of another, which stays, or brings a deleted slot back. A slot that this client has read
        /// or written has to be at that revision, unless <c>Overwrite</c> is set: else throws <c>PRECONDITION_FAILED</c>, with
        /// <see cref="StorageException.Current"/>.
        /// </summary>
        public Task<Save> RestoreAsync(
            string slot,
            long? revision = null,
            SaveChangeOptions options = null,
            CancellationToken cancel = default(CancellationToken))
        {
            return turns.RunAsync(slot, async () =>
            {
                var restored = await storage.RestoreSaveAsync(slot, new RestoreSave { Revision = revision }, Changing(slot, options), cancel);
                Remember(slot, restored.Revision);
                return restored;
            }, cancel);
        }

        /// <summary>
        /// Deletes a slot, which can be restored for some time. A slot that this client has read or written has to be at that revision,
        /// unless <c>Overwrite</c> is set: else throws <c>PRECONDITION_FAILED</c>, with <see cref="StorageException.Current"/>.
        /// </summary>
        public Task DeleteAsync(string slot, SaveChangeOptions options = null, CancellationToken cancel = default(CancellationToken))
        {
            return turns.RunAsync(slot, async () =>
            {
                await storage.DeleteSaveAsync(slot, Changing(slot, options), cancel);
                Remember(slot, null);
                return true;
            }, cancel);
        }

        /// <summary>
        /// Opens the saves that this device keeps while there is no connection. They are sent when there is one, by this object or, after
        /// a restart, by the next over the same store. What waits belongs to one address of the service and one user: another one's is left
        /// alone. On behalf of a player there are none (<see cref="NotSupportedException"/>).
        /// </summary>
        /// <example><code>
        /// var saves = storage.Saves.Offline(UnitySaveStore.Open());
        /// saves.ConflictFound += async conflict => await conflict.ResolveAsync(await Choose(conflict));
        /// await saves.WriteAsync("auto", bytes);
        /// </code></example>
        public OfflineSaves Offline(ISaveStore store, OfflineOptions options = null)
        {
            transport.CheckOwn("A device without a network");
            return new OfflineSaves(transport, store, options ?? new OfflineOptions(), disposing);
        }

        async Task RepeatAsync(string slot, SentWrite lost, CancellationToken cancel)
        {
            try
            {
                await WriteAsync(slot, lost, cancel);
            }
            catch (Exception) when (UnansweredOf(slot) == null)
            {
                // The service has refused it for good: it was not done, and holds up nothing.
            }
        }

        async Task<Save> WriteAsync(string slot, SentWrite write, CancellationToken cancel)
        {
            SaveAnswer answer;
            try
            {
                answer = await service.WriteAsync(slot, write, cancel);
            }
            catch (Exception error)
            {
                NoteFailure(slot, write, error);
                throw;
            }
            if (answer.Saved != null)
            {
                Remember(slot, answer.Saved.Revision);
                return answer.Saved;
            }
            Answered(slot);
            var there = answer.Current == null ? (long?)null : answer.Current.Revision;
            throw new SaveConflict(
                slot, write.Content, answer.Current, answer.KeptRevision,
                (content, cancelResolve) => turns.RunAsync(
                    slot, () => WriteAsync(slot, new SentWrite(content, Replaced.Only(there), write.Keep), cancelResolve), cancelResolve),
                answer.Refusal);
        }

        void NoteFailure(string slot, SentWrite write, Exception error)
        {
            var refusal = error as StorageException;
            var mayBeDone = refusal == null || !refusal.IsOfService || refusal.Status >= 500;
            lock (gate)
                if (mayBeDone && !write.Over.IsAny) unanswered[slot] = write;
                else if (!SavesService.IsTemporary(error)) unanswered.Remove(slot);
        }

        ChangeOptions Changing(string slot, SaveChangeOptions options)
        {
            if (options != null && options.Overwrite) return null;
            var revision = options != null && options.Revision != null ? options.Revision : RevisionOf(slot);
            return ChangeOptions.Of(Replaced.ETagOf(revision));
        }

        long? RevisionOf(string slot)
        {
            long revision;
            lock (gate) return revisions.TryGetValue(slot, out revision) ? revision : (long?)null;
        }

        SentWrite UnansweredOf(string slot)
        {
            SentWrite write;
            lock (gate) return unanswered.TryGetValue(slot, out write) ? write : null;
        }

        void Answered(string slot)
        {
            lock (gate) unanswered.Remove(slot);
        }

        void Remember(string slot, long? revision)
        {
            lock (gate)
            {
                unanswered.Remove(slot);
                if (revision == null) revisions.Remove(slot);
                else revisions[slot] = revision.Value;
            }
        }
    }
}
