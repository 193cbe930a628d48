using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace EdgeGameStorage
{
    /// <summary>One update of what a device has.</summary>
    sealed class Updater
    {
        /// <summary>The most items of a request.</summary>
        const int Items = 100;

        /// <summary>Content that is damaged is downloaded once more, from the start: its beginning may be what an earlier run has left.</summary>
        const int Attempts = 2;

        readonly GameStorage storage;
        readonly IPlatform platform;
        readonly UpdateOptions options;
        readonly Dictionary<string, string> channelKeys = new Dictionary<string, string>(StringComparer.Ordinal);

        public Updater(GameStorage storage, IPlatform platform, UpdateOptions options)
        {
            this.storage = storage;
            this.platform = platform;
            this.options = options;
            foreach (var wanted in options.Assets ?? new WantedAsset[0]) channelKeys[wanted.AssetId] = wanted.ChannelKey;
        }

        public async Task<UpdateResult> FindAsync(IEnumerable<InstalledVersion> installed, CancellationToken cancel)
        {
            var versions = channelKeys.Keys.ToDictionary(id => id, id => 0L, StringComparer.Ordinal);
            foreach (var version in installed) versions[version.AssetId] = version.Version;
            var items = versions.Select(item => new PresentVersion
            {
                AssetId = item.Key,
                Version = item.Value,
                Platform = options.Platform,
                ChannelKey = ChannelKeyOf(item.Key),
            }).ToList();
            var updates = new List<InstalledVersion>();
            var refused = new List<RefusedUpdate>();
            for (var at = 0; at < items.Count; at += Items)
            {
                var body = new GetUpdates { Items = items.Skip(at).Take(Items).ToList(), Build = options.Build };
                foreach (var found in (await storage.GetUpdatesAsync(body, cancel)).Updates)
                    if (found.Code != null) refused.Add(new RefusedUpdate(found.AssetId, found.Code));
                    else if (found.Version != null) updates.Add(VersionOf(found));
            }
            return new UpdateResult(updates, refused);
        }

        public async Task<UpdateResult> InstallAsync(InstalledContent installed, CancellationToken cancel)
        {
            var rows = await installed.RowsAsync();
            // Of what has lost its content, the device has nothing.
            var versions = rows.Select(row => installed.HasContent(row) ? row : new InstalledVersion { AssetId = row.AssetId });
            var found = await FindAsync(versions.ToList(), cancel);
            var updates = new List<InstalledVersion>();
            var refused = found.Refused.ToList();
            foreach (var update in found.Updates)
                try
                {
                    await InstallAsync(installed, update, cancel);
                    updates.Add(update);
                }
                catch (StorageException error) when (IsOfOneAsset(error))
                {
                    refused.Add(new RefusedUpdate(update.AssetId, error.Code));
                }
            return new UpdateResult(updates, refused);
        }

        public static async Task<string> PathOfAsync(
            InstalledContent installed, InstalledVersion version, IPlatform platform, CancellationToken cancel)
        {
            var path = installed.PathOf(version);
            if (!installed.HasContent(version)) throw Damaged(version);
            if (installed.IsVerified(version)) return path;
            if (await ChecksumAsync(path, platform, cancel) != version.ChecksumSha256)
            {
                installed.Discard(version);
                throw Damaged(version);
            }
            installed.SetVerified(version);
            return path;
        }

        async Task InstallAsync(InstalledContent installed, InstalledVersion update, CancellationToken cancel)
        {
            // Others would write the same file.
            using (await installed.LockAsync(update.AssetId, platform, cancel))
            {
                if (!installed.HasContent(update)) await DownloadAsync(installed, update, cancel);
                await installed.InstallAsync(update, platform, cancel);
            }
        }

        async Task DownloadAsync(InstalledContent installed, InstalledVersion update, CancellationToken cancel)
        {
            var path = installed.BegunPathOf(update);
            for (var attempt = 1; attempt <= Attempts; attempt++)
            {
                var isWhole = await GoOnAsync(path, update, cancel);
                if (isWhole && (update.ChecksumSha256 == null || await ChecksumAsync(path, platform, cancel) == update.ChecksumSha256))
                {
                    installed.SetVerified(update);
                    return;
                }
                File.Delete(path);
            }
            throw Damaged(update);
        }

        /// <summary>Downloads what is missing behind what an earlier run has left. False: that is no beginning of this content.</summary>
        async Task<bool> GoOnAsync(string path, InstalledVersion update, CancellationToken cancel)
        {
            using (var file = new FileStream(path, FileMode.Append, FileAccess.Write, FileShare.Read))
            {
                var told = new Told(options.Progress, update);
                told.Tell(file.Position);
                if (file.Position < update.SizeBytes)
                    try
                    {
                        var what = Downloadable.AssetVersion(update.AssetId, update.Version, update.Platform, ChannelKeyOf(update.AssetId));
                        await storage.DownloadAsync(what, file, new DownloadOptions { Start = file.Position, Progress = told }, cancel);
                    }
                    catch (StorageException error) when (error.Code == ErrorCodes.PreconditionFailed || Piece.IsBeyondEnd(error))
                    {
                        return false;
                    }
                file.Flush(true);
                return file.Length == update.SizeBytes;
            }
        }

        static async Task<string> ChecksumAsync(string path, IPlatform platform, CancellationToken cancel)
        {
            using (var file = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete))
            using (var content = new UploadContent(file, platform))
                return await content.ChecksumAsync(0, content.Size, cancel);
        }

        string ChannelKeyOf(string assetId)
        {
            string key;
            return channelKeys.TryGetValue(assetId, out key) ? key : null;
        }

        static InstalledVersion VersionOf(AssetUpdateResult found)
        {
            return new InstalledVersion
            {
                AssetId = found.AssetId,
                Version = found.Version.Value,
                Platform = found.Platform,
                ChecksumSha256 = found.ChecksumSha256,
                SizeBytes = Json.Required(found.SizeBytes, "size_bytes"),
            };
        }

        /// <summary>Whether the next asset may be updated all the same.</summary>
        static bool IsOfOneAsset(StorageException error)
        {
            return error.Code == ErrorCodes.ContentDamaged || error.Code == ErrorCodes.StorageRefused || error.Status == 404;
        }

        static StorageException Damaged(InstalledVersion version)
        {
            return new StorageException(
                ErrorCodes.ContentDamaged, "The content of the asset " + version.AssetId + " is damaged or gone: update it again.");
        }

        /// <summary>Tells the progress of a download as that of an update.</summary>
        sealed class Told : IProgress<DownloadProgress>
        {
            readonly IProgress<UpdateProgress> progress;
            readonly InstalledVersion update;

            public Told(IProgress<UpdateProgress> progress, InstalledVersion update)
            {
                this.progress = progress;
                this.update = update;
            }

            public void Report(DownloadProgress value)
            {
                Tell(value.ReceivedBytes);
            }

            public void Tell(long receivedBytes)
            {
                if (progress != null) progress.Report(new UpdateProgress(update.AssetId, receivedBytes, update.SizeBytes));
            }
        }
    }
}
