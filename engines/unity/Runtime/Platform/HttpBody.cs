using System;
using System.IO;

namespace EdgeGameStorage
{
    /// <summary>The body of a request. A request may be sent again, so a body can be opened again.</summary>
    public sealed class HttpBody
    {
        readonly Func<Stream> open;

        public HttpBody(long length, Func<Stream> open)
        {
            Length = length;
            this.open = open;
        }

        public HttpBody(byte[] bytes)
            : this(bytes.Length, () => new MemoryStream(bytes, false))
        {
        }

        /// <summary>In bytes.</summary>
        public long Length { get; }

        /// <summary>A stream at the first byte of the body. It has <see cref="Length"/> bytes; who opens it disposes it.</summary>
        public Stream Open()
        {
            return open();
        }
    }
}
