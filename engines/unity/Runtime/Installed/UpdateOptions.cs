using System;
using System.Collections.Generic;

namespace EdgeGameStorage
{
    /// <summary>The options of an update. Each has a default.</summary>
    public sealed class UpdateOptions
    {
        /// <summary>The platform that content is wanted for. Null: content for all, or what a version's own content is for.</summary>
        public string Platform { get; set; }

        /// <summary>The build of the game: versions that don't fit it are passed over.</summary>
        public long? Build { get; set; }

        /// <summary>Assets that the device is to have, too. Null: none but those that it has.</summary>
        public IReadOnlyList<WantedAsset> Assets { get; set; }

        /// <summary>
        /// Told the progress of each asset whose content is downloaded, on the thread that receives. A <see cref="Progress{T}"/> that is made
        /// on the main thread calls its handler there.
        /// </summary>
        public IProgress<UpdateProgress> Progress { get; set; }
    }

    /// <summary>An asset that a device is to have.</summary>
    public sealed class WantedAsset
    {
        /// <param name="assetId">The id of the asset.</param>
        /// <param name="channelKey">The key of a channel, whose version the device is to have. Null: what players get.</param>
        public WantedAsset(string assetId, string channelKey = null)
        {
            if (assetId == null) throw new ArgumentNullException("assetId");
            AssetId = assetId;
            ChannelKey = channelKey;
        }

        public string AssetId { get; }

        public string ChannelKey { get; }
    }

    /// <summary>How much of the content of an asset has arrived.</summary>
    public sealed class UpdateProgress
    {
        internal UpdateProgress(string assetId, long receivedBytes, long sizeBytes)
        {
            AssetId = assetId;
            ReceivedBytes = receivedBytes;
            SizeBytes = sizeBytes;
        }

        public string AssetId { get; }

        /// <summary>Those of an earlier run included. Decreases when a piece is requested again.</summary>
        public long ReceivedBytes { get; }

        /// <summary>The size of the content.</summary>
        public long SizeBytes { get; }
    }

    /// <summary>What an update has found, and installed where it was given a place for it.</summary>
    public sealed class UpdateResult
    {
        internal UpdateResult(IReadOnlyList<InstalledVersion> updates, IReadOnlyList<RefusedUpdate> refused)
        {
            Updates = updates;
            Refused = refused;
        }

        /// <summary>The versions that take the place of those that the device has.</summary>
        public IReadOnlyList<InstalledVersion> Updates { get; }

        /// <summary>The assets that have no update. What the device has of them stays.</summary>
        public IReadOnlyList<RefusedUpdate> Refused { get; }
    }

    /// <summary>Why an asset has no update.</summary>
    public sealed class RefusedUpdate
    {
        internal RefusedUpdate(string assetId, string code)
        {
            AssetId = assetId;
            Code = code;
        }

        public string AssetId { get; }

        /// <summary>One of <see cref="ErrorCodes"/>, or a code that a later version of the service has added.</summary>
        public string Code { get; }
    }
}
