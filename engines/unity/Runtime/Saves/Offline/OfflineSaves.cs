using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace EdgeGameStorage
{
    /// <summary>
    /// Saves that are kept on this device first, and sent when there is a connection. <see cref="Saves.Offline"/> opens them. Handlers are
    /// called in the context in which they were opened: in Unity on the main thread.
    /// </summary>
    public sealed class OfflineSaves : IDisposable
    {
        /// <summary>Handlers that are added right after construction get every event.</summary>
        static readonly TimeSpan StartDelay = TimeSpan.FromMilliseconds(10);

        readonly object gate = new object();
        readonly CancellationTokenSource closing;
        readonly CancellationToken closed;
        readonly OfflineEvents events;
        readonly Sender sender;
        readonly Func<Task<Device>> openDevice;
        Task<Device> opening;

        internal OfflineSaves(Transport transport, ISaveStore store, OfflineOptions options, CancellationToken disposing)
        {
            if (store == null) throw new ArgumentNullException("store");
            closing = CancellationTokenSource.CreateLinkedTokenSource(disposing);
            closed = closing.Token;
            events = new OfflineEvents(closed);
            openDevice = () => Device.OpenAsync(transport, store, options.User);
            sender = new Sender(OpenAsync, transport.Platform, options, events, closed);
            Waits.LeaveRunning(StartAsync(transport.Platform));
        }

        /// <summary>The service has a save that waited on this device.</summary>
        public event Action<Save> Saved
        {
            add { lock (gate) events.Saved += value; }
            remove { lock (gate) events.Saved -= value; }
        }

        /// <summary>A save can't be sent, because the service has another one. Raised once, and again after a restart.</summary>
        public event Action<SaveConflict> ConflictFound
        {
            add { lock (gate) events.ConflictFound += value; }
            remove { lock (gate) events.ConflictFound -= value; }
        }

        /// <summary>A save could not be sent. It stays on this device, and is sent later.</summary>
        public event Action<Exception> Failed
        {
            add { lock (gate) events.Failed += value; }
            remove { lock (gate) events.Failed -= value; }
        }

        /// <summary>
        /// Only the studio's servers write the slot, which a game of before has written. The handler gets what waited, and this device
        /// forgets it. Without a handler it stays, as after each <see cref="Failed"/>.
        /// </summary>
        public event Action<RefusedSave> Refused
        {
            add { lock (gate) events.Refused += value; }
            remove { lock (gate) events.Refused -= value; }
        }

        /// <summary>
        /// Keeps a save on this device, in place of what waits in the slot. Ends when the store has it: from then on it is sent when there is
        /// a connection, also after a restart. Throws <see cref="ArgumentException"/> when the slot can't be one, or only the studio's
        /// servers write it, and the error of the store.
        /// </summary>
        public Task WriteAsync(
            string slot, byte[] bytes, OfflineWriteOptions options = null, CancellationToken cancel = default(CancellationToken))
        {
            if (!IsSlot(slot)) throw new ArgumentException("\"" + slot + "\" can't be a slot.", "slot");
            if (Saves.IsReadOnly(slot)) throw new ArgumentException("Only the studio's servers write \"" + slot + "\".", "slot");
            return WriteAsync(slot, SaveContent.Of(bytes, options), options != null && options.Keep, cancel);
        }

        /// <summary>Keeps a text in UTF-8, as <see cref="WriteAsync(string, byte[], OfflineWriteOptions, CancellationToken)"/>.</summary>
        public Task WriteAsync(
            string slot, string text, OfflineWriteOptions options = null, CancellationToken cancel = default(CancellationToken))
        {
            return WriteAsync(slot, HttpBody.BytesOf(text), options, cancel);
        }

        /// <summary>
        /// Reads a save: what waits on this device, else what the service has, else what this device had last. Throws
        /// <c>NETWORK_ERROR</c> when this device has nothing and there is no answer.
        /// </summary>
        public async Task<OfflineSave> ReadAsync(string slot, CancellationToken cancel = default(CancellationToken))
        {
            var device = await OpenedAsync(cancel);
            var local = await device.Entries.GetAsync(slot);
            if (local != null && local.State != EntryState.Saved) return SaveOf(slot, local);
            try
            {
                var read = await device.Service.ReadAsync(slot, null, cancel);
                var content = read.ToContent();
                var entry = await device.Entries.ChangeAsync(slot, now => Entry.Fetched(now, content, read.Revision), cancel);
                return SaveOf(slot, entry);
            }
            catch (Exception error) when (local != null && SavesService.IsTemporary(error) && !cancel.IsCancellationRequested)
            {
                return SaveOf(slot, local);
            }
            catch (StorageException error) when (error.Code == ErrorCodes.SaveNotFound && local != null)
            {
                await device.Entries.ChangeAsync(slot, now => IsLatest(now, local) ? null : now, cancel);
                throw;
            }
        }

        /// <summary>
        /// What this device has: the saves that wait, and those that it has written or read last, which may be older than the service's.
        /// For a menu without a network: these are the saves that <see cref="ReadAsync"/> returns then.
        /// </summary>
        public async Task<IReadOnlyList<OfflineSave>> ListOnDeviceAsync(CancellationToken cancel = default(CancellationToken))
        {
            var saves = new List<OfflineSave>();
            foreach (var pair in await AllAsync(cancel)) saves.Add(SaveOf(pair.Key, pair.Value));
            return saves;
        }

        /// <summary>The slots with something that the service has yet to get, those in conflict included.</summary>
        public async Task<IReadOnlyList<string>> ListWaitingAsync(CancellationToken cancel = default(CancellationToken))
        {
            var slots = new List<string>();
            foreach (var pair in await AllAsync(cancel))
                if (pair.Value.State != EntryState.Saved) slots.Add(pair.Key);
            return slots;
        }

        /// <summary>The conflicts that are not resolved.</summary>
        public async Task<IReadOnlyList<SaveConflict>> ListConflictsAsync(CancellationToken cancel = default(CancellationToken))
        {
            var conflicts = new List<SaveConflict>();
            foreach (var pair in await AllAsync(cancel))
                if (pair.Value.State == EntryState.Conflict) conflicts.Add(sender.ConflictOf(pair.Key, pair.Value));
            return conflicts;
        }

        /// <summary>
        /// Drops what this device has of a slot, also what was never sent: for a player who takes the save of another device, and after a
        /// slot was deleted or restored.
        /// </summary>
        public async Task ForgetAsync(string slot, CancellationToken cancel = default(CancellationToken))
        {
            var device = await OpenedAsync(cancel);
            await device.Entries.ChangeAsync(slot, now => null, cancel);
        }

        /// <summary>
        /// Sends what waits, now: call it when the network or the player is back. Ends when nothing is left to send; conflicts stay. Throws
        /// the error for which something could not be sent.
        /// </summary>
        public Task FlushAsync(CancellationToken cancel = default(CancellationToken))
        {
            return sender.FlushAsync(cancel);
        }

        /// <summary>Ends the sending. What waits stays in the store, and is sent when it is opened again.</summary>
        public void Dispose()
        {
            closing.Cancel();
        }

        async Task StartAsync(IPlatform platform)
        {
            try
            {
                await platform.DelayAsync(StartDelay, closed);
            }
            catch (OperationCanceledException)
            {
                return;
            }
            sender.Wake();
        }

        async Task WriteAsync(string slot, SaveContent content, bool keep, CancellationToken cancel)
        {
            var device = await OpenedAsync(cancel);
            await device.Entries.ChangeAsync(slot, now => Entry.Written(now, content, keep), cancel);
            sender.Wake();
        }

        Task<Device> OpenedAsync(CancellationToken cancel)
        {
            return Waits.UntilAsync(OpenAsync(), cancel);
        }

        /// <summary>Opens the device once, and again after a failure.</summary>
        Task<Device> OpenAsync()
        {
            lock (gate)
            {
                if (opening == null || opening.IsFaulted || opening.IsCanceled) opening = openDevice();
                return opening;
            }
        }

        async Task<List<KeyValuePair<string, Entry>>> AllAsync(CancellationToken cancel)
        {
            var device = await OpenedAsync(cancel);
            var all = new List<KeyValuePair<string, Entry>>();
            foreach (var slot in await device.Entries.SlotsAsync())
            {
                var entry = await device.Entries.GetAsync(slot);
                if (entry != null) all.Add(new KeyValuePair<string, Entry>(slot, entry));
            }
            return all;
        }

        static bool IsLatest(Entry now, Entry local)
        {
            return now != null && now.Latest.Number == local.Latest.Number;
        }

        static OfflineSave SaveOf(string slot, Entry entry)
        {
            return new OfflineSave(slot, entry.Latest.Content, entry.Base, entry.State != EntryState.Saved);
        }

        static bool IsSlot(string slot)
        {
            if (string.IsNullOrEmpty(slot) || slot.Length > 64 || slot == "." || slot == "..") return false;
            foreach (var letter in slot)
            {
                var isPlain = letter >= 'A' && letter <= 'Z' || letter >= 'a' && letter <= 'z' || letter >= '0' && letter <= '9';
                if (!isPlain && letter != '.' && letter != '_' && letter != '-') return false;
            }
            return true;
        }
    }
}
