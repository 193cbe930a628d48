using System;
using System.Collections.Generic;
using System.IO;
using System.Net.WebSockets;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

namespace UnityEngine
{
    /// <summary>
    /// Sockets as a browser has them: the functions of Socket.jslib, which BrowserSocket.cs calls. What has arrived is there when it is
    /// asked for, and nothing is called back.
    /// </summary>
    public static class BrowserSockets
    {
        const int Broken = 1006;

        static readonly Dictionary<int, State> open = new Dictionary<int, State>();
        static int last;

        public static int EdgeGameStorageSocketOpen(string url, string protocol, string bearer)
        {
            Player.RequireMainThread();
            var state = new State();
            last += 1;
            open[last] = state;
            state.Socket.Options.AddSubProtocol(protocol);
            state.Socket.Options.AddSubProtocol(bearer);
            Task.Run(() => Follow(state, url));
            return last;
        }

        public static int EdgeGameStorageSocketIsOpen(int id)
        {
            return Find(id, state => state.IsOpen ? 1 : 0, 0);
        }

        public static string EdgeGameStorageSocketNext(int id)
        {
            return Find(id, state => state.Messages.Count == 0 ? null : state.Messages.Dequeue(), null);
        }

        public static void EdgeGameStorageSocketSend(int id, string text)
        {
            Player.RequireMainThread();
            State state;
            if (!open.TryGetValue(id, out state) || state.Socket.State != WebSocketState.Open) return;
            var bytes = new ArraySegment<byte>(Encoding.UTF8.GetBytes(text));
            state.Socket.SendAsync(bytes, WebSocketMessageType.Text, true, CancellationToken.None);
        }

        public static int EdgeGameStorageSocketCloseCode(int id)
        {
            return Find(id, state => state.CloseCode, Broken);
        }

        public static void EdgeGameStorageSocketClose(int id)
        {
            Player.RequireMainThread();
            State state;
            if (!open.TryGetValue(id, out state)) return;
            open.Remove(id);
            state.Socket.Dispose();
        }

        static T Find<T>(int id, Func<State, T> read, T otherwise)
        {
            Player.RequireMainThread();
            State state;
            if (!open.TryGetValue(id, out state)) return otherwise;
            lock (state) return read(state);
        }

        static async Task Follow(State state, string url)
        {
            var code = Broken;
            try
            {
                await state.Socket.ConnectAsync(new Uri(url), CancellationToken.None);
                lock (state) state.IsOpen = true;
                for (string text; (text = await Next(state.Socket)) != null;)
                    lock (state) state.Messages.Enqueue(text);
                code = (int?)state.Socket.CloseStatus ?? Broken;
            }
            catch (Exception)
            {
                // A browser says no more than that the connection broke.
            }
            lock (state) state.CloseCode = code;
        }

        /// <summary>The next message; null when the socket has closed.</summary>
        static async Task<string> Next(ClientWebSocket socket)
        {
            var buffer = new ArraySegment<byte>(new byte[8192]);
            using (var message = new MemoryStream())
            {
                for (;;)
                {
                    var part = await socket.ReceiveAsync(buffer, CancellationToken.None);
                    if (part.MessageType == WebSocketMessageType.Close) return null;
                    message.Write(buffer.Array, 0, part.Count);
                    if (part.EndOfMessage) return Encoding.UTF8.GetString(message.ToArray());
                }
            }
        }

        sealed class State
        {
            public ClientWebSocket Socket { get; } = new ClientWebSocket();

            public Queue<string> Messages { get; } = new Queue<string>();

            public bool IsOpen { get; set; }

            public int CloseCode { get; set; }
        }
    }
}
