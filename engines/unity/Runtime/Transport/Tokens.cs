using System;
using System.Threading;
using System.Threading.Tasks;

namespace EdgeGameStorage
{
    /// <summary>
    /// Returns a token of your login. The client calls it before each request, so it caches the token while that is valid. With
    /// <paramref name="renew"/>, after an answer 401, it gets a new one. What it throws ends the method that needs the token.
    /// </summary>
    public delegate Task<string> TokenProvider(bool renew, CancellationToken cancel);

    /// <summary>The tokens of a client. Requests that need a new one at the same time share it.</summary>
    sealed class Tokens
    {
        readonly TokenProvider provider;
        readonly object gate = new object();
        Task<string> renewal;

        public Tokens(TokenProvider provider)
        {
            this.provider = provider;
        }

        /// <summary>How many renewals have ended.</summary>
        public int Renewals { get; private set; }

        /// <summary>The present token, or a new one.</summary>
        public Task<string> GetAsync(bool renew, CancellationToken cancel)
        {
            return renew ? RenewedAsync(Renewals, cancel) : CurrentAsync(cancel);
        }

        public Task<string> CurrentAsync(CancellationToken cancel)
        {
            return Waits.UntilAsync(provider(false, cancel), cancel);
        }

        /// <summary>
        /// A new token, unless a renewal has ended since <see cref="Renewals"/> was <paramref name="before"/>: then the present one. The
        /// renewal goes on when one of those who wait for it gives up.
        /// </summary>
        public Task<string> RenewedAsync(int before, CancellationToken cancel)
        {
            Task<string> mine = null;
            lock (gate)
                if (Renewals == before) mine = renewal = renewal ?? RenewAsync();
            return mine == null ? CurrentAsync(cancel) : Waits.UntilAsync(mine, cancel);
        }

        async Task<string> RenewAsync()
        {
            await Task.Yield(); // Whoever begins this holds the lock, and keeps the task after it.
            try
            {
                return await provider(true, CancellationToken.None);
            }
            finally
            {
                lock (gate)
                {
                    Renewals += 1;
                    renewal = null;
                }
            }
        }
    }
}
