namespace EdgeGameStorage
{
    /// <summary>What to download: a file, a file that is shared with the user, or a version of a game asset.</summary>
    public sealed class Downloadable
    {
        Downloadable()
        {
        }

        internal string FileId { get; private set; }

        internal long? SizeBytes { get; private set; }

        internal string ShareId { get; private set; }

        internal string AssetId { get; private set; }

        internal long Version { get; private set; }

        internal string Platform { get; private set; }

        internal string ChannelKey { get; private set; }

        /// <summary>A file of the user.</summary>
        /// <param name="id">The id of the file.</param>
        /// <param name="sizeBytes">The size in the file's record. With it, small content comes in one request, in place of two.</param>
        public static Downloadable File(string id, long? sizeBytes = null)
        {
            return new Downloadable { FileId = id, SizeBytes = sizeBytes };
        }

        /// <summary>A file of the user, of which the record is at hand: small content comes in one request, in place of two.</summary>
        public static Downloadable File(FileRecord file)
        {
            return File(file.Id, file.SizeBytes);
        }

        /// <summary>A file that is shared with the user.</summary>
        public static Downloadable Share(string id)
        {
            return new Downloadable { ShareId = id };
        }

        /// <summary>A version of a game asset.</summary>
        /// <param name="assetId">The asset.</param>
        /// <param name="version">The number of the version.</param>
        /// <param name="platform">The platform that content is wanted for. Null: the version's own content.</param>
        /// <param name="channelKey">The key of a channel that has the version. Null: everybody gets it, or the user is the owner.</param>
        public static Downloadable AssetVersion(string assetId, long version, string platform = null, string channelKey = null)
        {
            return new Downloadable { AssetId = assetId, Version = version, Platform = platform, ChannelKey = channelKey };
        }
    }
}
