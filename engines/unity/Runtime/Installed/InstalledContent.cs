using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;

namespace EdgeGameStorage
{
    /// <summary>
    /// The content of assets that a device has, in a folder: <c>storage.UpdateAssetsAsync</c> keeps it up to date, and it is there without a
    /// network. Several processes may use the same folder. Files do not outlive the page of a player in a browser.
    /// </summary>
    /// <example><code>new InstalledContent(Path.Combine(Application.persistentDataPath, "worlds"))</code></example>
    public sealed class InstalledContent
    {
        const string RowsKey = "installed";

        /// <summary>How often a lock is asked for that somebody else has, perhaps for a whole download.</summary>
        static readonly TimeSpan LockDelay = TimeSpan.FromMilliseconds(50);

        readonly string folder;
        readonly FileSaveStore rows;
        readonly HashSet<string> verified = new HashSet<string>(StringComparer.Ordinal);

        /// <param name="folder">Made when it is missing, also later: systems let players clear a game's data. Give it one of its own.</param>
        public InstalledContent(string folder)
        {
            this.folder = Path.GetFullPath(folder);
            rows = new FileSaveStore(Path.Combine(this.folder, "installed"));
        }

        /// <summary>Lists what the device has, whole. Needs no network.</summary>
        public async Task<IReadOnlyList<InstalledVersion>> ListAsync(CancellationToken cancel = default(CancellationToken))
        {
            cancel.ThrowIfCancellationRequested();
            return (await RowsAsync()).Where(HasContent).ToList();
        }

        /// <summary>What was installed, also what has lost its content since. Passes over what is damaged, or is something else.</summary>
        internal async Task<List<InstalledVersion>> RowsAsync()
        {
            var packed = await rows.GetAsync(RowsKey);
            var found = packed == null ? null : Json.TryParse(Encoding.UTF8.GetString(packed));
            var list = found == null ? null : found[RowsKey] as JArray;
            return (list ?? new JArray()).Select(RowIn).Where(row => row != null).ToList();
        }

        static InstalledVersion RowIn(JToken from)
        {
            try
            {
                var row = from is JObject ? InstalledVersion.Read((JObject)from) : null;
                return row != null && IsFileName(row.Key) ? row : null;
            }
            catch (FormatException)
            {
                return null;
            }
        }

        /// <summary>Whether there is content of the size that this version has.</summary>
        internal bool HasContent(InstalledVersion version)
        {
            var file = new FileInfo(PathOf(version));
            return file.Exists && file.Length == version.SizeBytes;
        }

        /// <summary>The file of whole content.</summary>
        internal string PathOf(InstalledVersion version)
        {
            return Named(version.Key + ".content");
        }

        /// <summary>The file of content that is on its way.</summary>
        internal string BegunPathOf(InstalledVersion version)
        {
            Directory.CreateDirectory(folder);
            return Named(version.Key + "." + version.AssetId + ".part");
        }

        /// <summary>Whether the checksum of content was right since the start.</summary>
        internal bool IsVerified(InstalledVersion version)
        {
            lock (verified) return version.ChecksumSha256 == null || verified.Contains(version.Key);
        }

        internal void SetVerified(InstalledVersion version)
        {
            lock (verified) verified.Add(version.Key);
        }

        /// <summary>Deletes content that is damaged.</summary>
        internal void Discard(InstalledVersion version)
        {
            File.Delete(PathOf(version));
        }

        /// <summary>
        /// Replaces what is installed of an asset in one step: after a kill at any moment, either the old or the new is. Content that no asset
        /// has goes: that of the old, and what processes have left that were killed in here.
        /// </summary>
        internal async Task InstallAsync(InstalledVersion version, IPlatform platform, CancellationToken cancel)
        {
            using (await LockAsync(RowsKey, platform, cancel))
            {
                if (!HasContent(version))
                {
                    Discard(version);
                    File.Move(BegunPathOf(version), PathOf(version));
                }
                await ReplaceAsync(version.AssetId, version);
            }
        }

        internal async Task RemoveAsync(string assetId, IPlatform platform, CancellationToken cancel)
        {
            using (await LockAsync(RowsKey, platform, cancel)) await ReplaceAsync(assetId, null);
        }

        /// <summary>Takes a lock, which excludes other processes, and others in this one.</summary>
        internal async Task<IDisposable> LockAsync(string name, IPlatform platform, CancellationToken cancel)
        {
            for (;;)
            {
                Directory.CreateDirectory(folder);
                var taken = FileLock.TryTake(Named(name + ".lock"));
                if (taken != null) return taken;
                await platform.DelayAsync(LockDelay, cancel);
            }
        }

        async Task ReplaceAsync(string assetId, InstalledVersion version)
        {
            var kept = (await RowsAsync()).Where(row => row.AssetId != assetId).ToList();
            if (version != null) kept.Add(version);
            var packed = new JObject { { RowsKey, new JArray(kept.Select(row => row.ToJson()).ToArray()) } };
            await rows.SetAsync(RowsKey, Encoding.UTF8.GetBytes(packed.ToString(Formatting.None)));
            var paths = new HashSet<string>(kept.Select(PathOf), StringComparer.Ordinal);
            foreach (var path in Directory.GetFiles(folder, "*.content"))
                if (!paths.Contains(path)) Delete(path);
            foreach (var begun in Directory.GetFiles(folder, "*." + assetId + ".part")) Delete(begun);
        }

        /// <summary>Windows deletes no file that the game has open: it stays.</summary>
        static void Delete(string path)
        {
            try
            {
                File.Delete(path);
            }
            catch (Exception error) when (error is IOException || error is UnauthorizedAccessException)
            {
            }
        }

        /// <summary>The path of a name that an answer of the service has a part in.</summary>
        string Named(string name)
        {
            if (!IsFileName(name)) throw new FormatException("This is no id of an asset: " + name);
            return Path.Combine(folder, name);
        }

        static bool IsFileName(string name)
        {
            return name.IndexOfAny(Path.GetInvalidFileNameChars()) < 0;
        }
    }
}
