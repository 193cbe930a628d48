using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace EdgeGameStorage
{
    public sealed partial class GameStorage
    {
        /// <summary>
        /// Brings what a device has of assets up to date. What is cut off goes on, also after a restart, and a version takes the place of the
        /// old one when its checksum is right. What has no update is in <see cref="UpdateResult.Refused"/>, and stays as it is. Throws
        /// <see cref="StorageException"/>, like <c>NETWORK_ERROR</c>: what was installed until then stays, and the next call goes on; and
        /// <see cref="System.IO.IOException"/> when the disk is full.
        /// </summary>
        /// <example><code>
        /// var worlds = new InstalledContent(folder);
        /// await storage.UpdateAssetsAsync(worlds, new UpdateOptions { Platform = "windows", Assets = new[] { new WantedAsset(id) } });
        /// </code></example>
        public Task<UpdateResult> UpdateAssetsAsync(
            InstalledContent installed, UpdateOptions options = null, CancellationToken cancel = default(CancellationToken))
        {
            if (installed == null) throw new ArgumentNullException("installed");
            return new Updater(this, transport.Platform, options ?? new UpdateOptions()).InstallAsync(installed, cancel);
        }

        /// <summary>Says what is newer than what a device has, for a game that keeps content by itself. Throws as <see cref="UpdateAssetsAsync"/>.</summary>
        public Task<UpdateResult> FindUpdatesAsync(
            IReadOnlyList<InstalledVersion> installed, UpdateOptions options = null, CancellationToken cancel = default(CancellationToken))
        {
            if (installed == null) throw new ArgumentNullException("installed");
            return new Updater(this, transport.Platform, options ?? new UpdateOptions()).FindAsync(installed, cancel);
        }

        /// <summary>
        /// The path of the file with the content of what is installed. Needs no network. The first call after a start computes its checksum,
        /// which takes a second for a hundred megabytes. Throws <see cref="StorageException"/> with <c>CONTENT_DAMAGED</c> when the
        /// device has other bytes, or none any more: the next update downloads it again.
        /// </summary>
        public Task<string> GetInstalledPathAsync(
            InstalledContent installed, InstalledVersion version, CancellationToken cancel = default(CancellationToken))
        {
            if (installed == null) throw new ArgumentNullException("installed");
            if (version == null) throw new ArgumentNullException("version");
            return Updater.PathOfAsync(installed, version, transport.Platform, cancel);
        }

        /// <summary>Removes an asset from the device.</summary>
        public Task RemoveInstalledAsync(InstalledContent installed, string assetId, CancellationToken cancel = default(CancellationToken))
        {
            if (installed == null) throw new ArgumentNullException("installed");
            return installed.RemoveAsync(assetId, transport.Platform, cancel);
        }

        /// <summary>
        /// Has everybody get a version of an asset of the user: the channel <c>live</c>. Throws <see cref="StorageException"/>, like
        /// <c>PRECONDITION_FAILED</c> when the asset is not as it was read.
        /// </summary>
        public Task<AssetChannel> ReleaseAsync(
            string id, long version, ChangeOptions options = null, CancellationToken cancel = default(CancellationToken))
        {
            return SetChannelAsync(id, "live", new SetChannel { Version = version }, options, cancel);
        }
    }
}
