using System;

namespace EdgeGameStorage
{
    /// <summary>The options of a download. Each has a default.</summary>
    public sealed class DownloadOptions
    {
        /// <summary>
        /// The first byte to download: to go on after a restart, as many as have been written. Beyond the end the download fails with
        /// <c>STORAGE_REFUSED</c>, and the status 416. Default: 0.
        /// </summary>
        public long Start { get; set; }

        /// <summary>The byte before which to end. Null: after the last.</summary>
        public long? End { get; set; }

        /// <summary>
        /// The ETag that an earlier run was told. The download fails with <c>PRECONDITION_FAILED</c> when the content is another one now.
        /// Null: any content.
        /// </summary>
        public string ETag { get; set; }

        /// <summary>
        /// Told the progress, at least once, on the thread that receives. A <see cref="Progress{T}"/> that is made on the main thread
        /// calls its handler there.
        /// </summary>
        public IProgress<DownloadProgress> Progress { get; set; }
    }

    /// <summary>How much of the content has arrived.</summary>
    public sealed class DownloadProgress
    {
        internal DownloadProgress(long receivedBytes, long writtenBytes, long? sizeBytes, string etag)
        {
            ReceivedBytes = receivedBytes;
            WrittenBytes = writtenBytes;
            SizeBytes = sizeBytes;
            ETag = etag;
        }

        /// <summary>Those before <see cref="DownloadOptions.Start"/> included. Decreases when a piece is requested again.</summary>
        public long ReceivedBytes { get; }

        /// <summary>
        /// How many of them the target has, flushed: the <see cref="DownloadOptions.Start"/> of a download that goes on.
        /// </summary>
        public long WrittenBytes { get; }

        /// <summary>The size of the whole content; null before the first piece has arrived.</summary>
        public long? SizeBytes { get; }

        /// <summary>
        /// Identifies the content: for <see cref="DownloadOptions.ETag"/>. Null before the first piece has arrived, and of content that comes
        /// in one request.
        /// </summary>
        public string ETag { get; }
    }

    /// <summary>What a download has written.</summary>
    public sealed class DownloadResult
    {
        internal DownloadResult(long sizeBytes, string etag)
        {
            SizeBytes = sizeBytes;
            ETag = etag;
        }

        /// <summary>The size of the whole content.</summary>
        public long SizeBytes { get; }

        /// <summary>Identifies the content; null of content that came in one request.</summary>
        public string ETag { get; }
    }
}
