using System;
using System.Collections.Generic;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;

namespace EdgeGameStorage
{
    /// <summary>The entries of one user in a store.</summary>
    sealed class Entries
    {
        /// <summary>How often a lock is asked for that another process has. Its steps take milliseconds.</summary>
        static readonly TimeSpan LockDelay = TimeSpan.FromMilliseconds(20);

        readonly ISaveStore store;
        readonly string prefix;
        readonly IPlatform platform;
        readonly Turns turns;

        /// <param name="store">Shared by the objects of this process that use it.</param>
        /// <param name="prefix">What the keys begin with.</param>
        /// <param name="platform">Waits for the locks of other processes.</param>
        public Entries(ISaveStore store, string prefix, IPlatform platform)
        {
            this.store = store;
            this.prefix = prefix;
            this.platform = platform;
            turns = StoreTurns.Of(store);
        }

        /// <summary>The slots that have had an entry.</summary>
        public async Task<List<string>> SlotsAsync()
        {
            var packed = await store.GetAsync(prefix);
            return packed == null ? new List<string>() : Json.Texts(Json.Parse(Encoding.UTF8.GetString(packed)), "slots");
        }

        /// <summary>Null when the slot has none.</summary>
        public async Task<Entry> GetAsync(string slot)
        {
            var packed = await store.GetAsync(KeyOf(slot));
            return packed == null ? null : EntryPacking.Unpacked(packed);
        }

        /// <summary>Takes a step, which nobody else takes at the same time. Null stands for no entry.</summary>
        public async Task<Entry> ChangeAsync(string slot, Func<Entry, Entry> step, CancellationToken cancel)
        {
            await AddSlotAsync(slot, cancel);
            return await ExclusivelyAsync(slot, async () =>
            {
                var before = await GetAsync(slot);
                var after = step(before);
                if (after == before) return after;
                if (after == null) await store.DeleteAsync(KeyOf(slot));
                else await store.SetAsync(KeyOf(slot), EntryPacking.Packed(after));
                return after;
            }, cancel);
        }

        /// <summary>Runs acts of one name one after the other: in this process, and in all that share the store.</summary>
        /// <param name="cancel">Ends the waiting.</param>
        public Task<T> ExclusivelyAsync<T>(string name, Func<Task<T>> act, CancellationToken cancel)
        {
            var shared = store as ISharedSaveStore;
            if (shared == null) return turns.RunAsync(KeyOf(name), act, cancel);
            return turns.RunAsync(KeyOf(name), async () =>
            {
                using (await LockAsync(shared, KeyOf(name), cancel)) return await act();
            }, cancel);
        }

        async Task<IDisposable> LockAsync(ISharedSaveStore shared, string name, CancellationToken cancel)
        {
            for (;;)
            {
                var taken = shared.TryLock(name);
                if (taken != null) return taken;
                await platform.DelayAsync(LockDelay, cancel);
            }
        }

        /// <summary>A store can't list its keys, so a slot is added before its entry.</summary>
        async Task AddSlotAsync(string slot, CancellationToken cancel)
        {
            if ((await SlotsAsync()).Contains(slot)) return;
            await ExclusivelyAsync("", async () =>
            {
                var slots = await SlotsAsync();
                if (!slots.Contains(slot)) slots.Add(slot);
                var packed = new JObject { { "slots", new JArray(slots.ToArray()) } };
                await store.SetAsync(prefix, Encoding.UTF8.GetBytes(packed.ToString(Formatting.None)));
                return true;
            }, cancel);
        }

        string KeyOf(string slot)
        {
            return prefix + "/" + slot;
        }
    }
}
