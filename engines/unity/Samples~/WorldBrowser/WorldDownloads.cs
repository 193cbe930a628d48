using System;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace EdgeGameStorage.Samples
{
    /// <summary>
    /// The worlds on this device: a file for each version, because a version never changes. A download that was stopped, by the player or
    /// by a crash, goes on where it was.
    /// </summary>
    sealed class WorldDownloads
    {
        const int RangeNotSatisfiable = 416;

        readonly GameStorage storage;
        readonly string folder;

        public WorldDownloads(GameStorage storage, string folder)
        {
            this.storage = storage;
            this.folder = folder;
        }

        /// <summary>The file of the world's current version; null when it is not on this device, or not all of it.</summary>
        public string FileOf(GameAssetWithVersions world)
        {
            var path = PathOf(world);
            return File.Exists(path) ? path : null;
        }

        /// <summary>How many bytes of the world's current version a stopped download has left on this device.</summary>
        public long BegunBytes(GameAssetWithVersions world)
        {
            var part = new FileInfo(PartOf(world));
            return part.Exists ? part.Length : 0;
        }

        /// <summary>
        /// Downloads the world's current version, and returns the path of its file. Throws <see cref="PlayerProblem"/> when the world has
        /// no content, <see cref="StorageException"/>, and <see cref="IOException"/> when the disk is full.
        /// </summary>
        public async Task<string> DownloadAsync(GameAssetWithVersions world, IProgress<DownloadProgress> progress, CancellationToken cancel)
        {
            if (world.CurrentVersion == 0) throw new PlayerProblem("This world is empty so far. Please come back later.");
            var path = PathOf(world);
            if (File.Exists(path)) return path;
            Directory.CreateDirectory(folder);
            try
            {
                await GoOnAsync(world, progress, cancel);
            }
            catch (StorageException error) when (IsOther(error) && BegunBytes(world) > 0)
            {
                File.Delete(PartOf(world)); // What an earlier run has left is no beginning of this content.
                await GoOnAsync(world, progress, cancel);
            }
            var version = world.Versions.FirstOrDefault(known => known.Version == world.CurrentVersion);
            if (version != null && BegunBytes(world) != version.SizeBytes)
            {
                File.Delete(PartOf(world));
                throw new IOException("The file has another size than the version.");
            }
            File.Move(PartOf(world), path);
            return path;
        }

        async Task GoOnAsync(GameAssetWithVersions world, IProgress<DownloadProgress> progress, CancellationToken cancel)
        {
            using (var file = new FileStream(PartOf(world), FileMode.Append, FileAccess.Write))
            {
                var options = new DownloadOptions { Start = file.Position, Progress = progress };
                await storage.DownloadAsync(Downloadable.AssetVersion(world.Id, world.CurrentVersion), file, options, cancel);
            }
        }

        static bool IsOther(StorageException error)
        {
            var isBeyondEnd = error.Code == ErrorCodes.StorageRefused && error.Status == RangeNotSatisfiable;
            return isBeyondEnd || error.Code == ErrorCodes.PreconditionFailed;
        }

        string PathOf(GameAssetWithVersions world)
        {
            return Path.Combine(folder, world.Id + "-" + world.CurrentVersion + ".world");
        }

        string PartOf(GameAssetWithVersions world)
        {
            return PathOf(world) + ".part";
        }
    }
}
