using System.Collections.Generic;
using System.Globalization;
using System.Text;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;

namespace EdgeGameStorage
{
    /// <summary>A request of an operation, before its token and its repetitions.</summary>
    sealed class Request
    {
        readonly StringBuilder query = new StringBuilder();

        /// <param name="operation">The method and the path template, like <c>GET /v1/files/{id}</c>.</param>
        /// <param name="path">The path, with its parameters filled in by <see cref="Paths"/>.</param>
        public Request(string operation, string path)
        {
            Operation = operation;
            Method = operation.Substring(0, operation.IndexOf(' '));
            Path = path;
            Headers = new List<KeyValuePair<string, string>>();
        }

        public string Operation { get; }

        public string Method { get; }

        public string Path { get; }

        public string Query
        {
            get { return query.ToString(); }
        }

        public List<KeyValuePair<string, string>> Headers { get; }

        public HttpBody Body { get; private set; }

        /// <summary>Whether a repetition has no further effect, or is recognised by its key.</summary>
        public bool IsRepeatable { get; set; }

        /// <summary>Whether <see cref="IdempotencyKey"/> is the caller's.</summary>
        public bool HasOwnKey { get; private set; }

        /// <summary>Null for a request that creates nothing.</summary>
        public string IdempotencyKey { get; private set; }

        /// <summary>Whether an answer of success is content, which need not be JSON.</summary>
        public bool AnswersContent { get; set; }

        /// <summary>Whether the operation takes no token.</summary>
        public bool IsPublic { get; set; }

        /// <summary>Called when no answer arrived, or 503: the request may have taken effect.</summary>
        public System.Action OnLost { get; set; }

        /// <summary>Adds a parameter of the query, unless its value is null.</summary>
        public Request With(string name, string value)
        {
            if (value == null) return this;
            query.Append(query.Length == 0 ? '?' : '&').Append(name).Append('=').Append(System.Uri.EscapeDataString(value));
            return this;
        }

        public Request With(string name, long? value)
        {
            return With(name, Text(value));
        }

        public Request With(string name, bool? value)
        {
            return With(name, value == null ? null : value.Value ? "true" : "false");
        }

        /// <summary>Adds a parameter once for each value.</summary>
        public Request With(string name, IReadOnlyList<string> values)
        {
            if (values != null)
                foreach (var value in values) With(name, value);
            return this;
        }

        /// <summary>Adds a header, unless its value is null. Throws <see cref="System.ArgumentException"/> for what can't be one.</summary>
        public Request WithHeader(string name, string value)
        {
            if (value != null) Headers.Add(new KeyValuePair<string, string>(name, HeaderText.Checked(name, value)));
            return this;
        }

        public Request WithHeader(string name, long? value)
        {
            return WithHeader(name, Text(value));
        }

        /// <summary>Says why, for the audit, unless it is null.</summary>
        public Request WithReason(string reason)
        {
            return reason == null ? this : WithHeader("Audit-Reason", System.Uri.EscapeDataString(reason));
        }

        /// <summary>Adds a JSON body, unless it is null.</summary>
        public Request WithJson(JObject body)
        {
            if (body == null) return this;
            return WithContent(new HttpBody(Encoding.UTF8.GetBytes(body.ToString(Formatting.None))), "application/json");
        }

        public Request WithContent(HttpBody body, string mimeType)
        {
            Body = body;
            return WithHeader("Content-Type", mimeType);
        }

        /// <summary>Makes a creation repeatable. Throws <see cref="System.ArgumentException"/> for a condition that the creation does not take.</summary>
        public Request Creating(CreationOptions options, bool takesMatch = false)
        {
            HasOwnKey = options != null && options.IdempotencyKey != null;
            IdempotencyKey = HasOwnKey ? HeaderText.Checked("Idempotency-Key", options.IdempotencyKey) : NewKey();
            IsRepeatable = true;
            if (options == null || options.IfMatch == null) return this;
            if (!takesMatch) throw new System.ArgumentException("This creation replaces nothing, so it takes no IfMatch.", "options");
            return WithMatch(options.IfMatch);
        }

        public static string NewKey()
        {
            return System.Guid.NewGuid().ToString("N");
        }

        /// <summary>A creation that is not repeated and has no key: a signal, which a repetition would send twice.</summary>
        public Request WithoutKey()
        {
            IdempotencyKey = null;
            IsRepeatable = false;
            return this;
        }

        public Request Changing(ChangeOptions options)
        {
            return options == null ? this : WithMatch(options.IfMatch);
        }

        /// <summary>A condition that is assigned. Throws <see cref="System.ArgumentException"/> for null.</summary>
        public static string Given(string ifMatch)
        {
            if (ifMatch == null)
                throw new System.ArgumentException(
                    "IfMatch is null, so there would be no condition: this record has no ETag. Get the file or asset, or leave IfMatch out.", "value");
            return ifMatch;
        }

        /// <summary>
        /// Throws <see cref="System.ArgumentException"/> for an empty condition: runtimes and proxies drop an empty header, and the request
        /// would have none.
        /// </summary>
        public static void CheckMatch(string ifMatch)
        {
            if (ifMatch != null && ifMatch.Trim().Length == 0)
                throw new System.ArgumentException("IfMatch is empty: give the ETag that was read, or leave it out.", "options");
        }

        Request WithMatch(string ifMatch)
        {
            CheckMatch(ifMatch);
            return WithHeader("If-Match", ifMatch);
        }

        /// <summary>A parameter that must be given. Throws <see cref="System.ArgumentException"/> for null.</summary>
        public static string Needed(string value, string name)
        {
            if (value == null) throw new System.ArgumentException(name + " is missing.", name);
            return value;
        }

        static string Text(long? value)
        {
            return value == null ? null : value.Value.ToString(CultureInfo.InvariantCulture);
        }
    }
}
