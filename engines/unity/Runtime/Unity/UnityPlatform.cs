using System;
using System.Collections.Generic;
using System.IO;
using System.Threading;
using System.Threading.Tasks;
using UnityEngine;
using UnityEngine.Networking;

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

        public TimeSpan Elapsed
        {
            get { return TimeSpan.FromSeconds(Time.realtimeSinceStartupAsDouble); }
        }

        public async Task<HttpAnswer> Send(HttpCall call, CancellationToken cancel)
        {
            cancel.ThrowIfCancellationRequested();
            using (var request = new UnityWebRequest(call.Url, call.Method))
            {
                request.redirectLimit = 0; // A redirect would carry the token to another address.
                request.downloadHandler = new DownloadHandlerBuffer();
                if (call.Body != null) request.uploadHandler = new UploadHandlerRaw(await BytesOf(call.Body, cancel));
                foreach (var header in call.Headers)
                    if (CanSend(header)) request.SetRequestHeader(header.Key, header.Value);
                await Answered(request, call, cancel);
                if (request.responseCode == 0) throw new IOException(request.error);
                var headers = request.GetResponseHeaders() ?? new Dictionary<string, string>();
                return new HttpAnswer((int)request.responseCode, headers, request.downloadHandler.data ?? new byte[0]);
            }
        }

        public Task<ISocket> Connect(SocketCall call, CancellationToken cancel)
        {
#if UNITY_WEBGL && !UNITY_EDITOR
            return BrowserSocket.Connect(call, frames, cancel);
#else
            return DotnetSocket.Connect(call, cancel);
#endif
        }

        public Task Delay(TimeSpan time, CancellationToken cancel)
        {
            var end = Elapsed + time;
            return frames.Until(() => Elapsed >= end, cancel);
        }

        public Task Compute(Action work)
        {
            if (!IsBrowser) return Task.Run(work);
            work(); // A browser's player has one thread.
            return frames.Next();
        }

        public void Dispose()
        {
            frames.End();
        }

        /// <summary>A browser sets the User-Agent itself, and Unity takes no empty header.</summary>
        static bool CanSend(KeyValuePair<string, string> header)
        {
            return header.Value.Length > 0 && !(IsBrowser && header.Key == "User-Agent");
        }

        async Task Answered(UnityWebRequest request, HttpCall call, CancellationToken cancel)
        {
            var operation = request.SendWebRequest();
            try
            {
                await frames.Until(
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

        static async Task<byte[]> BytesOf(HttpBody body, CancellationToken cancel)
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

        [RuntimeInitializeOnLoadMethod(RuntimeInitializeLoadType.BeforeSceneLoad)]
        static void BecomeDefault()
        {
            DefaultPlatform.Make = () => new UnityPlatform();
        }
    }
}
