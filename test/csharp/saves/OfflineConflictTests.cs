using System;
using System.Linq;
using System.Threading.Tasks;
using EdgeGameStorage;

/// <summary>Conflicts of what waits, as test/client/offline-saves.test.ts.</summary>
static class OfflineConflictTests
{
    public static readonly Tests All = new Tests
    {
        { "a conflict is told once, and once more after a restart, and what waits stays", ToldOnce },
        { "a conflict that waits is resolved, and the next write goes on from there", Resolved },
        { "a conflict that was resolved without a network is sent later", ResolvedOffline },
        { "a conflict that waits is met again, by who resolves it, when another device was faster", MetAgain },
        { "a conflict is not resolved with what the game has replaced since it was told", Replaced },
        { "a conflict that waits ends when the player takes the save of the other device", Forgotten },
    };

    /// <summary>A device whose slot "auto" another one has written to meanwhile: its own write waits in conflict.</summary>
    static async Task<Started> InConflict(TestDevice device)
    {
        var game = device.Start();
        await game.WriteAndFlush("auto", "one");
        await device.Open().Saves.WriteAsync("auto", Expecting.Bytes("theirs"), new SaveWriteOptions { Overwrite = true });
        await game.Saves.WriteAsync("auto", Expecting.Bytes("mine"), new OfflineWriteOptions { Label = "mine" });
        await game.Saves.FlushAsync();
        device.Network.Sent.Clear();
        return game;
    }

    static async Task ToldOnce(Users users)
    {
        var device = new TestDevice(users);
        var game = await InConflict(device);
        await game.Saves.FlushAsync();
        await game.WriteAndFlush("manual", "other");
        Expecting.Listed(game.Conflicts.Select(one => one.Slot + " " + one.Current.Revision + " " + one.Mine.Label), "auto 2 mine");
        Expecting.Equal("auto", await game.Waiting());
        game.Saves.Dispose();
        var restarted = device.Start();
        await Expecting.Eventually(() => restarted.Conflicts.Count == 1, "the conflict");
        Expecting.Equal("mine", Expecting.Text(restarted.Conflicts[0].Mine.Bytes));
        Expecting.Listed(device.Network.Sent, "* other");
        Expecting.Equal("theirs", await device.AtService());
    }

    static async Task Resolved(Users users)
    {
        var device = new TestDevice(users);
        var game = await InConflict(device);
        var merged = await game.Conflicts[0].ResolveAsync(Expecting.Bytes("merged"));
        Expecting.Equal("3 mine \"3\"", merged.Revision + " " + merged.Label + " " + merged.ETag);
        Expecting.Equal(0, (await game.Saves.ListConflictsAsync()).Count);
        await game.WriteAndFlush("auto", "next");
        Expecting.Equal("next", await device.AtService());
        Expecting.Equal(1, game.Conflicts.Count);
        var late = await Expecting.Error<InvalidOperationException>(() => game.Conflicts[0].ResolveAsync(Expecting.Bytes("late")));
        Expecting.Equal("The conflict of the slot \"auto\" has been resolved already.", late.Message);
    }

    static async Task ResolvedOffline(Users users)
    {
        var device = new TestDevice(users);
        var game = await InConflict(device);
        device.Network.IsOnline = false;
        await Expecting.Code(ErrorCodes.NetworkError, () => game.Conflicts[0].ResolveAsync(Expecting.Bytes("merged")));
        game.Saves.Dispose();
        device.Network.IsOnline = true;
        await device.Start().Saves.FlushAsync();
        Expecting.Equal("merged", await device.AtService());
    }

    static async Task MetAgain(Users users)
    {
        var device = new TestDevice(users);
        var game = await InConflict(device);
        await device.Open().Saves.WriteAsync("auto", Expecting.Bytes("theirs again"), new SaveWriteOptions { Overwrite = true });
        var again = await Expecting.Error<SaveConflict>(() => game.Conflicts[0].ResolveAsync(Expecting.Bytes("merged")));
        Expecting.Equal(3, again.Current.Revision);
        await game.Saves.FlushAsync();
        Expecting.Equal(1, game.Conflicts.Count);
        Expecting.Equal(4, (await again.ResolveAsync(again.Mine.Bytes)).Revision);
        Expecting.Equal("merged", await device.AtService());
    }

    static async Task Replaced(Users users)
    {
        var device = new TestDevice(users);
        var game = await InConflict(device);
        await game.Write("auto", "newer");
        var again = await Expecting.Error<SaveConflict>(() => game.Conflicts[0].ResolveAsync(Expecting.Bytes("merged")));
        Expecting.Equal("newer", Expecting.Text(again.Mine.Bytes));
        await again.ResolveAsync(again.Mine.Bytes);
        Expecting.Equal("newer", await device.AtService());
    }

    static async Task Forgotten(Users users)
    {
        var device = new TestDevice(users);
        var game = await InConflict(device);
        await game.Saves.ForgetAsync("auto");
        Expecting.Equal("theirs", await game.Read("auto"));
        await game.WriteAndFlush("auto", "next");
        Expecting.Equal("", await game.Waiting());
        Expecting.Equal("next", await device.AtService());
    }
}
