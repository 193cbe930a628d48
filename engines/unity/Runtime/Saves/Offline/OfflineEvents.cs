using System;
using System.Threading;

namespace EdgeGameStorage
{
    /// <summary>Calls the game's handlers, in the context in which it has opened its saves, and never after it has closed them.</summary>
    sealed class OfflineEvents
    {
        readonly SynchronizationContext context = SynchronizationContext.Current;
        readonly CancellationToken closed;

        public OfflineEvents(CancellationToken closed)
        {
            this.closed = closed;
        }

        public Action<Save> Saved { get; set; }

        public Action<SaveConflict> ConflictFound { get; set; }

        public Action<Exception> Failed { get; set; }

        public Action<RefusedSave> Refused { get; set; }

        public void TellSaved(Save save)
        {
            Tell(Saved, save);
        }

        public void TellConflict(SaveConflict conflict)
        {
            Tell(ConflictFound, conflict);
        }

        public void TellFailure(Exception error)
        {
            Tell(Failed, error);
        }

        /// <summary>Returns whether the game has taken it.</summary>
        public bool TellRefused(RefusedSave refused)
        {
            var handlers = Refused;
            Tell(handlers, refused);
            return handlers != null;
        }

        void Tell<T>(Action<T> handlers, T value)
        {
            if (handlers == null) return;
            if (context == null || context == SynchronizationContext.Current) Call(handlers, value);
            else context.Post(state => Call(handlers, value), null);
        }

        void Call<T>(Action<T> handlers, T value)
        {
            foreach (Action<T> handler in handlers.GetInvocationList())
            {
                if (closed.IsCancellationRequested) return;
                Handlers.Call(handler, value);
            }
        }
    }
}
