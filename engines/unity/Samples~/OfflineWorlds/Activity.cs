using System;
using System.Threading;
using System.Threading.Tasks;

namespace EdgeGameStorage.Samples
{
    /// <summary>
    /// Runs what the player asks for, one act at a time, and turns an error into a line for the player and one for the console. So a click
    /// handler needs no handler of exceptions.
    /// </summary>
    sealed class Activity
    {
        readonly Action<string> log;
        readonly CancellationToken closed;

        /// <param name="log">Takes a line for developers, as Debug.LogWarning does.</param>
        /// <param name="closed">Cancels what is under way when the screen is closed.</param>
        public Activity(Action<string> log, CancellationToken closed)
        {
            this.log = log;
            this.closed = closed;
        }

        /// <summary>Something to show has changed.</summary>
        public event Action Changed;

        /// <summary>Whether an act is under way. A screen disables its buttons meanwhile.</summary>
        public bool IsBusy { get; private set; }

        /// <summary>What to tell the player.</summary>
        public string Message { get; private set; } = "";

        /// <summary>Runs an act, and returns at once. An act handles each of its errors, as an <c>async void</c> has to.</summary>
        public async void Begin(string doing, Func<CancellationToken, Task<string>> act)
        {
            await RunAsync(doing, act);
        }

        /// <summary>Runs an act unless another one is under way. The errors of the act are told, and not thrown.</summary>
        /// <param name="doing">What to tell the player meanwhile.</param>
        /// <param name="act">Returns what to tell the player at the end.</param>
        public async Task RunAsync(string doing, Func<CancellationToken, Task<string>> act)
        {
            if (IsBusy || closed.IsCancellationRequested) return;
            IsBusy = true;
            Tell(doing);
            var result = "";
            try
            {
                result = await act(closed);
            }
            catch (Exception error)
            {
                result = Failed(error);
            }
            IsBusy = false;
            Tell(result);
        }

        /// <summary>Tells an error that no act has ended with, for example of the sending in the background.</summary>
        public void Report(Exception error)
        {
            var message = Failed(error);
            if (!IsBusy) Tell(message);
        }

        /// <summary>Tells the player something, unless the screen is closed.</summary>
        public void Tell(string message)
        {
            if (closed.IsCancellationRequested) return;
            Message = message;
            if (Changed != null) Changed();
        }

        string Failed(Exception error)
        {
            if (error is OperationCanceledException) return "Canceled.";
            log(Problems.ForDevelopers(error));
            return Problems.ForPlayers(error);
        }
    }
}
