using System;
using System.Collections.Generic;

namespace EdgeGameStorage
{
    /// <summary>
    /// Calls the handlers of an inbox one event after the other. A handler that changes the inbox causes further events: they wait until
    /// every handler has had the present one, so that each handler gets the latest last.
    /// </summary>
    sealed class HandlerQueue
    {
        readonly Queue<Action> calls = new Queue<Action>();
        bool isCalling;
        bool hasEnded;

        /// <summary>Adds an event, and calls its handlers unless those of another are being called. Does nothing after the end.</summary>
        public void Add(Action call)
        {
            if (hasEnded) return;
            calls.Enqueue(call);
            CallWaiting();
        }

        /// <summary>Adds the last event. It takes the place of all that wait.</summary>
        public void End(Action call)
        {
            calls.Clear();
            Add(call);
            hasEnded = true;
        }

        void CallWaiting()
        {
            if (isCalling) return;
            isCalling = true;
            while (calls.Count > 0) calls.Dequeue()();
            isCalling = false;
        }
    }
}
