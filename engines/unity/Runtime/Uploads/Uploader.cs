using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace EdgeGameStorage
{
    /// <summary>Uploads files and assets.</summary>
    sealed class Uploader
    {
        /// <summary>The service's default limit of content in one PUT.</summary>
        const long OnePutBytes = 100 * 1024 * 1024;

        /// <summary>The status of a repeated PUT: an upload URL creates its object once, so the content has arrived.</summary>
        const int PreconditionFailed = 412;

        static readonly TimeSpan MinPoll = TimeSpan.FromMilliseconds(500);
        static readonly TimeSpan MaxPoll = TimeSpan.FromSeconds(30);

        readonly GameStorage storage;
        readonly Transport transport;
        readonly OneRequest oneRequest;

        public Uploader(GameStorage storage, Transport transport)
        {
            this.storage = storage;
            this.transport = transport;
            oneRequest = new OneRequest(storage, transport);
        }

        public async Task<FileRecord> SendFileAsync(Stream stream, FileUpload options, CancellationToken cancel)
        {
            using (var content = new UploadContent(stream, transport.Platform))
            {
                var file = await oneRequest.SendAsync(content, options, cancel);
                if (file != null) return file;
                var completed = await SendAsync(content, options, cancel);
                return completed.File;
            }
        }

        public async Task<UploadedAsset> SendAssetAsync(Stream stream, AssetUpload options, CancellationToken cancel)
        {
            using (var content = new UploadContent(stream, transport.Platform))
                return new UploadedAsset(await SendAsync(content, options, cancel));
        }

        async Task<CompletedUpload> SendAsync(UploadContent content, UploadOptions options, CancellationToken cancel)
        {
            if (options.Parallel < 1) throw new ArgumentException("Parallel is " + options.Parallel + ": give at least 1.", "options");
            var isResumed = options.UploadId != null;
            var upload = isResumed ? await storage.GetUploadAsync(options.UploadId, cancel) : await StartAsync(content, options, cancel);
            if (upload.UploadType != options.Type)
                throw new ArgumentException(
                    "The upload is one of " + (options.Type == UploadType.File ? "an asset: use UploadAssetAsync." : "a file: use UploadFileAsync."), "options");
            if (upload.SizeBytes != content.Size)
                throw new ArgumentException(
                    "The upload is one of " + upload.SizeBytes + " bytes, and the content has " + content.Size + ".", "content");
            if (options.Started != null) options.Started(upload);

            Func<Task<CompletedUpload>> complete = () => CompleteAsync(upload.Id, null, options, cancel);
            if (upload.State != UploadState.Open) return await complete();
            var sent = new SentBytes(options.Progress, upload.Id, content.Size);
            if (upload.Multipart != null) return await SendPartsAsync(upload, content, options, sent, cancel);
            if (isResumed) await CompareAsync(upload, content, cancel);
            // Its content may have arrived before the upload was cut.
            var completed = isResumed ? await UnlessAsync(ErrorCodes.UploadIncomplete, complete) : null;
            if (completed != null) return completed;
            await UnlessAsync(ErrorCodes.UploadCompleted, () => SendWholeAsync(upload, content, sent, cancel));
            return await complete();
        }

        /// <summary>Compares content with the checksum that its upload in one PUT was started with.</summary>
        static async Task CompareAsync(Upload upload, UploadContent content, CancellationToken cancel)
        {
            string declared;
            if (upload.Headers == null || !upload.Headers.TryGetValue("x-amz-checksum-sha256", out declared)) return;
            if (await content.ChecksumAsync(0, content.Size, cancel) != declared) throw UploadContent.Changed();
        }

        async Task<CompletedUpload> SendPartsAsync(
            Upload upload, UploadContent content, UploadOptions options, SentBytes sent, CancellationToken cancel)
        {
            var landed = new Dictionary<long, UploadedPart>();
            Func<IEnumerable<long>, IEnumerable<UploadedPart>, Task<List<long>>> send = (numbers, compared) => UnlessAsync(
                ErrorCodes.UploadCompleted,
                () => Parts.SendAsync(storage, transport, upload, numbers, compared, landed, content, sent, options.Parallel, cancel));
            // Of the recorded parts, another device may have sent and recorded some with other content. Without checksums, a body of 1 MiB
            // holds 10,000 parts.
            Func<Task<CompletedUpload>> complete = () => CompleteAsync(
                upload.Id,
                landed.Values.Select(part => new UploadedPart { PartNumber = part.PartNumber, ETag = part.ETag }).ToList(),
                options,
                cancel);
            var recorded = upload.Multipart.Uploaded ?? new List<UploadedPart>();
            var all = Parts.AllOf(upload.Multipart).ToList();
            var lost = await send(all, recorded);
            var whole = await UnlessAsync(ErrorCodes.UploadIncomplete, complete);
            if (whole != null) return whole;
            // UPLOAD_INCOMPLETE: of a part that was sent twice, storage keeps the PUT that ended last, which may be an abandoned one with
            // another ETag than recorded. First the parts are sent again that this run may have sent twice, then those of earlier runs.
            var repeated = options.UploadId == null ? lost : landed.Values.Except(recorded).Select(part => part.PartNumber).ToList();
            if (repeated == null) repeated = new List<long>();
            foreach (var numbers in new[] { repeated, all.Except(repeated).ToList() })
            {
                if (numbers.Count == 0) continue;
                await send(numbers, new UploadedPart[0]);
                whole = await UnlessAsync(ErrorCodes.UploadIncomplete, complete);
                if (whole != null) return whole;
            }
            return await complete();
        }

        /// <summary>Sends the content in one PUT, and repeats it when it fails.</summary>
        async Task<bool> SendWholeAsync(Upload upload, UploadContent content, SentBytes sent, CancellationToken cancel)
        {
            const long only = 1;
            var put = Put.Of(upload);
            var failures = 0;
            Func<Task<bool>> attempt = async () =>
            {
                if (put == null) put = Put.Of(await storage.GetUploadAsync(upload.Id, cancel));
                if (put == null) return false; // The upload has ended meanwhile: its completion returns the outcome.
                sent.Begin(0);
                try
                {
                    await put.SendAsync(transport, content.Piece(0, content.Size), sent.Of(only), cancel);
                    content.ThrowIfChanged();
                }
                catch (StorageException error) when (error.Code == ErrorCodes.StorageRefused && error.Status == PreconditionFailed)
                {
                    // The content is there.
                }
                return true;
            };
            var isSent = await Backoff.WithRetriesAsync(transport, attempt, error =>
            {
                content.ThrowIfChanged();
                if (!Transfer.IsLost(error)) return null;
                put = null; // The URL may have expired: storage can close the connection before its answer is read.
                failures += 1;
                return Backoff.Delay(transport.Retry, failures);
            }, cancel);
            sent.Tell(only, content.Size);
            return isSent;
        }

        /// <summary>Starts an upload, with a checksum if the service accepts one for this size.</summary>
        async Task<Upload> StartAsync(UploadContent content, UploadOptions options, CancellationToken cancel)
        {
            Func<bool, Task<Upload>> send = async isChecked =>
            {
                var checksum = isChecked ? await content.ChecksumAsync(0, content.Size, cancel) : options.ChecksumSha256;
                var creation = new CreationOptions { IdempotencyKey = options.IdempotencyKey };
                if (options.IfMatch != null) creation.IfMatch = options.IfMatch;
                return await storage.StartUploadAsync(options.Start(content.Size, options.MimeTypeOrDefault, checksum), creation, cancel);
            };
            var isComputed = options.ChecksumSha256 == null && content.Size <= OnePutBytes;
            try
            {
                return await send(isComputed);
            }
            catch (StorageException error) when (
                options.ChecksumSha256 == null && error.Errors.Any(member => member.Path == "/checksum_sha256"))
            {
                // The service's configuration decides from which size on content goes in parts, without a checksum, and whether smaller
                // content requires one.
            }
            return await send(!isComputed);
        }

        /// <summary>Completes an upload. Where the studio checks content, waits for the verdict without a time limit.</summary>
        async Task<CompletedUpload> CompleteAsync(
            string id, IReadOnlyList<UploadedPart> landed, UploadOptions options, CancellationToken cancel)
        {
            // A resumed upload of a new asset may pass another name, in case the first has been taken meanwhile, and a resumed replacement
            // another ETag, in case the file has changed meanwhile.
            var isResumed = options.UploadId != null;
            var isRenamed = isResumed && options.Type == UploadType.GameAsset && options.Name != null;
            var parts = landed == null || landed.Count == 0 ? null : landed;
            var body = new CompleteUpload { Parts = parts, Name = isRenamed ? options.Name : null };
            var change = ChangeOptions.Of(isResumed ? options.IfMatch : null);
            for (var isFirst = true;; isFirst = false)
            {
                var answer = await storage.CompleteUploadAsync(id, body, change, cancel);
                if (answer.Upload.State != UploadState.Processing) return answer;
                if (isFirst && options.Processing != null) options.Processing(answer.Upload);
                await VerdictAsync(id, cancel);
            }
        }

        /// <summary>Polls an upload until its content check has ended.</summary>
        async Task VerdictAsync(string id, CancellationToken cancel)
        {
            for (var asked = 1;; asked++)
            {
                await transport.Platform.DelayAsync(MinPoll + Backoff.Jittered(MinPoll, MaxPoll, asked), cancel);
                var upload = await storage.GetUploadAsync(id, cancel);
                if (upload.ProcessingState != ProcessingState.Processing) return;
            }
        }

        /// <summary>Returns the default for an error of this code, and throws any other.</summary>
        static async Task<T> UnlessAsync<T>(string code, Func<Task<T>> act)
        {
            try
            {
                return await act();
            }
            catch (StorageException error) when (error.Code == code)
            {
                return default(T);
            }
        }
    }
}
