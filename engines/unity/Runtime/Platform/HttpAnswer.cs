using System;
using System.Collections.Generic;
using System.Text;

namespace EdgeGameStorage
{
    /// <summary>The answer to an HTTP request, read whole.</summary>
    public sealed class HttpAnswer
    {
        readonly Dictionary<string, string> headers;

        /// <param name="status">The HTTP status.</param>
        /// <param name="headers">The headers, in any case.</param>
        /// <param name="body">Empty without a body.</param>
        public HttpAnswer(int status, IEnumerable<KeyValuePair<string, string>> headers, byte[] body)
        {
            Status = status;
            Body = body;
            this.headers = new Dictionary<string, string>(StringComparer.OrdinalIgnoreCase);
            foreach (var header in headers) this.headers[header.Key] = header.Value;
        }

        public int Status { get; }

        public byte[] Body { get; }

        public bool IsSuccess
        {
            get { return Status >= 200 && Status < 300; }
        }

        /// <summary>The body as UTF-8.</summary>
        public string Text
        {
            get { return Encoding.UTF8.GetString(Body, 0, Body.Length); }
        }

        /// <summary>The value of a header; null when the answer has none of this name.</summary>
        public string Header(string name)
        {
            string value;
            return headers.TryGetValue(name, out value) ? value : null;
        }
    }
}
