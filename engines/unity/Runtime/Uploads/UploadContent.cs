using System;
using System.IO;
using System.Runtime.ExceptionServices;
using System.Security.Cryptography;
using System.Threading;
using System.Threading.Tasks;

namespace EdgeGameStorage
{
    /// <summary>
    /// Content whose pieces can be read repeatedly, and several at a time: a stream has one position, so the reads take turns. After
    /// <see cref="Dispose"/> the stream is the caller's again, though a request that was given up may still want to read.
    /// </summary>
    sealed class UploadContent : IDisposable
    {
        const int StepBytes = 256 * 1024;
        static readonly TimeSpan StepTime = TimeSpan.FromMilliseconds(8);

        readonly object gate = new object();
        readonly Stream stream;
        readonly IPlatform platform;
        readonly DateTime? writtenAt;
        bool isDisposed;
        ExceptionDispatchInfo failure;

        public UploadContent(Stream stream, IPlatform platform)
        {
            if (stream == null) throw new ArgumentNullException("content");
            if (!stream.CanSeek || !stream.CanRead)
                throw new ArgumentException(
                    "The content can't seek, so what is lost could not be sent again. Copy it to a MemoryStream or a file first.", "content");
            this.stream = stream;
            this.platform = platform;
            Size = stream.Length;
            writtenAt = WrittenAt();
        }

        /// <summary>In bytes.</summary>
        public long Size { get; }

        /// <summary>Bytes of the content, as the body of a request.</summary>
        public HttpBody Piece(long start, long length)
        {
            return new HttpBody(length, () => new PieceStream(this, start, length));
        }

        /// <summary>Reads as many bytes as there are, up to <paramref name="count"/>.</summary>
        public Task ReadAsync(long position, byte[] buffer, int offset, int count)
        {
            // Not ReadAsync, which takes a thread for a file: a browser has none.
            return platform.ComputeAsync(() => ReadNow(position, buffer, offset, count));
        }

        public async Task<byte[]> ReadWholeAsync()
        {
            var bytes = new byte[Size];
            await ReadAsync(0, bytes, 0, bytes.Length);
            ThrowIfChanged();
            return bytes;
        }

        /// <summary>The SHA-256 of bytes of the content in base64. Reads in steps, so they need not fit into memory.</summary>
        public async Task<string> ChecksumAsync(long start, long length, CancellationToken cancel)
        {
            using (var hash = SHA256.Create())
            {
                var buffer = new byte[(int)Math.Min(StepBytes, length)];
                var position = start;
                var rest = length;
                while (rest > 0)
                {
                    cancel.ThrowIfCancellationRequested();
                    await platform.ComputeAsync(() =>
                    {
                        var end = platform.Elapsed + StepTime;
                        do
                        {
                            var count = (int)Math.Min(buffer.Length, rest);
                            ReadNow(position, buffer, 0, count);
                            hash.TransformBlock(buffer, 0, count, null, 0);
                            position += count;
                            rest -= count;
                        }
                        while (rest > 0 && platform.Elapsed < end);
                    });
                }
                hash.TransformFinalBlock(buffer, 0, 0);
                return Convert.ToBase64String(hash.Hash);
            }
        }

        public void ReadNow(long position, byte[] buffer, int offset, int count)
        {
            while (count > 0)
                lock (gate)
                {
                    if (isDisposed) throw new ObjectDisposedException("content");
                    var read = ReadStep(position, buffer, offset, Math.Min(count, StepBytes));
                    position += read;
                    offset += read;
                    count -= read;
                }
        }

        /// <summary>
        /// Throws the error of a read that has failed, which a platform that sends the content takes for one of the network; and
        /// <c>CONTENT_CHANGED</c> when the content has another length than before, or is a file that was written meanwhile.
        /// </summary>
        public void ThrowIfChanged()
        {
            lock (gate)
            {
                if (failure != null) failure.Throw();
                if (stream.Length != Size || WrittenAt() != writtenAt) throw Changed();
            }
        }

        /// <summary>The content is not what it was when its upload began.</summary>
        public static StorageException Changed()
        {
            return new StorageException(
                ErrorCodes.ContentChanged, "The content is not what it was when its upload began: upload it again from the start.");
        }

        public void Dispose()
        {
            lock (gate) isDisposed = true;
        }

        int ReadStep(long position, byte[] buffer, int offset, int count)
        {
            try
            {
                stream.Position = position;
                var read = stream.Read(buffer, offset, count);
                if (read == 0) throw Changed();
                return read;
            }
            catch (Exception error)
            {
                failure = ExceptionDispatchInfo.Capture(error);
                throw;
            }
        }

        /// <summary>
        /// When the content was written last, where it is a file with a path. Not of a file that the game itself has written by this
        /// stream: its bytes, and on Windows their time, may reach the disk later.
        /// </summary>
        DateTime? WrittenAt()
        {
            var file = stream as FileStream;
            if (file == null || file.CanWrite) return null;
            try
            {
                return File.GetLastWriteTimeUtc(file.Name);
            }
            catch (Exception error) when (
                error is ArgumentException || error is NotSupportedException || error is UnauthorizedAccessException || error is IOException)
            {
                return null; // A file that was opened by its handle has no path.
            }
        }
    }
}
