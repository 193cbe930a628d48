using System;
using System.Threading;
using System.Threading.Tasks;

namespace EdgeGameStorage
{
    /// <summary>The saves of one user on this device, and the requests of that user.</summary>
    sealed class Device
    {
        Device(Entries entries, SavesService service)
        {
            Entries = entries;
            Service = service;
        }

        public Entries Entries { get; }

        public SavesService Service { get; }

        /// <summary>
        /// Opens a store for one user of one service. The keys name both, and no request goes out with a token of somebody else, so that
        /// two players of one device never get each other's saves. Throws <see cref="InvalidOperationException"/> when no user is given
        /// and the token has none.
        /// </summary>
        public static async Task<Device> OpenAsync(Transport transport, ISaveStore store, string user)
        {
            var owner = user ?? Claims.UserOf(await transport.Tokens.CurrentAsync(CancellationToken.None));
            if (owner == null) throw new InvalidOperationException("The token names no user: give the option User.");
            var prefix = "saves/1/" + PercentEncoding.Encoded(transport.BaseUrl) + "/" + PercentEncoding.Encoded(owner);
            var ofUser = transport.With((renew, cancel) => TokenOfAsync(transport.Tokens, owner, renew, cancel));
            return new Device(new Entries(store, prefix, transport.Platform), new SavesService(ofUser));
        }

        static async Task<string> TokenOfAsync(Tokens tokens, string owner, bool renew, CancellationToken cancel)
        {
            var token = await tokens.GetAsync(renew, cancel);
            if (Claims.UserOf(token) != owner) throw new InvalidOperationException("The token is of another user than the saves.");
            return token;
        }
    }
}
