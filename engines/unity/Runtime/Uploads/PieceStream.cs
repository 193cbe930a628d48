using System;
using System.IO;
using System.Threading;
using System.Threading.Tasks;

namespace EdgeGameStorage
{
    /// <summary>A piece of content as a stream. It leaves the content open.</summary>
    sealed class PieceStream : Stream
    {
        readonly UploadContent content;
        readonly long start;
        readonly long length;
        long position;

        public PieceStream(UploadContent content, long start, long length)
        {
            this.content = content;
            this.start = start;
            this.length = length;
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
            var wanted = Left(count);
            content.ReadNow(start + position, buffer, offset, wanted);
            position += wanted;
            return wanted;
        }

        public override async Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancel)
        {
            cancel.ThrowIfCancellationRequested();
            var wanted = Left(count);
            if (wanted > 0) await content.ReadAsync(start + position, buffer, offset, wanted);
            position += wanted;
            return wanted;
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

        int Left(int count)
        {
            return (int)Math.Min(count, length - position);
        }
    }
}
