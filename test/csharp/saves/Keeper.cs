using System;
using System.IO;
using System.Linq;
using System.Threading.Tasks;
using EdgeGameStorage;

/// <summary>Processes that are killed, or share a folder.</summary>
static class Keeper
{
    /// <summary>Prints the number that the folder has, and sets the numbers after it until it is killed. Prints each when it is set.</summary>
    public static async Task Keep(string folder)
    {
        var store = new FileSaveStore(folder);
        var before = await store.GetAsync("key");
        var number = before == null ? 0 : NumberOf(before);
        Console.WriteLine("has " + number + ".");
        for (;;)
        {
            number += 1;
            await store.SetAsync("key", ValueOf(number));
            Console.WriteLine("set " + number + ".");
        }
    }

    /// <summary>Writes to a slot of all processes, and to five of its own, which are sent meanwhile.</summary>
    public static async Task Share(string folder, string url, string token, string name)
    {
        using (var storage = new GameStorage(url, (renew, cancel) => Task.FromResult(token)))
        {
            var saves = storage.Saves.Offline(new FileSaveStore(folder));
            saves.ConflictFound += conflict => Console.WriteLine("conflict " + conflict.Slot);
            for (var number = 0; number < 10; number++)
            {
                await saves.WriteAsync("shared", Bytes(name + number));
                await saves.WriteAsync(name + number % 5, Bytes(name + number));
                if (number % 3 == 0) await saves.FlushAsync();
            }
            await saves.FlushAsync();
            Console.WriteLine("waiting " + (await saves.ListWaitingAsync()).Count);
        }
    }

    /// <summary>Writes to 40 slots without a network. Prints how many wait, those of other processes included.</summary>
    public static async Task Crowd(string folder, string token, string name)
    {
        var network = new TestNetwork { IsOnline = false };
        var options = new GameStorageOptions { Platform = network, Retry = new RetryOptions { Attempts = 1 } };
        using (var storage = new GameStorage("http://localhost", (renew, cancel) => Task.FromResult(token), options))
        {
            var saves = storage.Saves.Offline(new FileSaveStore(folder), new OfflineOptions { MinDelay = TimeSpan.FromDays(1) });
            for (var number = 0; number < 40; number++) await saves.WriteAsync(name + number, Bytes(name));
            Console.WriteLine("waiting " + (await saves.ListWaitingAsync()).Count);
        }
    }

    /// <summary>A value whose size and bytes follow from its number.</summary>
    static byte[] ValueOf(int number)
    {
        var value = Enumerable.Repeat((byte)number, 1000 + number * 7919 % 300000).ToArray();
        BitConverter.GetBytes(number).CopyTo(value, 0);
        return value;
    }

    /// <summary>Throws when the value is not whole.</summary>
    static int NumberOf(byte[] value)
    {
        var number = BitConverter.ToInt32(value, 0);
        if (!value.SequenceEqual(ValueOf(number))) throw new InvalidDataException("The value " + number + " is not whole.");
        return number;
    }

    static byte[] Bytes(string text)
    {
        return Expecting.Bytes(text);
    }
}
