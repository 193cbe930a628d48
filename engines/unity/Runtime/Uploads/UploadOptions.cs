using System;

namespace EdgeGameStorage
{
    /// <summary>The options of an upload, whatever it is for.</summary>
    public abstract class UploadOptions
    {
        internal UploadOptions()
        {
        }

        /// <summary>The name of the new file or asset.</summary>
        public string Name { get; set; }

        /// <summary>The type of the content. Default: <c>application/octet-stream</c>.</summary>
        public string MimeType { get; set; }

        /// <summary>
        /// The interrupted upload to resume, with the same content. Null: a new upload is started. Content of another size is refused with
        /// <see cref="ArgumentException"/>, and content that goes in one PUT and has another checksum than the upload was started with by
        /// <c>CONTENT_CHANGED</c>. Of content that goes in parts, each recorded part is compared by its checksum, and sent again where it
        /// differs.
        /// </summary>
        public string UploadId { get; set; }

        /// <summary>
        /// The ETag of the file or asset when it was read. The upload fails with <c>PRECONDITION_FAILED</c> when it has changed since.
        /// </summary>
        public string IfMatch
        {
            get { return ifMatch; }
            set { ifMatch = Request.Given(value); }
        }

        string ifMatch;

        /// <summary>As <see cref="CreationOptions.IdempotencyKey"/>.</summary>
        public string IdempotencyKey { get; set; }

        /// <summary>The SHA-256 of the content in base64, where the game knows it. Default: computed, up to 100 MiB.</summary>
        public string ChecksumSha256 { get; set; }

        /// <summary>How many parts are sent at a time. Default: 4.</summary>
        public int Parallel { get; set; } = 4;

        /// <summary>
        /// Told the progress, at least once, on the thread that sends. A <see cref="Progress{T}"/> that is made on the main thread calls
        /// its handler there.
        /// </summary>
        public IProgress<UploadProgress> Progress { get; set; }

        /// <summary>
        /// Called with the upload before content is sent. Keep its <c>Id</c>, to resume with, until the upload is complete. With
        /// <c>Started</c>, small content also goes through an upload, unless a new file has an <see cref="IdempotencyKey"/>: then it goes
        /// in one request without this call, and the same call with the same key creates nothing twice.
        /// </summary>
        public Action<Upload> Started { get; set; }

        /// <summary>Called with the upload when its content waits for the studio's check (docs/content-check.md).</summary>
        public Action<EndedUpload> Processing { get; set; }

        internal abstract UploadType Type { get; }

        /// <summary>The request that starts the upload.</summary>
        internal abstract StartUpload Start(long sizeBytes, string mimeType, string checksum);

        internal string MimeTypeOrDefault
        {
            get { return MimeType ?? "application/octet-stream"; }
        }
    }
}
