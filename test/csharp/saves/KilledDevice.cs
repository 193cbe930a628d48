using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using EdgeGameStorage;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;

/// <summary>
/// Plays on a device, and kills itself at a step of it. Prints what it learns as JSON. Takes the orders of
/// test/e2e/proofs/saves/orders.ts, and does as player.ts beside them.
/// </summary>
static class KilledDevice
{
    static readonly string[] Slots = { "killed-auto", "killed-manual" };

    static readonly object Output = new object();

    static Random random;
    static GameStorage storage;
    static OfflineSaves saves;
    static int number;

    public static async Task Play(string given)
    {
        var orders = JObject.Parse(given);
        random = new Random((int)orders["seed"]);
        number = (int)orders["first"];
        var steps = new Steps((int)orders["killAt"]);
        var token = (string)orders["token"];
        var min = TimeSpan.FromMilliseconds(1);
        var max = TimeSpan.FromMilliseconds(5);
        storage = new GameStorage((string)orders["baseUrl"], (renew, cancel) => Task.FromResult(token), new GameStorageOptions
        {
            Platform = new Network(steps),
            Retry = new RetryOptions { Attempts = 2, MinDelay = min, MaxDelay = max },
        });
        var store = new Disk(new FileSaveStore((string)orders["directory"]), steps);
        saves = storage.Saves.Offline(store, new OfflineOptions { MinDelay = min, MaxDelay = max });
        saves.Saved += save => Tell("saved", save.Slot, "revision", save.Revision, "label", save.Label ?? "");
        saves.ConflictFound += TellConflict;
        for (var written = 0; written < (int)orders["writes"]; written++) await Write(Slots[random.NextDouble() < 0.7 ? 0 : 1]);
        do
        {
            // What could not be sent or resolved is tried again: an answer was lost, or the other device was faster.
            await Try(() => saves.FlushAsync());
            foreach (var conflict in await saves.ListConflictsAsync()) await Try(() => Resolve(conflict));
        }
        while ((await saves.ListWaitingAsync()).Count > 0);
        saves.Dispose();
        Console.WriteLine(new JObject { { "what", "ended" }, { "steps", steps.Count } }.ToString(Formatting.None));
    }

    static async Task Write(string slot)
    {
        var merges = await MergedBefore(slot);
        await Keep(slot, number =>
        {
            var options = new OfflineWriteOptions { Label = number.ToString(), Device = "killed" };
            return saves.WriteAsync(slot, Content(number, merges), options);
        });
        if (random.NextDouble() < 0.5) await Try(() => saves.FlushAsync());
    }

    /// <summary>What the save that waits has merged: the game goes on from that save. If it has been sent meanwhile, from what is there.</summary>
    static async Task<string> MergedBefore(string slot)
    {
        if (!(await saves.ListWaitingAsync()).Contains(slot)) return null;
        var read = await saves.ReadAsync(slot);
        var text = Expecting.Text(read.Bytes);
        return read.IsWaiting ? (string)JObject.Parse(text)["merges"] : text;
    }

    /// <summary>Merges what waits with what is there.</summary>
    static async Task Resolve(SaveConflict conflict)
    {
        var merges = Expecting.Text((await storage.Saves.ReadAsync(conflict.Slot)).Bytes);
        await Keep(conflict.Slot, number => conflict.ResolveAsync(Content(number, merges), new SaveDetails { Label = number.ToString() }));
    }

    static async Task Keep(string slot, Func<int, Task> act)
    {
        number += 1;
        var mine = number;
        Tell("writing", slot, "number", mine);
        await act(mine);
        Tell("kept", slot, "number", mine);
    }

    static async Task Try(Func<Task> act)
    {
        try
        {
            await act();
        }
        catch (Exception error) when (error is StorageException || error is InvalidOperationException)
        {
            // Tried again.
        }
    }

    static byte[] Content(int number, string merges)
    {
        var content = new JObject { { "number", number }, { "author", "killed" } };
        if (merges != null) content.Add("merges", merges);
        return Expecting.Bytes(content.ToString(Formatting.None));
    }

    static void TellConflict(SaveConflict conflict)
    {
        var there = conflict.Current;
        if (there == null) Tell("conflict", conflict.Slot);
        else Tell("conflict", conflict.Slot, "current", new JObject { { "revision", there.Revision }, { "device", there.Device ?? "" } });
    }

    static void Tell(string what, string slot, params object[] members)
    {
        var told = new JObject { { "what", what }, { "slot", slot } };
        for (var at = 0; at < members.Length; at += 2) told.Add((string)members[at], JToken.FromObject(members[at + 1]));
        lock (Output) Console.WriteLine(told.ToString(Formatting.None));
    }

    sealed class Steps
    {
        readonly int killAt;
        int count;

        public Steps(int killAt)
        {
            this.killAt = killAt;
        }

        public int Count
        {
            get { return count; }
        }

        public void Take(string name)
        {
            if (Interlocked.Increment(ref count) != killAt) return;
            lock (Output)
            {
                // Nothing is told after it, by no thread.
                Console.WriteLine(new JObject { { "what", "killed" }, { "step", name } }.ToString(Formatting.None));
                Process.GetCurrentProcess().Kill();
                Thread.Sleep(Timeout.Infinite);
            }
        }
    }

    /// <summary>A network that loses some answers, with a step before a request, while it is on its way, and after its answer.</summary>
    sealed class Network : PlatformOver
    {
        readonly Steps steps;

        public Network(Steps steps)
            : base(new DotnetPlatform())
        {
            this.steps = steps;
        }

        public override async Task<HttpAnswer> SendAsync(HttpCall call, CancellationToken cancel)
        {
            steps.Take(call.Method + ": before it is sent");
            bool isLost;
            lock (random) isLost = random.NextDouble() < 0.15;
            var answering = base.SendAsync(call, cancel);
            steps.Take(call.Method + ": on its way");
            var answer = await answering;
            steps.Take(call.Method + ": its answer has come");
            if (isLost) throw new IOException("The answer is lost.");
            return answer;
        }
    }

    sealed class Disk : ISharedSaveStore
    {
        readonly FileSaveStore inner;
        readonly Steps steps;

        public Disk(FileSaveStore inner, Steps steps)
        {
            this.inner = inner;
            this.steps = steps;
        }

        public Task<byte[]> GetAsync(string key)
        {
            return inner.GetAsync(key);
        }

        public Task SetAsync(string key, byte[] value)
        {
            steps.Take("set");
            var setting = inner.SetAsync(key, value);
            steps.Take("set: done");
            return setting;
        }

        public Task DeleteAsync(string key)
        {
            steps.Take("delete");
            return inner.DeleteAsync(key);
        }

        public IDisposable TryLock(string name)
        {
            return inner.TryLock(name);
        }
    }
}
