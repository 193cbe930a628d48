using System;
using System.IO;
using System.Security.Cryptography;
using System.Text;
using System.Threading.Tasks;

namespace EdgeGameStorage
{
    /// <summary>
    /// A store of files in a folder, one a key. Several processes may use the same folder.
    /// <para>
    /// Each call is done when it returns, on the caller's thread: a save that is written while the game goes to the background is on the
    /// disk before the system suspends the game. A save of 1 MiB takes some milliseconds.
    /// </para>
    /// <para>
    /// In Unity <c>UnitySaveStore.Open</c> makes one. Files do not outlive the page of a player in a browser, which gets another store from it.
    /// </para>
    /// </summary>
    /// <example><code>new FileSaveStore(Path.Combine(folderOfTheGame, "saves"))</code></example>
    public sealed class FileSaveStore : ISharedSaveStore
    {
        const int ChecksumLength = 32;

        readonly string folder;

        /// <param name="folder">Made when it is missing, also later: systems let players clear a game's data. Give the store one of its own.</param>
        public FileSaveStore(string folder)
        {
            this.folder = Path.GetFullPath(folder);
            Directory.CreateDirectory(this.folder);
        }

        /// <summary>
        /// The value of a key; null when it has none. A file that the disk has damaged counts as missing: then the save of the service,
        /// if there is one, comes as a conflict.
        /// </summary>
        public Task<byte[]> GetAsync(string key)
        {
            var path = PathOf(key);
            // A kill while Windows replaces a file can leave the new one alone, under its first name. Another process may move it meanwhile.
            return Task.FromResult(Read(path) ?? Read(NewOf(path)) ?? Read(path));
        }

        /// <summary>Replaces the value of a key. A kill at any moment leaves the old value or the new one.</summary>
        public Task SetAsync(string key, byte[] value)
        {
            var path = PathOf(key);
            Directory.CreateDirectory(folder);
            using (var file = new FileStream(NewOf(path), FileMode.Create, FileAccess.Write, FileShare.None))
            {
                file.Write(ChecksumOf(value, 0), 0, ChecksumLength);
                file.Write(value, 0, value.Length);
                file.Flush(true);
            }
            if (File.Exists(path)) File.Replace(NewOf(path), path, null, true);
            else File.Move(NewOf(path), path);
            return Task.FromResult(true);
        }

        /// <summary>Removes the value of a key, if it has one.</summary>
        public Task DeleteAsync(string key)
        {
            var path = PathOf(key);
            if (!Directory.Exists(folder)) return Task.FromResult(true);
            File.Delete(NewOf(path)); // First, because it counts when the other is missing.
            File.Delete(path);
            return Task.FromResult(true);
        }

        /// <summary>Takes a lock of this folder. Null: this process or another one has it.</summary>
        public IDisposable TryLock(string name)
        {
            Directory.CreateDirectory(folder);
            return FileLock.TryTake(PathOf(name) + ".lock");
        }

        /// <summary>Keys have letters that file names may not have, and differ by case, which some file systems ignore.</summary>
        string PathOf(string key)
        {
            var name = new StringBuilder();
            foreach (var unit in ChecksumOf(Encoding.UTF8.GetBytes(key), 0)) name.Append(unit.ToString("x2"));
            return Path.Combine(folder, name.ToString());
        }

        static string NewOf(string path)
        {
            return path + ".new";
        }

        /// <summary>The value in a file; null when there is none, or not all of it.</summary>
        static byte[] Read(string path)
        {
            byte[] all;
            try
            {
                all = ReadAll(path);
            }
            catch (IOException error) when (error is FileNotFoundException || error is DirectoryNotFoundException)
            {
                return null;
            }
            if (all.Length < ChecksumLength) return null;
            var checksum = ChecksumOf(all, ChecksumLength);
            for (var at = 0; at < ChecksumLength; at++)
                if (all[at] != checksum[at]) return null;
            var value = new byte[all.Length - ChecksumLength];
            Buffer.BlockCopy(all, ChecksumLength, value, 0, value.Length);
            return value;
        }

        static byte[] ReadAll(string path)
        {
            // Windows replaces no file that somebody has open without sharing its deletion.
            using (var file = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete))
            using (var all = new MemoryStream())
            {
                file.CopyTo(all);
                return all.ToArray();
            }
        }

        static byte[] ChecksumOf(byte[] bytes, int from)
        {
            using (var checksum = SHA256.Create()) return checksum.ComputeHash(bytes, from, bytes.Length - from);
        }
    }
}
