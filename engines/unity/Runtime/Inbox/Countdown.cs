using System;
using System.Threading;
using System.Threading.Tasks;

namespace EdgeGameStorage
{
    /// <summary>A timeout of the platform's, which <see cref="Start"/> replaces.</summary>
    sealed class Countdown
    {
        readonly IPlatform platform;
        CancellationTokenSource running;

        public Countdown(IPlatform platform)
        {
            this.platform = platform;
        }

        public void Start(TimeSpan delay, Action act)
        {
            Stop();
            running = new CancellationTokenSource();
            Waits.LeaveRunning(RunAsync(delay, act, running));
        }

        public void Stop()
        {
            var before = running;
            running = null;
            if (before != null) before.Cancel();
        }

        async Task RunAsync(TimeSpan delay, Action act, CancellationTokenSource mine)
        {
            try
            {
                await platform.DelayAsync(delay, mine.Token);
            }
            catch (OperationCanceledException)
            {
                return;
            }
            if (running != mine) return; // Stopped after the time was over.
            running = null;
            act();
        }
    }
}
