using System;
using System.Collections.Concurrent;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using EdgeGameStorage;

static class QueueTests
{
    public static readonly Tests All = new Tests
    {
        { "two queues over one store send each save once, and lose none", TwoQueues },
        { "a closed queue sends and tells nothing more, and what waits stays", Closed },
        { "a queue ends with its client", EndsWithClient },
        { "a canceled decision is sent by the next round", CanceledDecision },
        { "handlers are called in the context that opened the saves, whoever writes", InContext },
        { "a handler that throws does not end the sending, and its exception reaches the context", ThrowingHandler },
        { "a write to an open store is in it when the call returns", AtOnce },
    };

    static async Task TwoQueues(Users users)
    {
        var device = new TestDevice(users);
        var one = device.Start();
        var other = device.Start();
        var slots = new[] { "a", "b", "c", "d" };
        await Task.WhenAll(slots.Select((slot, index) => (index % 2 == 0 ? one : other).Write(slot, slot)));
        await Task.WhenAll(one.Saves.FlushAsync(), other.Saves.FlushAsync());
        Expecting.Listed(device.Network.Sent.OrderBy(sent => sent), "* a", "* b", "* c", "* d");
        Expecting.Equal("", await one.Waiting());
        await one.Write("a", "one");
        await other.Write("a", "other");
        await Task.WhenAll(one.Saves.FlushAsync(), other.Saves.FlushAsync());
        Expecting.Equal(0, one.Conflicts.Count + other.Conflicts.Count);
        Expecting.Equal("other", await device.AtService("a"));
    }

    static async Task Closed(Users users)
    {
        var device = new TestDevice(users);
        var game = device.Start();
        game.Saves.Dispose();
        await game.Write("auto", "one");
        await Expecting.Error<OperationCanceledException>(() => game.Saves.FlushAsync());
        Expecting.Equal(0, device.Network.Sent.Count + game.Errors.Count);
        Expecting.Equal("auto", await game.Waiting());
    }

    static async Task EndsWithClient(Users users)
    {
        var device = new TestDevice(users);
        var storage = device.Open();
        var saves = storage.Saves.Offline(device.Store);
        storage.Dispose();
        await saves.WriteAsync("auto", Expecting.Bytes("one"));
        await Expecting.Error<OperationCanceledException>(() => saves.FlushAsync());
        Expecting.Equal(0, device.Network.Sent.Count);
    }

    static async Task CanceledDecision(Users users)
    {
        var device = new TestDevice(users);
        await device.Open().Saves.WriteAsync("auto", Expecting.Bytes("theirs"));
        var game = device.Start();
        await game.WriteAndFlush("auto", "mine");
        var cancel = new CancellationTokenSource();
        device.Network.Arriving = call =>
        {
            device.Network.Arriving = null;
            cancel.Cancel();
            return Task.FromResult(true);
        };
        var resolving = game.Conflicts[0].ResolveAsync(Expecting.Bytes("merged"), null, cancel.Token);
        await Expecting.Error<OperationCanceledException>(() => resolving);
        await game.Saves.FlushAsync();
        Expecting.Equal("", await game.Waiting());
        Expecting.Equal(0, game.Errors.Count);
        Expecting.Equal("merged", await device.AtService());
        Expecting.Equal(2, (await device.Open().Saves.ListRevisionsAsync("auto")).Revisions.Count);
    }

    static async Task InContext(Users users)
    {
        var device = new TestDevice(users);
        device.Network.IsOnline = false;
        var context = new OneThread();
        Started game = null;
        var threads = new ConcurrentBag<int>();
        await context.Run(() =>
        {
            game = device.Start();
            game.Saves.Saved += save => threads.Add(Thread.CurrentThread.ManagedThreadId);
            game.Saves.Failed += error => threads.Add(Thread.CurrentThread.ManagedThreadId);
        });
        await game.Write("auto", "one");
        await Expecting.Error<StorageException>(() => game.Saves.FlushAsync());
        device.Network.IsOnline = true;
        await game.Saves.FlushAsync();
        await Expecting.Eventually(() => game.Saved.Count == 1 && threads.Count >= 2, "both events");
        Expecting.That(threads.All(thread => thread == context.Thread), "the thread of the game");
    }

    static async Task ThrowingHandler(Users users)
    {
        var device = new TestDevice(users);
        var context = new OneThread();
        Started game = null;
        await context.Run(() =>
        {
            var saves = device.Open().Saves.Offline(device.Store);
            saves.Saved += save => { throw new InvalidOperationException("of " + save.Slot); };
            game = new Started(saves);
        });
        await game.Write("a", "one");
        await game.Write("b", "two");
        await game.Saves.FlushAsync();
        await Expecting.Eventually(() => game.Saved.Count == 2, "both, for the other handler");
        await Expecting.Eventually(() => context.Thrown.Count == 2, "both exceptions");
        Expecting.Listed(context.Thrown.Select(error => error.Message).OrderBy(message => message), "of a", "of b");
    }

    /// <summary>When a game goes to the background, the system suspends it as soon as its handler has returned.</summary>
    static async Task AtOnce(Users users)
    {
        var device = new TestDevice(users);
        device.Network.IsOnline = false;
        var folder = System.IO.Path.Combine(System.IO.Path.GetTempPath(), "csharp-saves-" + Guid.NewGuid().ToString("N"));
        device.Store = new FileSaveStore(folder);
        var game = device.Start(null, true);
        await game.Write("auto", "one");
        await Expecting.Eventually(() => game.Errors.Count == 1, "the first attempt");
        Expecting.That(game.Write("auto", "two").IsCompleted, "a write that has ended");
        Expecting.Equal("two", await game.Read("auto"));
    }

    /// <summary>A context of one thread, as the main thread of an engine is.</summary>
    sealed class OneThread : SynchronizationContext
    {
        readonly BlockingCollection<Action> queue = new BlockingCollection<Action>();

        public OneThread()
        {
            var thread = new System.Threading.Thread(Work) { IsBackground = true };
            Thread = thread.ManagedThreadId;
            thread.Start();
        }

        public int Thread { get; }

        public ConcurrentQueue<Exception> Thrown { get; } = new ConcurrentQueue<Exception>();

        public override void Post(SendOrPostCallback callback, object state)
        {
            queue.Add(() => callback(state));
        }

        public Task Run(Action act)
        {
            var done = new TaskCompletionSource<bool>();
            queue.Add(() =>
            {
                act();
                done.SetResult(true);
            });
            return done.Task;
        }

        void Work()
        {
            SetSynchronizationContext(this);
            foreach (var act in queue.GetConsumingEnumerable())
                try
                {
                    act();
                }
                catch (Exception error)
                {
                    Thrown.Enqueue(error);
                }
        }
    }
}
