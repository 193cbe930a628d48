using System;
using System.IO;
using System.Threading;
using System.Threading.Tasks;

namespace EdgeGameStorage
{
    public sealed partial class GameStorage
    {
        Uploader uploader;

        /// <summary>
        /// Creates a file in the root: small content in one request, more by an upload, in parts where it is large, with what is lost sent
        /// again. The content is the whole stream, which must be able to seek, and must not be used meanwhile.
        /// </summary>
        /// <example><code>
        /// using (var replay = File.OpenRead(path))
        ///     await storage.UploadFileAsync(replay, "replay.bin", new Progress&lt;UploadProgress&gt;(Show), cancel);
        /// </code></example>
        public Task<FileRecord> UploadFileAsync(
            Stream content,
            string name,
            IProgress<UploadProgress> progress = null,
            CancellationToken cancel = default(CancellationToken))
        {
            return UploadFileAsync(content, new FileUpload { Name = name, Progress = progress }, cancel);
        }

        /// <summary>
        /// Creates a file, or replaces the content of one. Throws <see cref="StorageException"/> with the codes of the service, and with
        /// <c>STORAGE_REFUSED</c> or <c>NETWORK_ERROR</c> when the content could not be sent: the upload can be resumed then. With
        /// <c>CONTENT_CHANGED</c> when the content has another length than when the upload began, or is a file that was written meanwhile.
        /// </summary>
        public Task<FileRecord> UploadFileAsync(Stream content, FileUpload options, CancellationToken cancel = default(CancellationToken))
        {
            if (options == null) throw new ArgumentNullException("options");
            Request.CheckMatch(options.IfMatch);
            if (options.Name == null && options.FileId == null && options.UploadId == null)
                throw new ArgumentException("Give the Name of a new file, or the FileId of the file whose content to replace.", "options");
            return Uploader.SendFileAsync(content, options, cancel);
        }

        /// <summary>Creates a game asset, or adds a version to one. Throws as <see cref="UploadFileAsync(Stream, FileUpload, CancellationToken)"/>.</summary>
        public Task<UploadedAsset> UploadAssetAsync(Stream content, AssetUpload options, CancellationToken cancel = default(CancellationToken))
        {
            if (options == null) throw new ArgumentNullException("options");
            Request.CheckMatch(options.IfMatch);
            return Uploader.SendAssetAsync(content, options, cancel);
        }

        Uploader Uploader
        {
            get
            {
                if (uploader == null) Interlocked.CompareExchange(ref uploader, new Uploader(this, transport), null);
                return uploader;
            }
        }
    }
}
