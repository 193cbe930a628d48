#if UNITY_WEBGL
using System;
using System.Runtime.InteropServices;
using System.Threading;
using System.Threading.Tasks;

namespace EdgeGameStorage
{
    /// <summary>A socket of the browser (WebGL/Socket.jslib). Each frame asks for what has arrived.</summary>
    sealed class BrowserSocket : ISocket
    {
        readonly UnityFrames frames;
        readonly int id;

        BrowserSocket(int id, UnityFrames frames)
        {
            this.id = id;
            this.frames = frames;
        }

        public int CloseCode
        {
            get { return EdgeGameStorageSocketCloseCode(id); }
        }

        public static async Task<ISocket> ConnectAsync(SocketCall call, UnityFrames frames, CancellationToken cancel)
        {
            // A browser's socket has no headers: the service takes the token as a subprotocol.
            var socket = new BrowserSocket(EdgeGameStorageSocketOpen(call.Url, call.Protocol, "bearer." + call.Token), frames);
            try
            {
                await frames.UntilAsync(() => EdgeGameStorageSocketIsOpen(socket.id) != 0 || socket.CloseCode != 0, cancel);
                if (socket.CloseCode != 0) throw new InvalidOperationException("The socket was refused.");
                return socket;
            }
            catch
            {
                socket.Dispose();
                throw;
            }
        }

        public async Task<string> ReceiveAsync(CancellationToken cancel)
        {
            string message = null;
            await frames.UntilAsync(() => (message = EdgeGameStorageSocketNext(id)) != null || CloseCode != 0, cancel);
            return message ?? EdgeGameStorageSocketNext(id);
        }

        public Task SendAsync(string text, CancellationToken cancel)
        {
            EdgeGameStorageSocketSend(id, text);
            return Task.FromResult(true);
        }

        public void Dispose()
        {
            EdgeGameStorageSocketClose(id);
        }

        [DllImport("__Internal")]
        static extern int EdgeGameStorageSocketOpen(string url, string protocol, string bearer);

        [DllImport("__Internal")]
        static extern int EdgeGameStorageSocketIsOpen(int id);

        [DllImport("__Internal")]
        static extern string EdgeGameStorageSocketNext(int id);

        [DllImport("__Internal")]
        static extern void EdgeGameStorageSocketSend(int id, string text);

        [DllImport("__Internal")]
        static extern int EdgeGameStorageSocketCloseCode(int id);

        [DllImport("__Internal")]
        static extern void EdgeGameStorageSocketClose(int id);
    }
}
#endif
