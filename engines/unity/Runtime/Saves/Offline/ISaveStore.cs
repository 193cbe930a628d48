using System;
using System.Threading.Tasks;

namespace EdgeGameStorage
{
    /// <summary>
    /// Where saves are kept until they are sent: a <see cref="FileSaveStore"/>, or what your platform has that outlives the game.
    /// <see cref="SetAsync"/> replaces a value as a whole: after a crash either the old or the new one is there.
    /// </summary>
    public interface ISaveStore
    {
        /// <summary>The value of a key; null when it has none.</summary>
        Task<byte[]> GetAsync(string key);

        /// <summary>Replaces the value of a key. Ends when the value outlives the game.</summary>
        Task SetAsync(string key, byte[] value);

        /// <summary>Removes the value of a key, if it has one.</summary>
        Task DeleteAsync(string key);
    }

    /// <summary>A store that several processes have in common. Their steps exclude each other by its locks.</summary>
    public interface ISharedSaveStore : ISaveStore
    {
        /// <summary>
        /// Takes a lock, which disposing releases, and the end of the process too. Null: somebody else has it, and it is asked for again.
        /// </summary>
        IDisposable TryLock(string name);
    }
}
