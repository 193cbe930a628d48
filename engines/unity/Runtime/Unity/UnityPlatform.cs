using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Threading;
using System.Threading.Tasks;
using UnityEngine;
using UnityEngine.Networking;
using UnityEngine.Scripting;

// Games name types of the core alone. Without this the linker leaves this assembly out of their builds, and with it the platform.
[assembly: AlwaysLinkAssembly]

namespace EdgeGameStorage
{
    /// <summary>
    /// The platform of Unity: UnityWebRequest, which also runs in a browser and on consoles, and the player's frames as timers. Make
    /// and use a <see cref="GameStorage"/> on the main thread.
    /// </summary>
    public sealed class UnityPlatform : IPlatform
    {
        static readonly bool IsBrowser = Application.platform == RuntimePlatform.WebGLPlayer;

        readonly UnityFrames frames = UnityFrames.Make();
        readonly Stopwatch watch = Stopwatch.StartNew();

        /// <summary>Not by Unity's Time, which throws on other threads than the main one.</summary>
        public TimeSpan Elapsed
        {
            get { return watch.Elapsed; }
        }

        public async Task<HttpAnswer> SendAsync(HttpCall call, CancellationToken cancel)
        {
            cancel.ThrowIfCancellationRequested();
            using (var request = new UnityWebRequest(call.Url, call.Method))
            {
                request.redirectLimit = 0; // A redirect would carry the token to another address.
                request.downloadHandler = new DownloadHandlerBuffer();
                // UploadHandlerRaw takes no empty array.
                if (call.Body != null && call.Body.Length > 0)
                    request.uploadHandler = new UploadHandlerRaw(await BytesOfAsync(call.Body, cancel));
                foreach (var header in call.Headers)
                    if (CanSend(header)) request.SetRequestHeader(header.Key, header.Value);
                await AnsweredAsync(request, call, cancel);
                if (!IsWhole(request)) throw new IOException(request.error);
                var headers = request.GetResponseHeaders() ?? new Dictionary<string, string>();
                return new HttpAnswer((int)request.responseCode, headers, request.downloadHandler.data ?? new byte[0]);
            }
        }

        public Task<ISocket> ConnectAsync(SocketCall call, CancellationToken cancel)
        {
#if UNITY_WEBGL && !UNITY_EDITOR
            return BrowserSocket.ConnectAsync(call, frames, cancel);
#else
            return DotnetSocket.ConnectAsync(call, cancel);
#endif
        }

        public Task DelayAsync(TimeSpan time, CancellationToken cancel)
        {
            var end = Elapsed + time;
            return frames.UntilAsync(() => Elapsed >= end, cancel);
        }

        public Task ComputeAsync(Action work)
        {
            if (!IsBrowser) return Task.Run(work);
            work(); // A browser's player has one thread.
            return frames.NextAsync();
        }

        public void Dispose()
        {
            frames.End();
        }

        /// <summary>
        /// Whether the whole answer has arrived. The status and a part of the content may have, before the connection broke. A redirect
        /// that is not followed counts as a broken connection, too.
        /// </summary>
        static bool IsWhole(UnityWebRequest request)
        {
            if (request.responseCode >= 300 && request.responseCode < 400) return true;
            return request.responseCode > 0 && request.result != UnityWebRequest.Result.ConnectionError
                && request.result != UnityWebRequest.Result.DataProcessingError;
        }

        /// <summary>A browser sets the User-Agent itself, and Unity takes no empty header.</summary>
        static bool CanSend(KeyValuePair<string, string> header)
        {
            return header.Value.Length > 0 && !(IsBrowser && header.Key == "User-Agent");
        }

        async Task AnsweredAsync(UnityWebRequest request, HttpCall call, CancellationToken cancel)
        {
            var operation = Begun(request);
            try
            {
                await frames.UntilAsync(
                    () =>
                    {
                        if (call.Sent != null) call.Sent.Report((long)request.uploadedBytes);
                        if (call.Received != null) call.Received.Report((long)request.downloadedBytes);
                        return operation.isDone;
                    },
                    cancel);
            }
            catch (OperationCanceledException)
            {
                request.Abort();
                throw;
            }
        }

        static UnityWebRequestAsyncOperation Begun(UnityWebRequest request)
        {
            try
            {
                return request.SendWebRequest();
            }
            catch (InvalidOperationException error)
            {
                throw new NotSupportedException(
                    error.Message + ". Does the url begin with http? Player Settings, Allow downloads over HTTP, decides about that.", error);
            }
        }

        static async Task<byte[]> BytesOfAsync(HttpBody body, CancellationToken cancel)
        {
            var bytes = new byte[body.Length];
            using (var stream = body.Open())
            {
                for (var read = 0; read < bytes.Length;)
                {
                    var count = await stream.ReadAsync(bytes, read, bytes.Length - read, cancel);
                    if (count == 0) throw new EndOfStreamException();
                    read += count;
                }
            }
            return bytes;
        }

        /// <summary>
        /// Before what games do before the first scene. An editor's tool that makes a client while nothing is played has no frames.
        /// </summary>
        [RuntimeInitializeOnLoadMethod(RuntimeInitializeLoadType.AfterAssembliesLoaded)]
        static void BecomeDefault()
        {
            DefaultPlatform.Make = () => Application.isPlaying ? (IPlatform)new UnityPlatform() : new DotnetPlatform();
        }
    }
}
