using System;
using System.Collections.Generic;
using System.Threading;

namespace EdgeGameStorage
{
    /// <summary>
    /// Calls the handlers of an inbox one event after the other. A handler that changes the inbox causes further events: they wait until
    /// every handler has had the present one, so that each handler gets the latest last.
    /// </summary>
    sealed class HandlerQueue
    {
        readonly Queue<Action> calls = new Queue<Action>();
        readonly CancellationToken disposing;
        bool isCalling;
        bool hasEnded;

        /// <param name="disposing">Canceled when the client is disposed, also by another thread: only the last event follows.</param>
        public HandlerQueue(CancellationToken disposing)
        {
            this.disposing = disposing;
        }

        /// <summary>Adds an event, and calls its handlers unless those of another are being called. Does nothing after the end.</summary>
        public void Add(Action call)
        {
            if (!hasEnded && !disposing.IsCancellationRequested) Call(call);
        }

        /// <summary>Adds the last event. It takes the place of all that wait.</summary>
        public void End(Action call)
        {
            hasEnded = true;
            calls.Clear();
            Call(call);
        }

        void Call(Action call)
        {
            calls.Enqueue(call);
            if (isCalling) return;
            isCalling = true;
            while (calls.Count > 0) calls.Dequeue()();
            isCalling = false;
        }
    }
}
