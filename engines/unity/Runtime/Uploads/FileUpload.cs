namespace EdgeGameStorage
{
    /// <summary>Options for a new file, or with <see cref="FileId"/> for new content of a file.</summary>
    public sealed class FileUpload : UploadOptions
    {
        /// <summary>The file whose content to replace. Null: a new file.</summary>
        public string FileId { get; set; }

        /// <summary>The folder of the new file. Null: the root.</summary>
        public string ParentId { get; set; }

        /// <summary>What the new file is used for. Default: <see cref="FileType.File"/>.</summary>
        public FileType? AssetType { get; set; }

        internal override UploadType Type
        {
            get { return UploadType.File; }
        }

        internal override StartUpload Start(long sizeBytes, string mimeType, string checksum)
        {
            var start = new StartFileUpload
            {
                FileId = FileId,
                Name = Name,
                AssetType = AssetType,
                SizeBytes = sizeBytes,
                MimeType = mimeType,
                ChecksumSha256 = checksum,
            };
            // Assigned, it would be sent, also as null.
            if (ParentId != null) start.ParentId = ParentId;
            return start;
        }

        /// <summary>
        /// Whether only an upload can keep what the options promise: an id to resume with, a key for the new content of a file, or the
        /// errors of members that contradict each other.
        /// </summary>
        internal bool NeedsUpload
        {
            get
            {
                if (UploadId != null) return true;
                if (FileId == null) return (Started != null && IdempotencyKey == null) || IfMatch != null;
                var isNamed = Name != null || ParentId != null || AssetType != null;
                return Started != null || IdempotencyKey != null || isNamed;
            }
        }
    }
}
