using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace EdgeGameStorage
{
    /// <summary>
    /// The users whom the user has muted: as the service had them when they were first needed, with the client's own changes. The
    /// catalogue is read without their assets.
    /// </summary>
    sealed class MutedUsers
    {
        /// <summary>The most mutes of a page.</summary>
        const int Page = 100;

        readonly GameStorage storage;
        readonly object gate = new object();
        /// <summary>Null until the first use, and after a failure.</summary>
        Task<HashSet<string>> reading;
        /// <summary>What the client itself has changed, which may have been before or after the reading.</summary>
        readonly Dictionary<string, bool> changed = new Dictionary<string, bool>(StringComparer.Ordinal);

        public MutedUsers(GameStorage storage)
        {
            this.storage = storage;
        }

        /// <summary>Remembers a change once its request has succeeded.</summary>
        public async Task RememberAsync(string userId, bool isMuted, Task request)
        {
            await request;
            lock (gate) changed[userId] = isMuted;
        }

        /// <summary>A page of the catalogue without the assets of muted users. The mutes are read beside the first page.</summary>
        public async Task<GameAssetPage> LeaveOutAsync(Task<GameAssetPage> request, CancellationToken cancel)
        {
            var mutes = Reading();
            Waits.Observe(mutes); // The failure of the page comes first.
            var page = await request;
            var read = await Waits.UntilAsync(mutes, cancel);
            page.Assets = page.Assets.Where(asset => !IsMuted(asset.OwnerId, read)).ToList();
            return page;
        }

        bool IsMuted(string userId, HashSet<string> read)
        {
            bool isMuted;
            lock (gate) return changed.TryGetValue(userId, out isMuted) ? isMuted : read.Contains(userId);
        }

        /// <summary>The mutes, which every page waits for: one that is given up leaves the reading under way.</summary>
        Task<HashSet<string>> Reading()
        {
            lock (gate)
                if (reading == null || reading.IsFaulted || reading.IsCanceled) reading = ReadAsync();
            return reading;
        }

        async Task<HashSet<string>> ReadAsync()
        {
            var read = new HashSet<string>(StringComparer.Ordinal);
            foreach (var mute in await storage.ListMutes(new ListMutesQuery { Limit = Page }).ToListAsync()) read.Add(mute.UserId);
            return read;
        }
    }
}
