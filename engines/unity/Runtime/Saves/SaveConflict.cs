using System;
using System.Threading;
using System.Threading.Tasks;

namespace EdgeGameStorage
{
    /// <summary>
    /// A save was not written, because the slot holds another revision than the one that this client has read or written last. Nothing
    /// is lost: <see cref="StorageException.Current"/> is what is there, <see cref="Mine"/> what was not written. Choose or merge, and
    /// <see cref="ResolveAsync(byte[], SaveDetails, CancellationToken)"/>.
    /// </summary>
    /// <example><code>
    /// catch (SaveConflict conflict)
    /// {
    ///     var there = await storage.Saves.ReadAsync(conflict.Slot);
    ///     await conflict.ResolveAsync(Merged(conflict.Mine.Bytes, there.Bytes));
    /// }
    /// </code></example>
    public sealed class SaveConflict : StorageException
    {
        readonly Func<SaveContent, CancellationToken, Task<Save>> resolve;

        internal SaveConflict(
            string slot,
            SaveContent mine,
            Save current,
            long? keptRevision,
            Func<SaveContent, CancellationToken, Task<Save>> resolve,
            Exception cause = null)
            : base(ErrorCodes.PreconditionFailed, MessageOf(slot, current), cause)
        {
            Status = 412;
            Current = current;
            Slot = slot;
            Mine = mine;
            KeptRevision = keptRevision;
            this.resolve = resolve;
        }

        /// <summary>The slot that was not written.</summary>
        public string Slot { get; }

        /// <summary>What was not written.</summary>
        public SaveContent Mine { get; }

        /// <summary>With <c>Keep</c>: the revision that has the bytes that were not written; null when the service had no room.</summary>
        public long? KeptRevision { get; }

        /// <summary>
        /// Writes these bytes over <see cref="StorageException.Current"/>, with the details of <see cref="Mine"/> unless others are given.
        /// Throws the next <see cref="SaveConflict"/> when another device has replaced it meanwhile.
        /// </summary>
        public Task<Save> ResolveAsync(byte[] bytes, SaveDetails details = null, CancellationToken cancel = default(CancellationToken))
        {
            return resolve(Mine.With(bytes, details), cancel);
        }

        /// <summary>Writes a text in UTF-8, as <see cref="ResolveAsync(byte[], SaveDetails, CancellationToken)"/>.</summary>
        public Task<Save> ResolveAsync(string text, SaveDetails details = null, CancellationToken cancel = default(CancellationToken))
        {
            return ResolveAsync(HttpBody.BytesOf(text), details, cancel);
        }

        static string MessageOf(string slot, Save current)
        {
            var found = current == null ? "is missing" : "is at revision " + current.Revision;
            return "The slot \"" + slot + "\" " + found + ", which this client has not read.";
        }
    }
}
