using System;
using System.IO;
using System.Net.WebSockets;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

namespace EdgeGameStorage
{
    /// <summary>A socket of .NET.</summary>
    sealed class DotnetSocket : ISocket
    {
        const int Broken = 1006;

        readonly ClientWebSocket socket = new ClientWebSocket();
        readonly ArraySegment<byte> buffer = new ArraySegment<byte>(new byte[8192]);
        readonly SemaphoreSlim sending = new SemaphoreSlim(1);

        DotnetSocket()
        {
        }

        public int CloseCode { get; private set; }

        public static async Task<ISocket> ConnectAsync(SocketCall call, CancellationToken cancel)
        {
            var opened = new DotnetSocket();
            try
            {
                var options = opened.socket.Options;
                options.AddSubProtocol(call.Protocol);
                options.SetRequestHeader("Authorization", "Bearer " + call.Token);
                options.SetRequestHeader("User-Agent", call.UserAgent);
                options.KeepAliveInterval = TimeSpan.Zero; // The client's own pings keep it alive.
                await opened.socket.ConnectAsync(new Uri(call.Url), cancel);
                return opened;
            }
            catch
            {
                opened.Dispose();
                throw;
            }
        }

        public async Task<string> ReceiveAsync(CancellationToken cancel)
        {
            using (var message = new MemoryStream())
            {
                for (;;)
                {
                    var part = await ReceivePartAsync(cancel);
                    if (part.MessageType == WebSocketMessageType.Close)
                    {
                        CloseCode = (int?)part.CloseStatus ?? Broken;
                        return null;
                    }
                    message.Write(buffer.Array, buffer.Offset, part.Count);
                    if (part.EndOfMessage) return Encoding.UTF8.GetString(message.ToArray());
                }
            }
        }

        public async Task SendAsync(string text, CancellationToken cancel)
        {
            var bytes = new ArraySegment<byte>(Encoding.UTF8.GetBytes(text));
            await sending.WaitAsync(cancel); // A socket sends one message at a time.
            try
            {
                await socket.SendAsync(bytes, WebSocketMessageType.Text, true, cancel);
            }
            finally
            {
                sending.Release();
            }
        }

        public void Dispose()
        {
            socket.Dispose();
        }

        async Task<WebSocketReceiveResult> ReceivePartAsync(CancellationToken cancel)
        {
            try
            {
                return await socket.ReceiveAsync(buffer, cancel);
            }
            catch
            {
                CloseCode = Broken;
                throw;
            }
        }
    }
}
