using System.Threading;
using System.Threading.Tasks;

namespace EdgeGameStorage
{
    static class Waits
    {
        /// <summary>Waits for what others wait for, too: who gives up leaves it under way.</summary>
        public static async Task<T> Until<T>(Task<T> task, CancellationToken cancel)
        {
            if (task.IsCompleted || !cancel.CanBeCanceled) return await task;
            var given = new TaskCompletionSource<T>();
            using (cancel.Register(() => given.TrySetCanceled()))
                return await await Task.WhenAny(task, given.Task);
        }

        /// <summary>Leaves a task under way that handles its own failures.</summary>
        public static void LeaveRunning(Task task)
        {
        }
    }
}
