using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace EdgeGameStorage
{
    /// <summary>Runs acts of one name one after the other.</summary>
    sealed class Turns
    {
        readonly object gate = new object();
        /// <summary>The last turn of each name. Ends after those before it, and never fails.</summary>
        readonly Dictionary<string, Task<bool>> last = new Dictionary<string, Task<bool>>(StringComparer.Ordinal);

        /// <param name="act">Gets <paramref name="cancel"/> by itself: here it only ends the waiting for the turn.</param>
        public async Task<T> RunAsync<T>(string name, Func<Task<T>> act, CancellationToken cancel)
        {
            var turn = new TaskCompletionSource<bool>();
            Task<bool> before;
            lock (gate)
            {
                last.TryGetValue(name, out before);
                last[name] = turn.Task;
            }
            try
            {
                if (before != null) await Waits.UntilAsync(before, cancel);
                return await act();
            }
            finally
            {
                Waits.LeaveRunning(EndAsync(name, before, turn));
            }
        }

        /// <summary>Ends a turn. One that was given up still ends after the one before it, which the next one waits for. Never fails.</summary>
        async Task EndAsync(string name, Task<bool> before, TaskCompletionSource<bool> turn)
        {
            if (before != null) await before;
            lock (gate)
                if (last[name] == turn.Task) last.Remove(name);
            turn.SetResult(true);
        }
    }
}
