using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace EdgeGameStorage
{
    /// <summary>Sends what waits on a device: in rounds through all slots, one round at a time.</summary>
    sealed class Sender
    {
        /// <summary>The name of the lock of a round. No slot has it.</summary>
        const string Round = "/";

        readonly Func<Task<Device>> open;
        readonly IPlatform platform;
        readonly OfflineOptions options;
        readonly OfflineEvents events;
        readonly CancellationToken closed;
        readonly object gate = new object();
        /// <summary>The conflicts that have been told, by slot.</summary>
        readonly Dictionary<string, string> told = new Dictionary<string, string>(StringComparer.Ordinal);
        int failures;
        Task<bool> round;
        /// <summary>Whether something has been written since the round looked.</summary>
        bool isDue;
        /// <summary>The wait after which the next round begins; 0: none.</summary>
        int waiting;
        int waits;

        public Sender(
            Func<Task<Device>> open, IPlatform platform, OfflineOptions options, OfflineEvents events, CancellationToken closed)
        {
            this.open = open;
            this.platform = platform;
            this.options = options;
            this.events = events;
            this.closed = closed;
        }

        /// <summary>Sends what waits, now or when the next attempt is due.</summary>
        public void Wake()
        {
            lock (gate)
            {
                isDue = true;
                if (waiting != 0) return;
            }
            Begin();
        }

        /// <summary>Sends what waits, now. Throws the error for which something could not be sent.</summary>
        public async Task FlushAsync(CancellationToken cancel)
        {
            Task<bool> before;
            lock (gate) before = round;
            // It may have passed a slot before that was written.
            if (before != null) await Waits.UntilAsync(Task.WhenAny(before), cancel);
            await Waits.UntilAsync(StartRoundAsync(), cancel);
        }

        /// <summary>The conflict of a slot, as the game gets it.</summary>
        public SaveConflict ConflictOf(string slot, Entry entry)
        {
            var number = entry.Latest.Number;
            return new SaveConflict(
                slot, entry.Latest.Content, entry.Current, entry.KeptRevision,
                (content, cancel) => ResolveAsync(slot, number, content, cancel));
        }

        async Task<Save> ResolveAsync(string slot, long number, SaveContent content, CancellationToken cancel)
        {
            var device = await Waits.UntilAsync(open(), cancel);
            var isTaken = false;
            var decided = await device.Entries.ChangeAsync(slot, now =>
            {
                // The game may have written to the slot since it was told.
                isTaken = now != null && now.State == EntryState.Conflict && now.Latest.Number == number;
                return isTaken ? now.Resolved(content) : now;
            }, cancel);
            if (!isTaken && (decided == null || decided.State != EntryState.Conflict))
                throw new InvalidOperationException("The conflict of the slot \"" + slot + "\" has been resolved already.");
            var entry = isTaken ? await SendNowAsync(device, slot, cancel) : decided;
            if (entry != null && entry.State == EntryState.Conflict)
            {
                IsNews(slot, entry);
                throw ConflictOf(slot, entry);
            }
            if (entry == null || entry.Save == null) throw new InvalidOperationException("The slot \"" + slot + "\" has been forgotten.");
            return entry.Save;
        }

        async Task<Entry> SendNowAsync(Device device, string slot, CancellationToken cancel)
        {
            using (var either = CancellationTokenSource.CreateLinkedTokenSource(closed, cancel))
            {
                try
                {
                    return await device.Entries.ExclusivelyAsync(Round, () => SendAsync(device, slot, either.Token), either.Token);
                }
                catch (OperationCanceledException) when (cancel.IsCancellationRequested)
                {
                    Wake(); // The decision is in the store, and is sent by the next round.
                    throw;
                }
                catch (Exception error)
                {
                    Note(error);
                    throw;
                }
            }
        }

        void Begin()
        {
            if (!closed.IsCancellationRequested) StartRoundAsync();
        }

        Task<bool> StartRoundAsync()
        {
            var mine = new TaskCompletionSource<bool>();
            lock (gate)
            {
                waiting = 0;
                if (round != null) return round;
                round = mine.Task;
            }
            Waits.LeaveRunning(RunAsync(mine));
            return mine.Task;
        }

        async Task RunAsync(TaskCompletionSource<bool> mine)
        {
            Exception failure = null;
            try
            {
                await SendAllAsync();
            }
            catch (Exception error)
            {
                failure = error;
            }
            bool isAgain;
            lock (gate)
            {
                round = null;
                isAgain = isDue && waiting == 0; // Written after the round's last look.
            }
            if (isAgain) Begin();
            if (failure == null)
            {
                mine.SetResult(true);
                return;
            }
            mine.SetException(failure);
            Waits.Observe(mine.Task); // The event has told it, so nobody has to wait for it.
        }

        /// <summary>Goes through all slots until nothing is left to send. Throws the error for which something could not be sent.</summary>
        async Task SendAllAsync()
        {
            StorageException refusal = null;
            try
            {
                var device = await open();
                await device.Entries.ExclusivelyAsync(Round, async () =>
                {
                    do
                    {
                        lock (gate) isDue = false;
                        foreach (var slot in await device.Entries.SlotsAsync())
                            refusal = await SendSlotAsync(device, slot) ?? refusal;
                    }
                    while (IsDue());
                    return true;
                }, closed);
                lock (gate) failures = 0;
            }
            catch (Exception error)
            {
                Note(error);
                throw;
            }
            if (refusal != null) throw refusal;
        }

        /// <summary>Sends what waits in a slot, and tells its conflict. Returns why the service takes it at no time, otherwise null.</summary>
        async Task<StorageException> SendSlotAsync(Device device, string slot)
        {
            try
            {
                var entry = await SendAsync(device, slot, closed);
                if (entry != null && entry.State == EntryState.Conflict)
                {
                    if (IsNews(slot, entry)) events.TellConflict(ConflictOf(slot, entry));
                }
                else
                    lock (gate) told.Remove(slot);
                return null;
            }
            catch (StorageException error) when (!SavesService.IsTemporary(error))
            {
                events.TellFailure(error);
                return error;
            }
        }

        /// <summary>Sends what waits in a slot. Each step is in the store before the next: whoever is killed goes on there.</summary>
        async Task<Entry> SendAsync(Device device, string slot, CancellationToken cancel)
        {
            for (;;)
            {
                cancel.ThrowIfCancellationRequested();
                var entry = await device.Entries.ChangeAsync(slot, now => now == null ? null : now.Sending(), cancel);
                if (entry == null || entry.State != EntryState.Waiting) return entry;
                var sent = entry.Sent;
                try
                {
                    var answer = await device.Service.WriteAsync(
                        slot, new SentWrite(sent.Content, Replaced.Only(entry.Base), sent.Keep, sent.Key), cancel);
                    await StepAsync(device, slot, sent, now => answer.Saved == null
                        ? now.Refused(answer.Current, answer.KeptRevision)
                        : now.Acknowledged(answer.Saved));
                    if (answer.Saved != null) events.TellSaved(answer.Saved);
                }
                catch (StorageException error) when (!SavesService.IsTemporary(error))
                {
                    // Told before it is dropped: a game that is killed in between is told again.
                    var isTaken = error.Code == ErrorCodes.SaveReadOnly && events.TellRefused(new RefusedSave(slot, sent.Content, error));
                    var left = await StepAsync(device, slot, sent, now => isTaken && now.Latest.Number == sent.Number ? null : now.Rejected());
                    if (left != null && left.Latest.Number == sent.Number) throw;
                }
            }
        }

        /// <summary>Takes the step of an answer, unless the slot was forgotten meanwhile.</summary>
        static Task<Entry> StepAsync(Device device, string slot, KeptWrite sent, Func<Entry, Entry> step)
        {
            return device.Entries.ChangeAsync(slot, now => now != null && now.IsSent(sent) ? step(now) : now, CancellationToken.None);
        }

        /// <summary>Whether a conflict has not been told.</summary>
        bool IsNews(string slot, Entry entry)
        {
            var key = entry.Base + " " + (entry.Current == null ? (long?)null : entry.Current.Revision);
            string before;
            lock (gate)
            {
                if (told.TryGetValue(slot, out before) && before == key) return false;
                told[slot] = key;
                return true;
            }
        }

        bool IsDue()
        {
            lock (gate) return isDue;
        }

        /// <summary>Tells an error, and after a temporary one begins a round later.</summary>
        void Note(Exception error)
        {
            if (closed.IsCancellationRequested) return;
            events.TellFailure(error);
            if (!SavesService.IsTemporary(error)) return;
            int failed, mine;
            lock (gate)
            {
                failures += 1;
                failed = failures;
                waits += 1;
                waiting = waits;
                mine = waits;
            }
            var refusal = error as StorageException;
            var asked = TimeSpan.FromSeconds(refusal == null ? 0 : refusal.RetryAfterSeconds ?? 0);
            Waits.LeaveRunning(BeginAfterAsync(asked + Backoff.Jittered(options.MinDelay, options.MaxDelay, failed), mine));
        }

        async Task BeginAfterAsync(TimeSpan delay, int mine)
        {
            try
            {
                await platform.DelayAsync(delay, closed);
            }
            catch (OperationCanceledException)
            {
                return;
            }
            lock (gate)
            {
                if (waiting != mine) return; // A round has begun since.
                isDue = true; // The round that failed may not have ended yet. It begins the next one when it has.
            }
            Begin();
        }
    }
}
