using System;
using System.Globalization;
using System.IO;
using System.Threading;
using System.Threading.Tasks;

namespace EdgeGameStorage
{
    /// <summary>One download. It goes piece by piece, so no platform has to stream, and a cut costs a piece at most.</summary>
    sealed class Downloader : IProgress<long>
    {
        const long PieceBytes = 8 * 1024 * 1024;

        readonly GameStorage storage;
        readonly Transport transport;
        readonly Downloadable what;
        readonly Stream target;
        readonly DownloadOptions options;
        string url;
        string etag;
        long? size;
        long written;
        long requested;

        public Downloader(GameStorage storage, Transport transport, Downloadable what, Stream target, DownloadOptions options)
        {
            this.storage = storage;
            this.transport = transport;
            this.what = what;
            this.target = target;
            this.options = options;
            etag = options.ETag;
            written = options.Start;
        }

        public async Task<DownloadResult> DownloadAsync(CancellationToken cancel)
        {
            var isWhole = options.Start == 0 && options.End == null && options.ETag == null;
            var small = isWhole ? await InOneRequestAsync(cancel) : null;
            if (small != null)
            {
                size = small.Bytes.Length;
                await WriteAsync(small.Bytes, 0, small.Bytes.Length);
                return new DownloadResult(size.Value, null);
            }
            // The byte before the first is asked for, too: storage refuses a range behind the last byte, where nothing may be missing.
            var skipped = options.Start > 0 ? 1 : 0;
            do
            {
                var piece = await NextAsync(written - skipped, cancel);
                var count = Math.Min(piece.Length - skipped, End - written);
                await WriteAsync(piece.Bytes, piece.Offset + skipped, (int)Math.Max(0, count));
                skipped = 0;
            }
            while (written < End);
            return new DownloadResult(size.Value, etag);
        }

        /// <summary>Takes how many bytes of a piece have arrived.</summary>
        void IProgress<long>.Report(long bytes)
        {
            Tell(requested + bytes);
        }

        /// <summary>The byte before which to end, as far as it is known.</summary>
        long End
        {
            get { return Math.Min(options.End ?? long.MaxValue, size ?? long.MaxValue); }
        }

        /// <summary>The content of a small file; null when that takes a signed URL.</summary>
        async Task<ContentAnswer> InOneRequestAsync(CancellationToken cancel)
        {
            if (what.FileId == null || what.SizeBytes == null || what.SizeBytes > OneRequest.MaxBytes) return null;
            try
            {
                return await storage.GetContentAsync(what.FileId, null, cancel);
            }
            catch (StorageException error) when (error.Code == ErrorCodes.ContentTooLarge || error.Code == ErrorCodes.NotFound)
            {
                // The file has grown since, the deployment has a lower limit, or its service is older than the operation.
                return null;
            }
        }

        async Task<Piece> NextAsync(long start, CancellationToken cancel)
        {
            var failures = 0;
            requested = start;
            Func<Task<Piece>> attempt = async () =>
            {
                if (url == null) url = await SignedUrlAsync(cancel);
                var call = new HttpCall("GET", url) { Received = this };
                var last = Math.Max(start, Math.Min(start + PieceBytes, End) - 1);
                call.Add("Range", "bytes=" + Text(start) + "-" + Text(last));
                return Piece.Read(await Transfer.SendAsync(transport, call, cancel), start);
            };
            var piece = await Backoff.WithRetriesAsync(transport, attempt, error =>
            {
                if (!Transfer.IsLost(error) || Piece.IsBeyondEnd(error)) return null;
                url = null; // It may have expired.
                failures += 1;
                Tell(written);
                return Backoff.Delay(transport.Retry, failures);
            }, cancel);
            // Compared here, because a browser sends If-Match only where the bucket's CORS rules allow it.
            if (etag != null && piece.ETag != etag || size != null && piece.Size != size)
                throw new StorageException(ErrorCodes.PreconditionFailed, "The content has been replaced since the download began. Begin again.");
            etag = piece.ETag;
            size = piece.Size;
            return piece;
        }

        async Task<string> SignedUrlAsync(CancellationToken cancel)
        {
            if (what.FileId != null) return (await storage.GetDownloadUrlAsync(what.FileId, cancel)).Url;
            if (what.ShareId != null) return (await storage.GetSharedUrlAsync(what.ShareId, cancel)).Url;
            var query = new GetVersionUrlQuery { Platform = what.Platform, ChannelKey = what.ChannelKey };
            return (await storage.GetVersionUrlAsync(what.AssetId, what.Version, query, cancel)).Url;
        }

        /// <summary>Writes not by WriteAsync, which takes a thread for a file: a browser has none.</summary>
        async Task WriteAsync(byte[] bytes, int offset, int count)
        {
            if (count > 0)
                await transport.Platform.ComputeAsync(() =>
                {
                    target.Write(bytes, offset, count);
                    target.Flush();
                });
            written += count;
            Tell(written);
        }

        void Tell(long received)
        {
            if (options.Progress != null) options.Progress.Report(new DownloadProgress(received, written, size, etag));
        }

        static string Text(long number)
        {
            return number.ToString(CultureInfo.InvariantCulture);
        }
    }
}
