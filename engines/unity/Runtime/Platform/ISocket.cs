using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace EdgeGameStorage
{
    /// <summary>The request that opens a socket.</summary>
    public sealed class SocketCall
    {
        public SocketCall(string url, string protocol, string token, string userAgent)
        {
            Url = url;
            Protocol = protocol;
            Token = token;
            UserAgent = userAgent;
        }

        /// <summary>Absolute, with <c>ws</c> or <c>wss</c>.</summary>
        public string Url { get; }

        /// <summary>The subprotocol that the service speaks.</summary>
        public string Protocol { get; }

        /// <summary>Sent as <c>Authorization</c>, or by a browser, whose sockets have no headers, as the subprotocol <c>bearer.TOKEN</c>.</summary>
        public string Token { get; }

        /// <summary>Sent as <c>User-Agent</c>, except by a browser.</summary>
        public string UserAgent { get; }
    }

    /// <summary>An open WebSocket of text messages.</summary>
    public interface ISocket : IDisposable
    {
        /// <summary>
        /// Waits for the next message; null when the socket has closed. Throws when the connection breaks or
        /// <paramref name="cancel"/> is canceled.
        /// </summary>
        Task<string> ReceiveAsync(CancellationToken cancel);

        /// <summary>Sends a text message.</summary>
        Task SendAsync(string text, CancellationToken cancel);

        /// <summary>The code with which the other side has closed the socket; 1006 when it broke, 0 while it is open.</summary>
        int CloseCode { get; }
    }
}
