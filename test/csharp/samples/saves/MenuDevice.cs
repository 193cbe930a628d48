using System;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using EdgeGameStorage;
using EdgeGameStorage.Samples;
using UnityEngine;

/// <summary>A device of a player, with the menu's logic and a game.</summary>
sealed class MenuDevice : IDisposable
{
    readonly GameStorage storage;

    /// <param name="users">Where the service is.</param>
    /// <param name="token">The player's.</param>
    /// <param name="name">The name of the device, and of its folder.</param>
    public MenuDevice(Users users, string token, string name)
    {
        Network = new CutPlatform(DefaultPlatform.Make());
        var options = new GameStorageOptions { Platform = Network, Retry = new RetryOptions { Attempts = 1 } };
        storage = new GameStorage(users.Url, (renew, cancel) => Task.FromResult(token), options);
        Slots = new SaveSlots(storage, new FileSaveStore(Path.Combine(Application.persistentDataPath, name)), Game, name);
        Slots.Failed += error => Failure = error;
    }

    public CutPlatform Network { get; }

    public DemoGame Game { get; } = new DemoGame();

    public SaveSlots Slots { get; }

    public Exception Failure { get; private set; }

    /// <summary>Builds until the game has this many towers.</summary>
    public MenuDevice With(int towers)
    {
        while (Game.Towers < towers) Game.Build();
        return this;
    }

    public Task Refresh()
    {
        return Slots.RefreshAsync(CancellationToken.None);
    }

    public Task SaveNew()
    {
        return Slots.SaveNewAsync(CancellationToken.None);
    }

    public Task Send()
    {
        return Slots.SendAsync(CancellationToken.None);
    }

    public async Task SaveAndSend()
    {
        await SaveNew();
        await Send();
    }

    public Task Overwrite(SlotLine line)
    {
        return Slots.OverwriteAsync(line, CancellationToken.None);
    }

    public Task Load(SlotLine line)
    {
        return Slots.LoadAsync(line, CancellationToken.None);
    }

    public Task Delete(SlotLine line)
    {
        return Slots.DeleteAsync(line, CancellationToken.None);
    }

    public Task Choose(ConflictChoice choice)
    {
        return Slots.ChooseAsync(Slots.Conflict, choice, CancellationToken.None);
    }

    /// <summary>The lines as "label device state".</summary>
    public string Lines()
    {
        return string.Join("; ", Slots.Lines.Select(line => line.Label + " " + line.Device + " " + line.State));
    }

    /// <summary>What the service has: the labels of each slot's revisions, the current one first, with a * where it was kept.</summary>
    public async Task<string> AtService()
    {
        var slots = (await storage.Saves.ListAsync()).Saves;
        var all = await Task.WhenAll(slots.Select(async save => (await storage.Saves.ListRevisionsAsync(save.Slot)).Revisions));
        var texts = all.Select(revisions => string.Join(
            ", ", revisions.OrderByDescending(one => one.IsCurrent).Select(one => one.Label + (one.IsKept ? "*" : ""))));
        return string.Join("; ", texts.OrderBy(text => text, StringComparer.Ordinal));
    }

    public void Dispose()
    {
        Slots.Dispose();
        storage.Dispose();
        Network.Dispose();
    }
}
