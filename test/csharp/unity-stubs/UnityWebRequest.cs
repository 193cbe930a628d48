using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Net.Http;
using System.Threading;
using System.Threading.Tasks;

namespace UnityEngine.Networking
{
    public class UnityWebRequestAsyncOperation : AsyncOperation
    {
    }

    public class UploadHandler : IDisposable
    {
        public byte[] data { get; protected set; }

        public void Dispose()
        {
        }
    }

    public sealed class UploadHandlerRaw : UploadHandler
    {
        public UploadHandlerRaw(byte[] data)
        {
            // So do Unity's versions up to 2021, at least.
            if (data.Length == 0) throw new ArgumentException("Cannot create a data handler without payload data");
            this.data = data;
        }
    }

    public class DownloadHandler : IDisposable
    {
        public byte[] data { get; internal set; }

        public void Dispose()
        {
        }
    }

    public sealed class DownloadHandlerBuffer : DownloadHandler
    {
    }

    /// <summary>
    /// Unity's request, here over HttpClient. Refuses the headers that Unity refuses. As with Unity's, the status and some content may be
    /// there when the connection breaks, and a redirect beyond the limit is an error of the connection.
    /// </summary>
    public class UnityWebRequest : IDisposable
    {
        public enum Result
        {
            InProgress = 0,
            Success = 1,
            ConnectionError = 2,
            ProtocolError = 3,
            DataProcessingError = 4,
        }

        static readonly string[] Computed = { "content-length", "host", "expect", "date", "referer", "upgrade", "via", "te", "trailer" };

        static readonly HttpClient Http = new HttpClient(new HttpClientHandler { AllowAutoRedirect = false, MaxConnectionsPerServer = 16 })
        {
            Timeout = Timeout.InfiniteTimeSpan,
        };

        readonly Dictionary<string, string> sent = new Dictionary<string, string>();
        readonly CancellationTokenSource aborting = new CancellationTokenSource();
        readonly string method;
        readonly string url;
        Dictionary<string, string> received;
        long uploaded;
        long downloaded;

        public UnityWebRequest(string url, string method)
        {
            Player.RequireMainThread();
            this.url = url;
            this.method = method;
        }

        public UploadHandler uploadHandler { get; set; }

        public DownloadHandler downloadHandler { get; set; }

        public int redirectLimit { get; set; } = 32;

        /// <summary>Set by the tests: Player Settings, Allow downloads over HTTP.</summary>
        public static bool IsInsecureAllowed { get; set; } = true;

        public long responseCode { get; private set; }

        public bool isDone { get; private set; }

        public Result result { get; private set; }

        public ulong uploadedBytes
        {
            get { return (ulong)Interlocked.Read(ref uploaded); }
        }

        public ulong downloadedBytes
        {
            get { return (ulong)Interlocked.Read(ref downloaded); }
        }

        public string error { get; private set; }

        public void SetRequestHeader(string name, string value)
        {
            Player.RequireMainThread();
            if (string.IsNullOrEmpty(name)) throw new ArgumentException("Cannot set a Request Header with a null or empty name");
            if (string.IsNullOrEmpty(value)) throw new ArgumentException("Cannot set a Request header with a null or empty value");
            if (Array.IndexOf(Computed, name.ToLowerInvariant()) >= 0)
                throw new InvalidOperationException("Cannot override system-specified headers");
            sent[name] = value;
        }

        public Dictionary<string, string> GetResponseHeaders()
        {
            return received;
        }

        public UnityWebRequestAsyncOperation SendWebRequest()
        {
            Player.RequireMainThread();
            if (!IsInsecureAllowed && url.StartsWith("http:", StringComparison.Ordinal))
                throw new InvalidOperationException("Insecure connection not allowed");
            var operation = new UnityWebRequestAsyncOperation();
            Task.Run(async () =>
            {
                try
                {
                    await Exchange();
                }
                catch (Exception failure)
                {
                    result = Result.ConnectionError;
                    error = failure is OperationCanceledException ? "Request aborted" : "Cannot connect to destination host";
                }
                isDone = true;
                operation.isDone = true;
            });
            return operation;
        }

        public void Abort()
        {
            aborting.Cancel();
        }

        public void Dispose()
        {
            aborting.Cancel();
        }

        async Task Exchange()
        {
            using (var request = new HttpRequestMessage(new HttpMethod(method), url))
            {
                request.Headers.ExpectContinue = false;
                if (uploadHandler != null) request.Content = new ByteArrayContent(uploadHandler.data);
                else if (sent.ContainsKey("Content-Type")) request.Content = new ByteArrayContent(new byte[0]);
                foreach (var header in sent)
                    if (!request.Headers.TryAddWithoutValidation(header.Key, header.Value) && request.Content != null)
                        request.Content.Headers.TryAddWithoutValidation(header.Key, header.Value);
                using (var response = await Http.SendAsync(request, HttpCompletionOption.ResponseHeadersRead, aborting.Token))
                {
                    if (uploadHandler != null) Interlocked.Exchange(ref uploaded, uploadHandler.data.Length);
                    var headers = response.Content == null ? response.Headers : response.Headers.Concat(response.Content.Headers);
                    received = headers.ToDictionary(header => header.Key, header => string.Join(", ", header.Value));
                    responseCode = (long)response.StatusCode;
                    if (responseCode >= 300 && received.ContainsKey("Location")) throw new HttpRequestException("Redirect limit exceeded");
                    if (response.Content != null) await Receive(response.Content);
                    result = responseCode < 400 ? Result.Success : Result.ProtocolError;
                }
            }
        }

        async Task Receive(HttpContent content)
        {
            var body = new MemoryStream();
            var buffer = new byte[65536];
            using (var stream = await content.ReadAsStreamAsync())
            using (aborting.Token.Register(stream.Dispose))
                for (int count; (count = await stream.ReadAsync(buffer, 0, buffer.Length)) > 0;)
                {
                    body.Write(buffer, 0, count);
                    downloadHandler.data = body.ToArray();
                    Interlocked.Exchange(ref downloaded, body.Length);
                }
            aborting.Token.ThrowIfCancellationRequested();
            if (content.Headers.ContentLength > body.Length) throw new HttpRequestException("Received too little data");
        }
    }
}
