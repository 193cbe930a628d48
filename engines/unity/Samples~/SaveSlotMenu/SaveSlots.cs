using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace EdgeGameStorage.Samples
{
    /// <summary>
    /// The save slots of a player, for a menu. It has no user interface, so keep it and put your own menu on it. Everything that is saved
    /// is on this device first, and sent when there is a connection. Use it on the main thread.
    /// </summary>
    sealed partial class SaveSlots : IDisposable
    {
        readonly GameStorage storage;
        readonly OfflineSaves saves;
        readonly ISavedGame game;
        readonly string device;
        readonly CancellationTokenSource closing = new CancellationTokenSource();
        /// <summary>What was not sent of the slots that were deleted since the menu was opened.</summary>
        readonly Dictionary<string, Unsent> unsent = new Dictionary<string, Unsent>();
        /// <summary>What the service has, by slot; null until it has answered.</summary>
        Dictionary<string, SlotLine> listed;
        int refreshes;
        Task latest;

        /// <param name="storage">Stays yours: dispose it after this.</param>
        /// <param name="store">Where the saves are on this device.</param>
        /// <param name="game">What is saved and loaded.</param>
        /// <param name="device">What the player calls this device, in at most 64 characters.</param>
        public SaveSlots(GameStorage storage, ISaveStore store, ISavedGame game, string device)
        {
            this.storage = storage;
            this.game = game;
            this.device = device;
            saves = storage.Saves.Offline(store);
            saves.Saved += save =>
            {
                if (listed != null) listed[save.Slot] = SlotLines.Of(save);
                BeginRefresh();
            };
            saves.ConflictFound += conflict => BeginRefresh();
            saves.Failed += NoteFailure;
        }

        public event Action Changed;

        /// <summary>Something in the background has failed for another reason than the network.</summary>
        public event Action<Exception> Failed;

        /// <summary>The saves, those that wait first, then the latest first.</summary>
        public IReadOnlyList<SlotLine> Lines { get; private set; } = new SlotLine[0];

        /// <summary>Deleted saves that can be restored, the latest first.</summary>
        public IReadOnlyList<SlotLine> Deleted { get; private set; } = new SlotLine[0];

        /// <summary>What the player has to decide; null: nothing.</summary>
        public SlotConflict Conflict { get; private set; }

        /// <summary>Whether the service has answered since the menu was opened.</summary>
        public bool IsListed
        {
            get { return listed != null; }
        }

        /// <summary>Whether the service did not answer the last time.</summary>
        public bool IsOffline { get; private set; }

        /// <summary>
        /// Reads the lists: at first what this device has, so that the menu is there at once. Without a connection that is all. Throws
        /// <see cref="StorageException"/> for another reason.
        /// </summary>
        public Task RefreshAsync(CancellationToken cancel)
        {
            refreshes += 1;
            latest = ReadAsync(refreshes, cancel);
            return latest;
        }

        public void Dispose()
        {
            closing.Cancel();
            saves.Dispose();
        }

        async Task ReadAsync(int mine, CancellationToken cancel)
        {
            await ShowAsync(mine, cancel);
            try
            {
                var there = await storage.Saves.ListAsync(false, cancel);
                var deleted = await storage.Saves.ListAsync(true, cancel);
                if (mine == refreshes) Take(there, deleted);
            }
            catch (StorageException error) when (error.IsTemporary)
            {
                IsOffline = true;
            }
            if (mine == refreshes) await ShowAsync(mine, cancel);
            else await latest; // Something has changed meanwhile, and its reading shows it.
        }

        void Take(SaveList there, SaveList deleted)
        {
            listed = there.Saves.Select(SlotLines.Of).ToDictionary(line => line.Slot);
            var neverSent = unsent.Values.Where(kept => !kept.IsAtService).Select(kept => SlotLines.Of(kept.Save));
            Deleted = neverSent.Concat(deleted.Saves.Select(SlotLines.Of)).ToList();
            IsOffline = false;
        }

        async Task ShowAsync(int turn, CancellationToken cancel)
        {
            var local = await saves.ListOnDeviceAsync(cancel);
            var conflicts = await saves.ListConflictsAsync(cancel);
            if (turn != refreshes) return;
            Lines = SlotLines.Merged(listed, local, conflicts, IsOffline);
            Conflict = conflicts.Select(SlotLines.Of).FirstOrDefault();
            if (Changed != null) Changed();
        }

        void NoteFailure(Exception error)
        {
            var refusal = error as StorageException;
            if (refusal != null && refusal.IsTemporary) IsOffline = true;
            else if (Failed != null) Failed(error);
            if (Changed != null) Changed();
        }

        void BeginRefresh()
        {
            InBackground(RefreshAsync);
        }

        void BeginSending()
        {
            InBackground(async cancel =>
            {
                try
                {
                    await saves.FlushAsync(cancel);
                }
                catch (StorageException)
                {
                    // The event of the failure has told it.
                }
            });
        }

        /// <summary>Handles each error, as an <c>async void</c> has to.</summary>
        async void InBackground(Func<CancellationToken, Task> act)
        {
            try
            {
                await act(closing.Token);
            }
            catch (OperationCanceledException)
            {
                // The menu was closed.
            }
            catch (Exception error)
            {
                NoteFailure(error);
            }
        }
    }
}
