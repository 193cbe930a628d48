namespace EdgeGameStorage
{
    /// <summary>How much of the content has been sent.</summary>
    public sealed class UploadProgress
    {
        internal UploadProgress(string uploadId, long sentBytes, long sizeBytes)
        {
            UploadId = uploadId;
            SentBytes = sentBytes;
            SizeBytes = sizeBytes;
        }

        /// <summary>Null when the content goes in one request.</summary>
        public string UploadId { get; }

        /// <summary>Decreases when a part is sent again.</summary>
        public long SentBytes { get; }

        /// <summary>The size of the content.</summary>
        public long SizeBytes { get; }
    }
}
