using System;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace EdgeGameStorage.Samples
{
    /// <summary>What the buttons of the menu do.</summary>
    sealed partial class SaveSlots
    {
        /// <summary>Saves the game to a new slot. Two devices never take the same name, so new saves are in no conflict.</summary>
        public async Task SaveNewAsync(CancellationToken cancel)
        {
            await SaveAsync(NewSlot(), cancel);
        }

        /// <summary>
        /// Saves the game over what the player sees in the line. Throws <see cref="PlayerProblem"/> when another save is there by now.
        /// </summary>
        public async Task OverwriteAsync(SlotLine line, CancellationToken cancel)
        {
            if (line.State == SlotState.Saved && !await IsSeenAsync(line, cancel))
            {
                await RefreshAsync(cancel);
                throw new PlayerProblem("Another device has just saved here. Please look at the save before you overwrite it.");
            }
            await SaveAsync(line.Slot, cancel);
        }

        /// <summary>Loads a save into the game.</summary>
        public async Task LoadAsync(SlotLine line, CancellationToken cancel)
        {
            OfflineSave save;
            try
            {
                save = await saves.ReadAsync(line.Slot, cancel);
            }
            catch (StorageException error) when (error.Code == ErrorCodes.SaveNotFound)
            {
                await RefreshAsync(cancel);
                throw;
            }
            try
            {
                game.Load(save.Bytes);
            }
            catch (Exception error)
            {
                throw new PlayerProblem("This save can't be opened. It may come from a newer version of the game.", error);
            }
        }

        /// <summary>Deletes a save, which <see cref="RestoreAsync"/> brings back. One that the service has takes a connection.</summary>
        public async Task DeleteAsync(SlotLine line, CancellationToken cancel)
        {
            var local = (await saves.ListOnDeviceAsync(cancel)).FirstOrDefault(save => save.Slot == line.Slot);
            var revision = line.Revision ?? (local == null ? null : local.Revision); // It may have been sent since it was shown.
            if (revision != null)
            {
                try
                {
                    // Only what the player has seen.
                    await storage.Saves.DeleteAsync(line.Slot, new SaveChangeOptions { Revision = revision }, cancel);
                }
                catch (StorageException error) when (error.Code == ErrorCodes.SaveNotFound)
                {
                    // Another device was faster.
                }
                catch (StorageException error) when (error.Code == ErrorCodes.PreconditionFailed)
                {
                    await RefreshAsync(cancel);
                    throw;
                }
            }
            await saves.ForgetAsync(line.Slot, cancel);
            if (local != null && local.IsWaiting) unsent[line.Slot] = new Unsent { Save = local, IsAtService = revision != null };
            await RefreshAsync(cancel);
            BeginSending(); // A slot is free now.
        }

        /// <summary>Brings a deleted save back, with what was not sent before it was deleted.</summary>
        public async Task RestoreAsync(string slot, CancellationToken cancel)
        {
            Unsent kept;
            var isKept = unsent.TryGetValue(slot, out kept);
            if (!isKept || kept.IsAtService)
            {
                await storage.Saves.RestoreAsync(slot, null, new SaveChangeOptions { Overwrite = true }, cancel);
                await saves.ReadAsync(slot, cancel); // So that this device goes on from what was restored.
            }
            if (isKept)
            {
                var save = kept.Save;
                await WriteAsync(slot, save.Bytes, save.Label, save.Device, save.PlayedSeconds, cancel);
                unsent.Remove(slot);
            }
            await RefreshAsync(cancel);
        }

        /// <summary>
        /// Decides a conflict. Nothing is lost: what is not chosen stays in the history of the slot. Throws <see cref="PlayerProblem"/>
        /// when another device has saved once more, and the player has to choose again.
        /// </summary>
        public async Task ChooseAsync(SlotConflict conflict, ConflictChoice choice, CancellationToken cancel)
        {
            var mine = conflict.Source.Mine;
            try
            {
                if (choice == ConflictChoice.Mine) await conflict.Source.ResolveAsync(mine.Bytes, null, cancel);
                else
                {
                    if (choice == ConflictChoice.Both)
                        await WriteAsync(NewSlot(), mine.Bytes, mine.Label, mine.Device, mine.PlayedSeconds, cancel);
                    await saves.ForgetAsync(conflict.Slot, cancel);
                    // So that it can be loaded without a network, too.
                    if (conflict.Theirs != null) await saves.ReadAsync(conflict.Slot, cancel);
                }
            }
            catch (SaveConflict)
            {
                await RefreshAsync(cancel);
                throw new PlayerProblem("Another device has saved again meanwhile. Please choose once more.");
            }
            catch (StorageException error) when (error.IsTemporary)
            {
                // The choice is on this device. What it needs of the service follows when there is a connection.
                IsOffline = true;
            }
            await RefreshAsync(cancel);
        }

        /// <summary>Sends what waits, now: for a button, and when the player is back.</summary>
        public async Task SendAsync(CancellationToken cancel)
        {
            await saves.FlushAsync(cancel);
            await RefreshAsync(cancel);
        }

        /// <summary>What a slot had that was not sent when it was deleted.</summary>
        sealed class Unsent
        {
            public OfflineSave Save { get; set; }

            /// <summary>Whether the service had an older save in the slot.</summary>
            public bool IsAtService { get; set; }
        }

        static string NewSlot()
        {
            return "manual-" + Guid.NewGuid().ToString("N").Substring(0, 12);
        }

        async Task SaveAsync(string slot, CancellationToken cancel)
        {
            await WriteAsync(slot, game.Save(), game.Label, device, game.PlayedSeconds, cancel);
            await ShowAsync(refreshes, cancel);
        }

        Task WriteAsync(string slot, byte[] bytes, string label, string from, long? played, CancellationToken cancel)
        {
            // Keep: when another device was faster, the service keeps these bytes in the history all the same.
            var options = new OfflineWriteOptions { Label = label, Device = from, PlayedSeconds = played, Keep = true };
            return saves.WriteAsync(slot, bytes, options, cancel);
        }

        /// <summary>
        /// Reads the slot, so that this device replaces that revision and no other. Returns whether it is the one that the player sees.
        /// </summary>
        async Task<bool> IsSeenAsync(SlotLine line, CancellationToken cancel)
        {
            try
            {
                return (await saves.ReadAsync(line.Slot, cancel)).Revision == line.Revision;
            }
            catch (StorageException error) when (error.IsTemporary || error.Code == ErrorCodes.SaveNotFound)
            {
                return true; // If something else is there, the player gets to choose when this is sent.
            }
        }
    }
}
