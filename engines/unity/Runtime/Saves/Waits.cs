using System;
using System.Threading;
using System.Threading.Tasks;

namespace EdgeGameStorage
{
    static class Waits
    {
        /// <summary>Waits for what others wait for, too: who gives up leaves it under way.</summary>
        public static async Task<T> UntilAsync<T>(Task<T> task, CancellationToken cancel)
        {
            if (task.IsCompleted || !cancel.CanBeCanceled) return await task;
            var given = new TaskCompletionSource<T>();
            using (cancel.Register(() => given.TrySetCanceled()))
            {
                var first = await Task.WhenAny(task, given.Task);
                if (first != task) Observe(task);
                return await first;
            }
        }

        /// <summary>Keeps a failure from TaskScheduler.UnobservedTaskException, which crash reports show.</summary>
        public static void Observe(Task task)
        {
            LeaveRunning(EndedAsync(task));
        }

        static async Task EndedAsync(Task task)
        {
            try
            {
                await task;
            }
            catch (Exception)
            {
                // Whoever waits for the task gets it.
            }
        }

        /// <summary>Leaves a task under way that handles its own failures.</summary>
        public static void LeaveRunning(Task task)
        {
        }
    }
}
