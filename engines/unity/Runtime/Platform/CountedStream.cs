using System;
using System.IO;
using System.Threading;
using System.Threading.Tasks;

namespace EdgeGameStorage
{
    /// <summary>The first bytes of a stream, which tells how many have been read. Disposes the stream.</summary>
    sealed class CountedStream : Stream
    {
        readonly Stream inner;
        readonly long length;
        readonly IProgress<long> progress;
        long position;

        public CountedStream(Stream inner, long length, IProgress<long> progress)
        {
            this.inner = inner;
            this.length = length;
            this.progress = progress;
        }

        public override bool CanRead
        {
            get { return true; }
        }

        public override bool CanSeek
        {
            get { return false; }
        }

        public override bool CanWrite
        {
            get { return false; }
        }

        public override long Length
        {
            get { return length; }
        }

        public override long Position
        {
            get { return position; }
            set { throw new NotSupportedException(); }
        }

        public override int Read(byte[] buffer, int offset, int count)
        {
            return Counted(inner.Read(buffer, offset, Left(count)));
        }

        public override async Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancel)
        {
            return Counted(await inner.ReadAsync(buffer, offset, Left(count), cancel));
        }

        public override void Flush()
        {
        }

        public override long Seek(long offset, SeekOrigin origin)
        {
            throw new NotSupportedException();
        }

        public override void SetLength(long value)
        {
            throw new NotSupportedException();
        }

        public override void Write(byte[] buffer, int offset, int count)
        {
            throw new NotSupportedException();
        }

        protected override void Dispose(bool disposing)
        {
            if (disposing) inner.Dispose();
            base.Dispose(disposing);
        }

        int Left(int count)
        {
            return (int)Math.Min(count, length - position);
        }

        int Counted(int read)
        {
            position += read;
            if (progress != null) progress.Report(position);
            return read;
        }
    }
}
