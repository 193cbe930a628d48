using System.Collections.Generic;

namespace EdgeGameStorage
{
    /// <summary>Options for a new asset, or with <see cref="AssetId"/> for a new version of an asset.</summary>
    public sealed class AssetUpload : UploadOptions
    {
        /// <summary>The asset to add a version to. Null: a new asset.</summary>
        public string AssetId { get; set; }

        /// <summary>With <see cref="AssetId"/>: the version to add content for <see cref="Platform"/> to. Null: a new version.</summary>
        public long? Version { get; set; }

        /// <summary>The platform that the content is for. Null: for all.</summary>
        public string Platform { get; set; }

        /// <summary>The first build of the game that can read the version. Null: no bound.</summary>
        public long? MinBuild { get; set; }

        /// <summary>The last build of the game that can read the version. Null: no bound.</summary>
        public long? MaxBuild { get; set; }

        /// <summary>The type of the new asset.</summary>
        public GameAssetType? AssetType { get; set; }

        /// <summary>Default: <see cref="EdgeGameStorage.Visibility.Private"/>.</summary>
        public Visibility? Visibility { get; set; }

        /// <summary>Plain text.</summary>
        public string Description { get; set; }

        /// <summary>Each once; the order is kept.</summary>
        public IReadOnlyList<string> Tags { get; set; }

        /// <summary>A JSON object of the game's own, of at most 4 KiB. As JSON text.</summary>
        public string Metadata { get; set; }

        /// <summary>False keeps a public asset out of the catalogue, for those who are told its id.</summary>
        public bool? Listed { get; set; }

        /// <summary>What is new in the version. Plain text.</summary>
        public string Notes { get; set; }

        internal override UploadType Type
        {
            get { return UploadType.GameAsset; }
        }

        internal override StartUpload Start(long sizeBytes, string mimeType, string checksum)
        {
            var start = new StartAssetUpload
            {
                AssetId = AssetId,
                Version = Version,
                Platform = Platform,
                Name = Name,
                AssetType = AssetType,
                Visibility = Visibility,
                Description = Description,
                Tags = Tags,
                Metadata = Metadata,
                Listed = Listed,
                Notes = Notes,
                SizeBytes = sizeBytes,
                MimeType = mimeType,
                ChecksumSha256 = checksum,
            };
            // What is assigned is sent, also null: content for a platform of a version takes neither.
            if (MinBuild != null) start.MinBuild = MinBuild;
            if (MaxBuild != null) start.MaxBuild = MaxBuild;
            return start;
        }
    }

    /// <summary>A completed upload of a version of a game asset.</summary>
    public sealed class UploadedAsset
    {
        internal UploadedAsset(CompletedUpload completed)
        {
            Asset = completed.Asset;
            Version = completed.Version;
            Upload = completed.Upload;
        }

        /// <summary>The asset, with its new version.</summary>
        public GameAsset Asset { get; }

        /// <summary>The version whose content has arrived.</summary>
        public AssetVersion Version { get; }

        /// <summary>The completed upload.</summary>
        public EndedUpload Upload { get; }
    }
}
