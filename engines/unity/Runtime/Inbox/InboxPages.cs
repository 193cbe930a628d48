using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace EdgeGameStorage
{
    /// <summary>Reads the pages that a replica needs, one at a time.</summary>
    sealed class InboxPages
    {
        readonly InboxService service;
        readonly InboxReplica replica;
        readonly CancellationToken closing;
        bool isReading;
        List<Waiting> waiting = new List<Waiting>();
        TaskCompletionSource<bool> wake;
        Exception closed;

        public InboxPages(InboxService service, InboxReplica replica, CancellationToken closing)
        {
            this.service = service;
            this.replica = replica;
            this.closing = closing;
        }

        /// <summary>Called when a page has been added to the replica.</summary>
        public Action Added { get; set; }

        public Action<Exception> Failed { get; set; }

        /// <summary>Called when the inbox is older than this client's copy: events no longer fit, so the connection has to be replaced.</summary>
        public Action Behind { get; set; }

        /// <summary>
        /// Ends once <paramref name="isDone"/>, which is asked again after each page and message. Throws the error of a page's request.
        /// </summary>
        public Task<bool> UntilAsync(Func<bool> isDone)
        {
            var one = new Waiting(isDone);
            if (closed != null)
            {
                one.Ended.SetException(closed);
                return one.Ended.Task;
            }
            waiting.Add(one);
            Advance();
            return one.Ended.Task;
        }

        /// <summary>
        /// Call after each change to the replica: retries a page that was ahead of it, and requests the next page that it needs.
        /// </summary>
        public void Advance()
        {
            if (wake != null) wake.TrySetResult(true);
            waiting.RemoveAll(one =>
            {
                if (!one.IsDone()) return false;
                one.Ended.SetResult(true);
                return true;
            });
            if (!isReading && closed == null && replica.NeedsPage) Waits.LeaveRunning(ReadAsync());
        }

        /// <summary>Stops reading, and ends what waits with an error.</summary>
        public void Close(Exception error)
        {
            closed = error;
            if (wake != null) wake.TrySetResult(true);
            Fail(error);
        }

        void Fail(Exception error)
        {
            var failed = waiting;
            waiting = new List<Waiting>();
            foreach (var one in failed) one.Ended.SetException(error);
        }

        async Task ReadAsync()
        {
            isReading = true;
            try
            {
                while (replica.NeedsPage && closed == null && await ReadPageAsync())
                {
                }
                isReading = false;
            }
            catch (Exception error)
            {
                isReading = false;
                if (closed != null) return;
                Fail(error);
                Failed(error);
            }
        }

        /// <summary>Returns whether to go on: a list that is behind is read again with the next connection, so after a delay.</summary>
        async Task<bool> ReadPageAsync()
        {
            var request = replica.RequestPage();
            var page = await service.ListAsync(request, closing);
            for (;;)
            {
                if (closed != null) return false;
                var outcome = replica.Accept(request, page);
                if (outcome == PageOutcome.Behind) Behind();
                if (outcome == PageOutcome.Added) Added();
                if (outcome != PageOutcome.Ahead) return outcome != PageOutcome.Behind;
                wake = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
                await wake.Task;
            }
        }

        /// <summary>What waits ends after the call that ends it, so that nothing acts in the midst of a change.</summary>
        sealed class Waiting
        {
            public Waiting(Func<bool> isDone)
            {
                IsDone = isDone;
            }

            public Func<bool> IsDone { get; }

            public TaskCompletionSource<bool> Ended { get; } =
                new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
        }
    }
}
