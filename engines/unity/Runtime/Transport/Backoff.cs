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
        public static async Task<T> WithRetries<T>(
            IPlatform platform,
            Func<Task<T>> attempt,
            Func<StorageException, TimeSpan?> delayOf,
            CancellationToken cancel)
        {
            for (;;)
            {
                cancel.ThrowIfCancellationRequested();
                TimeSpan? delay;
                try
                {
                    return await attempt();
                }
                catch (StorageException error)
                {
                    delay = cancel.IsCancellationRequested ? null : delayOf(error);
                    if (delay == null) throw;
                }
                await platform.Delay(delay.Value, cancel);
            }
        }
    }
}
