using System;
using System.IO;
using System.Text;

namespace EdgeGameStorage
{
    /// <summary>The body of a request. A request may be sent again, so a body can be opened again.</summary>
    public sealed class HttpBody
    {
        static readonly UTF8Encoding Strict = new UTF8Encoding(false, true);

        readonly Func<Stream> open;

        public HttpBody(long length, Func<Stream> open)
        {
            Length = length;
            this.open = open;
        }

        public HttpBody(byte[] bytes)
            : this(Given(bytes).Length, () => new MemoryStream(bytes, false))
        {
        }

        /// <summary>A text in UTF-8. Throws <see cref="ArgumentException"/> for half of a surrogate pair.</summary>
        public HttpBody(string text)
            : this(BytesOf(text))
        {
        }

        /// <summary>So that a method that takes a body takes bytes, too.</summary>
        public static implicit operator HttpBody(byte[] bytes)
        {
            return new HttpBody(bytes);
        }

        /// <summary>So that a method that takes a body takes a text, too.</summary>
        public static implicit operator HttpBody(string text)
        {
            return new HttpBody(text);
        }

        /// <summary>In bytes.</summary>
        public long Length { get; }

        /// <summary>A stream at the first byte of the body. It has <see cref="Length"/> bytes; who opens it disposes it.</summary>
        public Stream Open()
        {
            return open();
        }

        /// <summary>A text in UTF-8. Throws <see cref="ArgumentException"/> for half of a surrogate pair.</summary>
        internal static byte[] BytesOf(string text)
        {
            if (text == null) throw new ArgumentNullException("text");
            return Strict.GetBytes(text);
        }

        static byte[] Given(byte[] bytes)
        {
            if (bytes == null) throw new ArgumentNullException("bytes");
            return bytes;
        }
    }
}
