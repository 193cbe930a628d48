using System;
using System.Collections.Generic;
using System.IO;

namespace EdgeGameStorage
{
    /// <summary>A lock that excludes other processes, and who else asks for it in this one. The system releases it when the process ends.</summary>
    sealed class FileLock : IDisposable
    {
        /// <summary>
        /// The locks of this process. On Unix the lock of a file is its process's, and closing the file anywhere in the process releases it:
        /// so nobody here opens the file of a lock that is taken.
        /// </summary>
        static readonly HashSet<string> Taken = new HashSet<string>(StringComparer.Ordinal);

        readonly string path;
        FileStream file;

        FileLock(string path)
        {
            this.path = path;
        }

        /// <summary>Null: somebody has the lock. Throws <see cref="IOException"/> when the file can't be made.</summary>
        public static IDisposable TryTake(string path)
        {
            lock (Taken)
                if (!Taken.Add(path)) return null;
            var taken = new FileLock(path);
            try
            {
                taken.Open();
                return taken;
            }
            catch (Exception error)
            {
                taken.Dispose();
                if (IsTaken(error)) return null;
                throw;
            }
        }

        public void Dispose()
        {
            if (file != null) file.Dispose();
            lock (Taken) Taken.Remove(path);
        }

        /// <summary>Windows and .NET heed how the file is shared, the other runtimes the locked range.</summary>
        void Open()
        {
            file = new FileStream(path, FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.None);
            try
            {
                file.Lock(0, 1);
            }
            catch (NotSupportedException)
            {
                // A platform without ranges either heeds how the file is shared, or runs the game once.
            }
        }

        /// <summary>Whether another process has the lock: a sharing or lock violation of Windows and Mono, or EAGAIN of Linux and macOS.</summary>
        static bool IsTaken(Exception error)
        {
            var code = error is IOException ? error.HResult & 0xffff : 0;
            return code == 32 || code == 33 || code == 11 || code == 35;
        }
    }
}
