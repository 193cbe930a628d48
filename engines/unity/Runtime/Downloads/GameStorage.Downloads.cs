using System;
using System.IO;
using System.Threading;
using System.Threading.Tasks;

namespace EdgeGameStorage
{
    public sealed partial class GameStorage
    {
        /// <summary>
        /// Downloads content into a stream, from where that is. Content comes in pieces, each flushed when it has arrived; what is lost is
        /// requested again, with a new URL. Throws <see cref="StorageException"/>: <c>PRECONDITION_FAILED</c> when the content has been
        /// replaced meanwhile (begin again), <c>STORAGE_REFUSED</c> or <c>NETWORK_ERROR</c> when it could not be read (go on later).
        /// </summary>
        /// <example><code>
        /// using (var world = File.Create(path))
        ///     await storage.DownloadAsync(Downloadable.AssetVersion(asset.Id, 3), world, null, cancel);
        /// </code></example>
        public Task<DownloadResult> DownloadAsync(
            Downloadable what, Stream target, DownloadOptions options = null, CancellationToken cancel = default(CancellationToken))
        {
            if (what == null) throw new ArgumentNullException("what");
            if (target == null) throw new ArgumentNullException("target");
            options = options ?? new DownloadOptions();
            if (options.Start < 0 || options.End < options.Start)
                throw new ArgumentException("Start is " + options.Start + ", and End " + options.End + ": give a range.", "options");
            return new Downloader(this, transport, what, target, options).DownloadAsync(cancel);
        }

        /// <summary>Downloads content into memory. Throws as <see cref="DownloadAsync"/>.</summary>
        public async Task<byte[]> DownloadBytesAsync(
            Downloadable what, DownloadOptions options = null, CancellationToken cancel = default(CancellationToken))
        {
            using (var target = new MemoryStream())
            {
                await DownloadAsync(what, target, options, cancel);
                return target.ToArray();
            }
        }
    }
}
