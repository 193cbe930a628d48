using System;
using System.Collections.Generic;
using System.Threading;

namespace EdgeGameStorage
{
    /// <summary>
    /// Runs what is posted one by one, on the threads of the pool. It takes the place of the main thread in a program that has no
    /// SynchronizationContext, so that the inbox needs no locks.
    /// </summary>
    sealed class SerialContext : SynchronizationContext
    {
        readonly SynchronizationContext pool = new SynchronizationContext();
        readonly Queue<Action> posted = new Queue<Action>();
        bool isRunning;

        public override void Post(SendOrPostCallback callback, object state)
        {
            lock (posted)
            {
                posted.Enqueue(() => callback(state));
                if (isRunning) return;
                isRunning = true;
            }
            pool.Post(RunNext, null);
        }

        /// <summary>Would have to block the caller.</summary>
        public override void Send(SendOrPostCallback callback, object state)
        {
            throw new NotSupportedException();
        }

        public override SynchronizationContext CreateCopy()
        {
            return this;
        }

        void RunNext(object state)
        {
            Action next;
            lock (posted) next = posted.Dequeue();
            var before = Current;
            SetSynchronizationContext(this);
            try
            {
                next();
            }
            finally
            {
                // Also after an exception of a handler, which goes where those of all threads go.
                SetSynchronizationContext(before);
                bool hasMore;
                lock (posted)
                {
                    hasMore = posted.Count > 0;
                    isRunning = hasMore;
                }
                if (hasMore) pool.Post(RunNext, null);
            }
        }
    }
}
