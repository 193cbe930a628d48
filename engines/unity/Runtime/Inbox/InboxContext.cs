using System;
using System.Threading;
using System.Threading.Tasks;

namespace EdgeGameStorage
{
    /// <summary>Where an inbox runs and calls its handlers: in the context in which it was opened, one act after the other.</summary>
    sealed class InboxContext
    {
        readonly SynchronizationContext context = SynchronizationContext.Current ?? new SerialContext();

        /// <summary>Runs an act, at once when this is the context already.</summary>
        public void Run(Action act)
        {
            if (SynchronizationContext.Current == context) act();
            else context.Post(state => act(), null);
        }

        /// <summary>Runs an act, and ends as it does.</summary>
        public Task<T> RunAsync<T>(Func<Task<T>> act)
        {
            if (SynchronizationContext.Current == context) return act();
            var done = new TaskCompletionSource<T>();
            context.Post(state => Waits.LeaveRunning(EndLikeAsync(done, act)), null);
            return done.Task;
        }

        static async Task EndLikeAsync<T>(TaskCompletionSource<T> done, Func<Task<T>> act)
        {
            try
            {
                done.SetResult(await act());
            }
            catch (OperationCanceledException)
            {
                done.SetCanceled();
            }
            catch (Exception error)
            {
                done.SetException(error);
            }
        }
    }
}
