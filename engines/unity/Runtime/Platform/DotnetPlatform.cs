using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Net;
using System.Net.Http;
using System.Threading;
using System.Threading.Tasks;

namespace EdgeGameStorage
{
    /// <summary>
    /// The platform of .NET: <see cref="HttpClient"/> and <c>ClientWebSocket</c>. For servers, tests, Godot, MonoGame, and Unity's
    /// desktop players.
    /// </summary>
    public sealed class DotnetPlatform : IPlatform
    {
        const int StepBytes = 64 * 1024;

        /// <summary>Task.Delay waits for less than 25 days.</summary>
        static readonly TimeSpan MostDelay = TimeSpan.FromDays(24);

        /// <summary>Nobody who only says that an answer is large takes more memory than this.</summary>
        const long MostReservedBytes = 16 * 1024 * 1024;

        readonly HttpClient http;
        readonly Stopwatch watch = Stopwatch.StartNew();

        public DotnetPlatform()
        {
            var handler = new HttpClientHandler
            {
                AllowAutoRedirect = false, // A redirect would carry the token to another address.
                UseCookies = false,
                MaxConnectionsPerServer = 16, // Some runtimes allow two.
            };
            http = new HttpClient(handler) { Timeout = Timeout.InfiniteTimeSpan };
            http.DefaultRequestHeaders.ExpectContinue = false;
        }

        public TimeSpan Elapsed
        {
            get { return watch.Elapsed; }
        }

        public async Task<HttpAnswer> SendAsync(HttpCall call, CancellationToken cancel)
        {
            using (var request = new HttpRequestMessage(new HttpMethod(call.Method), call.Url))
            {
                if (call.Body != null) request.Content = ContentOf(call);
                foreach (var header in call.Headers)
                    if (!request.Headers.TryAddWithoutValidation(header.Key, header.Value) && request.Content != null)
                        request.Content.Headers.TryAddWithoutValidation(header.Key, header.Value);
                using (var response = await http.SendAsync(request, HttpCompletionOption.ResponseHeadersRead, cancel))
                {
                    var body = await BodyOfAsync(response, call.Received, cancel);
                    return new HttpAnswer((int)response.StatusCode, HeadersOf(response), body);
                }
            }
        }

        public Task<ISocket> ConnectAsync(SocketCall call, CancellationToken cancel)
        {
            return DotnetSocket.ConnectAsync(call, cancel);
        }

        public Task DelayAsync(TimeSpan time, CancellationToken cancel)
        {
            return Task.Delay(time < MostDelay ? time : MostDelay, cancel);
        }

        public Task ComputeAsync(Action work)
        {
            return Task.Run(work);
        }

        public void Dispose()
        {
            http.Dispose();
        }

        static HttpContent ContentOf(HttpCall call)
        {
            var content = new StreamContent(new CountedStream(call.Body.Open(), call.Body.Length, call.Sent), StepBytes);
            content.Headers.ContentLength = call.Body.Length;
            return content;
        }

        /// <summary>Reads in steps, because reading whole ignores the cancellation in .NET Standard 2.0.</summary>
        static async Task<byte[]> BodyOfAsync(HttpResponseMessage response, IProgress<long> received, CancellationToken cancel)
        {
            if (response.Content == null) return new byte[0];
            var length = response.Content.Headers.ContentLength ?? 0;
            using (cancel.Register(response.Dispose))
            using (var body = new MemoryStream((int)Math.Min(length, MostReservedBytes)))
            using (var stream = await response.Content.ReadAsStreamAsync())
            {
                try
                {
                    var buffer = new byte[StepBytes];
                    for (int count; (count = await stream.ReadAsync(buffer, 0, buffer.Length, cancel)) > 0;)
                    {
                        body.Write(buffer, 0, count);
                        if (received != null) received.Report(body.Length);
                    }
                }
                catch (Exception) when (cancel.IsCancellationRequested)
                {
                    throw new OperationCanceledException(cancel);
                }
                // A second array for large content would take its memory twice.
                return body.Capacity == body.Length ? body.GetBuffer() : body.ToArray();
            }
        }

        static IEnumerable<KeyValuePair<string, string>> HeadersOf(HttpResponseMessage response)
        {
            foreach (var header in response.Headers)
                yield return new KeyValuePair<string, string>(header.Key, string.Join(", ", header.Value));
            if (response.Content == null) yield break;
            foreach (var header in response.Content.Headers)
                yield return new KeyValuePair<string, string>(header.Key, string.Join(", ", header.Value));
        }
    }
}
