using System;
using System.Collections.Generic;

namespace EdgeGameStorage.Samples
{
    /// <summary>The lines of the menu in words. Translate them.</summary>
    static class Wording
    {
        /// <summary>Like "3 h 05 min on Ada's phone, 5 minutes ago".</summary>
        public static string Details(SlotLine line, DateTimeOffset now)
        {
            var parts = new List<string>();
            if (line.PlayedSeconds != null) parts.Add(Played(line.PlayedSeconds.Value) + " played");
            if (!string.IsNullOrEmpty(line.Device)) parts.Add("on " + line.Device);
            if (line.UpdatedAt != null) parts.Add(When(line.UpdatedAt.Value, now));
            return string.Join(", ", parts);
        }

        /// <summary>What the player should know of the state; empty: nothing.</summary>
        public static string StateOf(SlotLine line, bool isOffline)
        {
            if (line.State == SlotState.Conflict) return "Two devices have saved here: choose one above";
            if (line.State == SlotState.Waiting) return isOffline ? "Only on this device: sent when you are online" : "Sending…";
            return isOffline && !line.IsOnDevice ? "Can be loaded when you are online" : "";
        }

        public static string NameOf(SlotLine line)
        {
            return string.IsNullOrEmpty(line.Label) ? "Unnamed save" : line.Label;
        }

        static string Played(long seconds)
        {
            var minutes = seconds / 60;
            return minutes < 60 ? minutes + " min" : minutes / 60 + " h " + (minutes % 60).ToString("00") + " min";
        }

        static string When(DateTimeOffset updatedAt, DateTimeOffset now)
        {
            var minutes = (long)(now - updatedAt).TotalMinutes;
            if (minutes < 1) return "just now"; // Also when the clock of this device is slow.
            if (minutes == 1) return "1 minute ago";
            if (minutes < 60) return minutes + " minutes ago";
            return updatedAt.LocalDateTime.ToString("g");
        }
    }
}
