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

    /// <summary>Unity's request, here over HttpClient. Refuses the headers that Unity refuses.</summary>
    public class UnityWebRequest : IDisposable
    {
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

        public enum Result
        {
            InProgress,
            Success,
            ConnectionError,
            ProtocolError,
            DataProcessingError,
        }

        public long responseCode { get; private set; }

        public bool isDone { get; private set; }

        public Result result
        {
            get
            {
                if (!isDone) return Result.InProgress;
                if (responseCode == 0) return Result.ConnectionError;
                return responseCode < 400 ? Result.Success : Result.ProtocolError;
            }
        }

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
            var operation = new UnityWebRequestAsyncOperation();
            Task.Run(async () =>
            {
                try
                {
                    await Exchange();
                }
                catch (Exception failure)
                {
                    responseCode = 0;
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
                foreach (var header in sent)
                    if (!request.Headers.TryAddWithoutValidation(header.Key, header.Value) && request.Content != null)
                        request.Content.Headers.TryAddWithoutValidation(header.Key, header.Value);
                using (var response = await Http.SendAsync(request, aborting.Token))
                {
                    var body = new MemoryStream();
                    if (response.Content != null) await response.Content.CopyToAsync(body);
                    Interlocked.Exchange(ref downloaded, body.Length);
                    if (uploadHandler != null) Interlocked.Exchange(ref uploaded, uploadHandler.data.Length);
                    var headers = response.Content == null ? response.Headers : response.Headers.Concat(response.Content.Headers);
                    received = headers.ToDictionary(header => header.Key, header => string.Join(", ", header.Value));
                    downloadHandler.data = body.Length == 0 ? null : body.ToArray();
                    responseCode = (long)response.StatusCode;
                }
            }
        }
    }
}
