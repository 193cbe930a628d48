using System;
using System.Threading;
using System.Threading.Tasks;

namespace EdgeGameStorage
{
    /// <summary>The delays between attempts.</summary>
    static class Backoff
    {
        [ThreadStatic]
        static Random random;

        /// <summary>
        /// A random delay whose maximum doubles with each failure ("full jitter"): after an outage, clients do not come back at the same
        /// moment.
        /// </summary>
        public static TimeSpan Jittered(TimeSpan min, TimeSpan max, int failures)
        {
            if (random == null) random = new Random(Guid.NewGuid().GetHashCode());
            var most = Math.Min(max.TotalMilliseconds, min.TotalMilliseconds * Math.Pow(2, failures - 1));
            return TimeSpan.FromMilliseconds(random.NextDouble() * most);
        }

        /// <summary>The delay after this many failures; null when no attempts are left.</summary>
        public static TimeSpan? Delay(RetryOptions retry, int failures)
        {
            return failures < retry.Attempts ? Jittered(retry.MinDelay, retry.MaxDelay, failures) : (TimeSpan?)null;
        }

        /// <summary>
        /// Runs <paramref name="attempt"/> until it succeeds. <paramref name="delayOf"/> returns the delay before the next attempt, or null
        /// to throw the error.
        /// </summary>
        public static async Task<T> WithRetriesAsync<T>(
            Transport transport,
            Func<Task<T>> attempt,
            Func<StorageException, TimeSpan?> delayOf,
            CancellationToken cancel)
        {
            for (;;)
            {
                transport.ThrowIfEnded(cancel);
                TimeSpan? delay;
                try
                {
                    return await attempt();
                }
                catch (StorageException error)
                {
                    delay = delayOf(error);
                    if (delay == null) throw;
                }
                await WaitAsync(transport, delay.Value, cancel);
            }
        }

        /// <summary>Waits until the time has passed, or the client is disposed: then nothing is attempted again.</summary>
        static async Task WaitAsync(Transport transport, TimeSpan delay, CancellationToken cancel)
        {
            using (var ended = CancellationTokenSource.CreateLinkedTokenSource(cancel, transport.Disposed))
                try
                {
                    await transport.Platform.DelayAsync(delay, ended.Token);
                }
                catch (OperationCanceledException)
                {
                    transport.ThrowIfEnded(cancel);
                    throw;
                }
        }
    }
}
