using System;
using System.Globalization;

namespace EdgeGameStorage
{
    /// <summary>A piece of content, as storage has answered it.</summary>
    sealed class Piece
    {
        const int PartialContent = 206;
        const int RangeNotSatisfiable = 416;

        Piece(byte[] bytes, int offset, long size, string etag)
        {
            Bytes = bytes;
            Offset = offset;
            Size = size;
            ETag = etag;
        }

        public byte[] Bytes { get; }

        /// <summary>Where in <see cref="Bytes"/> the piece begins.</summary>
        public int Offset { get; }

        public int Length
        {
            get { return Bytes.Length - Offset; }
        }

        /// <summary>The size of the whole content.</summary>
        public long Size { get; }

        /// <summary>Null where the bucket's CORS rules hide it.</summary>
        public string ETag { get; }

        /// <summary>
        /// Reads the answer to a request for the bytes from <paramref name="start"/> on. Throws <see cref="StorageException"/> when it is
        /// a refusal, or no answer of storage.
        /// </summary>
        public static Piece Read(HttpAnswer answer, long start)
        {
            // No byte of empty content can be asked for.
            if (answer.Status == RangeNotSatisfiable && start == 0) return new Piece(answer.Body, answer.Body.Length, 0, null);
            if (!answer.IsSuccess) throw Transfer.Refused(answer);
            var etag = answer.Header("ETag");
            if (answer.Status != PartialContent)
                return new Piece(answer.Body, (int)Math.Min(start, answer.Body.Length), answer.Body.Length, etag);
            // Like "bytes 0-99/1000".
            var range = answer.Header("Content-Range") ?? "";
            var slash = range.IndexOf('/');
            long size;
            var isRange = range.StartsWith("bytes " + start.ToString(CultureInfo.InvariantCulture) + "-", StringComparison.Ordinal);
            var hasSize = long.TryParse(range.Substring(slash + 1), NumberStyles.None, CultureInfo.InvariantCulture, out size);
            if (!isRange || !hasSize || answer.Body.Length == 0)
                throw Transport.NoAnswer(
                    "The answer has the Content-Range \"" + range + "\". In a browser, the bucket's CORS rules must expose it (docs/deploying.md).",
                    null);
            return new Piece(answer.Body, 0, size, etag);
        }

        /// <summary>Whether a refusal says that the content is shorter than the first byte of the request.</summary>
        public static bool IsBeyondEnd(StorageException error)
        {
            return error.Code == ErrorCodes.StorageRefused && error.Status == RangeNotSatisfiable;
        }
    }
}
