using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace EdgeGameStorage
{
    /// <summary>A signed URL that takes content, and the headers that its signature requires.</summary>
    sealed class Put
    {
        readonly string url;
        readonly IReadOnlyDictionary<string, string> headers;

        public Put(string url, IReadOnlyDictionary<string, string> headers)
        {
            this.url = url;
            this.headers = headers;
        }

        /// <summary>The URL of an upload in one PUT; null when it goes in parts or has ended.</summary>
        public static Put Of(Upload upload)
        {
            return upload.Url == null || upload.Headers == null ? null : new Put(upload.Url, upload.Headers);
        }

        /// <summary>
        /// Sends a piece of content. Returns the ETag of the answer. Throws <see cref="StorageException"/> with <c>STORAGE_REFUSED</c>
        /// when storage rejects the content, and with <c>NETWORK_ERROR</c> when no answer arrives.
        /// </summary>
        public async Task<string> SendAsync(Transport transport, HttpBody piece, IProgress<long> sent, CancellationToken cancel)
        {
            var call = new HttpCall("PUT", url) { Body = piece, Sent = sent };
            foreach (var header in headers)
                if (!string.Equals(header.Key, "Content-Length", StringComparison.OrdinalIgnoreCase)) call.Add(header.Key, header.Value);
            var answer = await Transfer.SendAsync(transport, call, cancel);
            if (answer.Status != 200) throw Transfer.Refused(answer);
            return answer.Header("ETag") ?? "";
        }
    }
}
