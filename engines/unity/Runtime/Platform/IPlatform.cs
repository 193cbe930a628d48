using System;
using System.Threading;
using System.Threading.Tasks;

namespace EdgeGameStorage
{
    /// <summary>
    /// The surroundings of a client: its network, its timers and its processor. <see cref="DotnetPlatform"/> is the one of .NET, and
    /// <c>UnityPlatform</c> the one of Unity, which also runs in a browser and on consoles.
    /// </summary>
    public interface IPlatform : IDisposable
    {
        /// <summary>
        /// Sends one request, follows no redirect, and reads the whole answer, whatever its status is.
        /// Throws <see cref="OperationCanceledException"/> when <paramref name="cancel"/> is, <see cref="NotSupportedException"/> when it
        /// refuses to send, which is not repeated, and any other exception when no answer arrives.
        /// </summary>
        Task<HttpAnswer> SendAsync(HttpCall call, CancellationToken cancel);

        /// <summary>Opens a socket. Throws when the connection is refused.</summary>
        Task<ISocket> ConnectAsync(SocketCall call, CancellationToken cancel);

        /// <summary>Waits. The timers of .NET don't run in a browser, so nothing else in the client waits for time.</summary>
        Task DelayAsync(TimeSpan time, CancellationToken cancel);

        /// <summary>
        /// Runs work that takes long, like a checksum, without blocking the caller: on another thread, or where there is none at once.
        /// The work takes few milliseconds at a time.
        /// </summary>
        Task ComputeAsync(Action work);

        /// <summary>The time since some moment, which no change of the clock moves.</summary>
        TimeSpan Elapsed { get; }
    }
}
