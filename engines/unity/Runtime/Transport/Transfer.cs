using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace EdgeGameStorage
{
    /// <summary>
    /// Requests to the signed URLs of storage (R2). They have no time limit as a whole: one ends when nothing has moved for the client's
    /// timeout.
    /// </summary>
    static class Transfer
    {
        /// <summary>
        /// Sends a call once. Throws <see cref="StorageException"/> with <c>NETWORK_ERROR</c> when it stalls or no answer arrives.
        /// </summary>
        /// <param name="transport">Its platform sends, and its timeout says what a stall is.</param>
        /// <param name="call">Its <c>Sent</c> and <c>Received</c> are told nothing once this has ended.</param>
        /// <param name="cancel">Ends the call.</param>
        public static async Task<HttpAnswer> SendAsync(Transport transport, HttpCall call, CancellationToken cancel)
        {
            using (var ended = CancellationTokenSource.CreateLinkedTokenSource(cancel, transport.Disposed))
            using (var stopped = new CancellationTokenSource())
            {
                var watch = new Watch(transport.Platform);
                call.Sent = watch.Over(call.Sent);
                call.Received = watch.Over(call.Received);
                var timer = watch.EndWhenStalledAsync(ended, transport.Timeout, stopped.Token);
                try
                {
                    return await transport.Platform.SendAsync(call, ended.Token);
                }
                catch (Exception error) when (Transport.IsOfNetwork(error))
                {
                    transport.ThrowIfEnded(cancel);
                    if (!ended.IsCancellationRequested) throw Transport.NoAnswer(Transport.Unreachable(call), error);
                    throw Transport.NoAnswer("Nothing could be sent or received for " + (int)transport.Timeout.TotalSeconds + " s.", error);
                }
                finally
                {
                    watch.Stop();
                    stopped.Cancel();
                    await timer;
                }
            }
        }

        /// <summary>Whether a transfer failed in a way that a repetition may mend.</summary>
        public static bool IsLost(StorageException error)
        {
            return error.Code == ErrorCodes.StorageRefused || error.Code == ErrorCodes.NetworkError;
        }

        /// <summary>Storage rejected a request to a signed URL.</summary>
        public static StorageException Refused(HttpAnswer answer)
        {
            var text = answer.Text;
            var start = text.IndexOf("<Message>", StringComparison.Ordinal);
            var end = text.IndexOf("</Message>", StringComparison.Ordinal);
            var reason = start < 0 || end < start ? "" : " " + text.Substring(start + 9, end - start - 9);
            return new StorageException(ErrorCodes.StorageRefused, "Storage answered " + answer.Status + "." + reason) { Status = answer.Status };
        }

        /// <summary>When something of a call has moved last.</summary>
        sealed class Watch
        {
            readonly object gate = new object();
            readonly IPlatform platform;
            TimeSpan movedAt;
            bool isOver;

            public Watch(IPlatform platform)
            {
                this.platform = platform;
                movedAt = platform.Elapsed;
            }

            public IProgress<long> Over(IProgress<long> told)
            {
                return new Watched(this, told);
            }

            public void Stop()
            {
                lock (gate) isOver = true;
            }

            public async Task EndWhenStalledAsync(CancellationTokenSource ended, TimeSpan timeout, CancellationToken stopped)
            {
                try
                {
                    for (;;)
                    {
                        TimeSpan left;
                        lock (gate) left = movedAt + timeout - platform.Elapsed;
                        if (left <= TimeSpan.Zero) break;
                        await platform.DelayAsync(left, stopped);
                    }
                    ended.Cancel();
                }
                catch (OperationCanceledException)
                {
                    // The answer has come.
                }
            }

            /// <summary>False when the call is over: a platform may go on reading the content after its request was canceled.</summary>
            bool Moved()
            {
                lock (gate)
                {
                    movedAt = platform.Elapsed;
                    return !isOver;
                }
            }

            sealed class Watched : IProgress<long>
            {
                readonly Watch watch;
                readonly IProgress<long> told;
                long last = -1;

                public Watched(Watch watch, IProgress<long> told)
                {
                    this.watch = watch;
                    this.told = told;
                }

                public void Report(long bytes)
                {
                    // A platform may report each frame, also while nothing moves.
                    if (Interlocked.Exchange(ref last, bytes) == bytes) return;
                    if (watch.Moved() && told != null) told.Report(bytes);
                }
            }
        }
    }
}
