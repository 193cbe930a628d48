using System;
using System.Threading;
using System.Threading.Tasks;

namespace EdgeGameStorage
{
    /// <summary>
    /// Returns a token of your login. The client calls it before each request, so it caches the token while that is valid. With
    /// <paramref name="renew"/>, after an answer 401, it gets a new one.
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

        public Task<string> Current(CancellationToken cancel)
        {
            return provider(false, cancel);
        }

        /// <summary>A new token. The renewal goes on when one of those who wait for it gives up.</summary>
        public async Task<string> Renewed(CancellationToken cancel)
        {
            Task<string> mine;
            lock (gate)
            {
                mine = renewal ?? Renew();
                renewal = mine.IsCompleted ? null : mine; // A provider may answer at once.
            }
            var given = new TaskCompletionSource<string>();
            using (cancel.Register(() => given.TrySetCanceled()))
                return await await Task.WhenAny(mine, given.Task);
        }

        async Task<string> Renew()
        {
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
