using System;
using System.Collections.Generic;
using System.Linq;

namespace EdgeGameStorage.Samples
{
    /// <summary>Makes the lines of the menu of what the service and this device have.</summary>
    static class SlotLines
    {
        /// <param name="listed">What the service has, by slot; null when it has not answered yet.</param>
        /// <param name="local">What this device has.</param>
        /// <param name="conflicts">Those of <paramref name="local"/> that the player has to decide.</param>
        /// <param name="isOffline">Whether <paramref name="listed"/> may be out of date.</param>
        public static List<SlotLine> Merged(
            IReadOnlyDictionary<string, SlotLine> listed,
            IReadOnlyList<OfflineSave> local,
            IReadOnlyList<SaveConflict> conflicts,
            bool isOffline)
        {
            var lines = new Dictionary<string, SlotLine>();
            if (listed != null) foreach (var line in listed.Values) lines.Add(line.Slot, line.Copy());
            foreach (var save in local)
            {
                SlotLine there;
                var isListed = lines.TryGetValue(save.Slot, out there);
                if (!isListed && !save.IsWaiting && listed != null && !isOffline) continue; // Deleted on another device.
                if (save.IsWaiting || !isListed) lines[save.Slot] = Of(save);
                if (isListed) lines[save.Slot].Revision = there.Revision;
                lines[save.Slot].IsOnDevice = true;
            }
            foreach (var conflict in conflicts)
            {
                SlotLine line;
                if (lines.TryGetValue(conflict.Slot, out line)) line.State = SlotState.Conflict;
            }
            return lines.Values.OrderByDescending(line => line.State).ThenByDescending(line => line.UpdatedAt ?? DateTimeOffset.MaxValue)
                .ThenBy(line => line.Slot, StringComparer.Ordinal).ToList();
        }

        public static SlotConflict Of(SaveConflict conflict)
        {
            var mine = conflict.Mine;
            return new SlotConflict
            {
                Slot = conflict.Slot,
                Mine = new SlotLine { Slot = conflict.Slot, Label = mine.Label, Device = mine.Device, PlayedSeconds = mine.PlayedSeconds },
                Theirs = conflict.Current == null ? null : Of(conflict.Current),
                Source = conflict,
            };
        }

        public static SlotLine Of(OfflineSave save)
        {
            return new SlotLine
            {
                Slot = save.Slot,
                Label = save.Label,
                Device = save.Device,
                PlayedSeconds = save.PlayedSeconds,
                Revision = save.Revision,
                State = save.IsWaiting ? SlotState.Waiting : SlotState.Saved,
            };
        }

        public static SlotLine Of(Save save)
        {
            return Of(save.Slot, save.Revision, save.Label, save.Device, save.PlayedSeconds, save.UpdatedAt);
        }

        public static SlotLine Of(ListedSave save)
        {
            return Of(save.Slot, save.Revision, save.Label, save.Device, save.PlayedSeconds, save.UpdatedAt);
        }

        static SlotLine Of(string slot, long revision, string label, string device, long? played, DateTimeOffset updatedAt)
        {
            return new SlotLine
            {
                Slot = slot,
                Revision = revision,
                Label = label,
                Device = device,
                PlayedSeconds = played,
                UpdatedAt = updatedAt,
            };
        }
    }
}
