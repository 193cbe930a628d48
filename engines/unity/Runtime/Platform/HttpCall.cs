using System;
using System.Collections.Generic;

namespace EdgeGameStorage
{
    /// <summary>An HTTP request.</summary>
    public sealed class HttpCall
    {
        public HttpCall(string method, string url)
        {
            Method = method;
            Url = url;
            Headers = new List<KeyValuePair<string, string>>();
        }

        public string Method { get; }

        /// <summary>Absolute, with its query.</summary>
        public string Url { get; }

        /// <summary>Without <c>Content-Length</c>, which each platform computes.</summary>
        public List<KeyValuePair<string, string>> Headers { get; }

        /// <summary>Null without a body.</summary>
        public HttpBody Body { get; set; }

        /// <summary>
        /// Told how many bytes of the body have been sent; null when nobody asks. A transfer ends when nothing moves for the client's
        /// timeout, so a platform tells this and <see cref="Received"/> while the request is under way.
        /// </summary>
        public IProgress<long> Sent { get; set; }

        /// <summary>Told how many bytes of the answer's body have been received; null when nobody asks.</summary>
        public IProgress<long> Received { get; set; }

        public void Add(string name, string value)
        {
            Headers.Add(new KeyValuePair<string, string>(name, value));
        }
    }
}
