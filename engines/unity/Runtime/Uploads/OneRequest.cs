using System;
using System.Collections.Generic;
using System.Linq;
using System.Security.Cryptography;
using System.Threading;
using System.Threading.Tasks;

namespace EdgeGameStorage
{
    /// <summary>
    /// Sends small files in one request each. A refusal that says that content needs an upload has had no effect; it is remembered,
    /// because the limit and the kinds that are checked first are the deployment's.
    /// </summary>
    sealed class OneRequest
    {
        /// <summary>The service's default limit of content in one request (MAX_INLINE_BYTES).</summary>
        public const long MaxBytes = 1024 * 1024;

        readonly GameStorage storage;
        readonly Transport transport;
        readonly object gate = new object();
        readonly HashSet<string> checkedKinds = new HashSet<string>();
        long mostBytes = MaxBytes;

        public OneRequest(GameStorage storage, Transport transport)
        {
            this.storage = storage;
            this.transport = transport;
        }

        /// <summary>Creates a file, or replaces the content of one. Null: that takes an upload.</summary>
        public async Task<FileRecord> SendAsync(UploadContent content, FileUpload options, CancellationToken cancel)
        {
            var kind = options.AssetType + " " + options.MimeTypeOrDefault;
            lock (gate)
                if (content.Size > mostBytes || checkedKinds.Contains(kind)) return null;
            if (options.NeedsUpload) return null;
            var sent = new SentBytes(options.Progress, null, content.Size);
            sent.Begin(0);
            cancel.ThrowIfCancellationRequested();
            var bytes = await content.ReadWholeAsync();
            try
            {
                FileRecord file;
                try
                {
                    file = await SendAsync(bytes, options, cancel);
                }
                catch (StorageException error) when (error.Code == ErrorCodes.UploadMismatch)
                {
                    // What arrived may differ from what was sent.
                    file = null;
                }
                if (file == null) file = await SendAsync(bytes, options, cancel);
                sent.Begin(content.Size);
                return file;
            }
            catch (StorageException error) when (NeedsUpload(error, content.Size, kind))
            {
                return null;
            }
        }

        /// <summary>Whether a refusal says that the content needs an upload, which is remembered.</summary>
        bool NeedsUpload(StorageException error, long size, string kind)
        {
            lock (gate)
                switch (error.Code)
                {
                    case ErrorCodes.BodyTooLarge:
                        mostBytes = Math.Min(mostBytes, size - 1);
                        return true;
                    case ErrorCodes.UploadRequired:
                        checkedKinds.Add(kind);
                        return true;
                    // A service of before these operations.
                    case ErrorCodes.NotFound:
                    case ErrorCodes.MethodNotAllowed:
                        mostBytes = -1;
                        return true;
                    // The key may be that of an upload.
                    case ErrorCodes.IdempotencyKeyReused:
                        return true;
                    default:
                        return false;
                }
        }

        Task<FileRecord> SendAsync(byte[] bytes, FileUpload options, CancellationToken cancel)
        {
            var digest = "sha-256=:" + (options.ChecksumSha256 ?? ChecksumOf(bytes)) + ":";
            var body = new HttpBody(bytes);
            if (options.FileId != null) return ReplaceAsync(bytes, digest, options, cancel);
            var query = new CreateContentQuery
            {
                Name = options.Name,
                ParentId = options.ParentId,
                AssetType = options.AssetType,
                ContentDigest = digest,
            };
            var creation = new CreationOptions { IdempotencyKey = options.IdempotencyKey };
            return storage.CreateContentAsync(body, options.MimeTypeOrDefault, query, creation, cancel);
        }

        async Task<FileRecord> ReplaceAsync(byte[] bytes, string digest, FileUpload options, CancellationToken cancel)
        {
            var wasLost = false;
            var path = "/v1/files/" + Paths.Part("FileId", options.FileId) + "/content";
            var request = new Request("PUT /v1/files/{id}/content", path) { IsRepeatable = true, OnLost = () => wasLost = true }
                .WithHeader("Content-Digest", digest)
                .WithContent(new HttpBody(bytes), options.MimeTypeOrDefault)
                .Changing(ChangeOptions.Of(options.IfMatch));
            try
            {
                return await transport.SendAsync(request, (from, answer) => FileRecord.Read(from, answer), cancel);
            }
            catch (StorageException error) when (error.Code == ErrorCodes.PreconditionFailed && wasLost)
            {
                // An earlier attempt, whose answer was lost, may be what has changed the file.
                var file = await FileWithAsync(bytes, options.FileId, cancel);
                if (file == null) throw;
                return file;
            }
        }

        /// <summary>The file, if these bytes are its content now.</summary>
        async Task<FileRecord> FileWithAsync(byte[] bytes, string id, CancellationToken cancel)
        {
            var found = await storage.GetFileAsync(id, cancel);
            var content = await storage.GetContentAsync(id, null, cancel);
            return ETags.Strong(content.ETag) == ETags.Strong(found.ETag) && content.Bytes.SequenceEqual(bytes) ? found.File : null;
        }

        static string ChecksumOf(byte[] bytes)
        {
            using (var hash = SHA256.Create()) return Convert.ToBase64String(hash.ComputeHash(bytes));
        }
    }
}
