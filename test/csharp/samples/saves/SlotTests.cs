using System;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using EdgeGameStorage;
using EdgeGameStorage.Samples;

static class SlotTests
{
    public static readonly Tests All = new Tests
    {
        { "a save of one device is listed by another, with its details, and loads as it was", Listed },
        { "a save is overwritten only when it is the one that the player sees", OverwritesWhatIsSeen },
        { "saves without a network are listed, load, wait through a restart and are sent", Offline },
        { "a deleted save is restored, also with what was not sent, and one that the service never had", DeleteAndRestore },
        { "a save beyond the limit of slots waits, is told, and is sent when a slot is free", Limit },
        { "a save that the game can't open is told", Unreadable },
        { "times, devices and errors are in words", Words },
    };

    static async Task Listed(Users users)
    {
        var token = users.Take();
        using (var phone = new MenuDevice(users, token, "Phone").With(3))
        using (var desk = new MenuDevice(users, token, "Desk"))
        {
            await phone.SaveNew();
            await phone.Send();
            Expecting.Equal("3 towers Phone Saved", phone.Lines());
            await desk.Refresh();
            Expecting.Equal("3 towers Phone Saved", desk.Lines());
            var line = desk.Slots.Lines.Single();
            Expecting.Equal("4 min played, on Phone, just now", Wording.Details(line, line.UpdatedAt.Value));
            await desk.Load(line);
            Expecting.Equal("3 270", desk.Game.Towers + " " + desk.Game.PlayedSeconds);
        }
    }

    static async Task OverwritesWhatIsSeen(Users users)
    {
        var token = users.Take();
        using (var phone = new MenuDevice(users, token, "Phone").With(1))
        using (var desk = new MenuDevice(users, token, "Desk").With(2))
        {
            await phone.SaveNew();
            await phone.Send();
            await desk.Refresh();
            await desk.Overwrite(desk.Slots.Lines.Single());
            await desk.Send();
            Expecting.Equal("2 towers, 1 tower", await desk.AtService());
            await Expecting.Error<PlayerProblem>(() => phone.Overwrite(phone.Slots.Lines.Single()));
            Expecting.Equal("2 towers Desk Saved", phone.Lines());
            await phone.With(3).Overwrite(phone.Slots.Lines.Single());
            await phone.Send();
            Expecting.Equal("3 towers, 2 towers, 1 tower", await desk.AtService());
            Expecting.That(phone.Slots.Conflict == null && desk.Slots.Conflict == null, "no conflict");
        }
    }

    static async Task Offline(Users users)
    {
        var token = users.Take();
        using (var desk = new MenuDevice(users, token, "Desk").With(9)) await desk.SaveAndSend();
        using (var phone = new MenuDevice(users, token, "Phone").With(1))
        {
            await phone.Refresh();
            await phone.Load(phone.Slots.Lines.Single()); // So it can be loaded without a network.
            phone.Network.IsCut = true;
            await phone.With(10).SaveNew();
            await phone.Refresh();
            Expecting.Equal("10 towers Phone Waiting; 9 towers Desk Saved", phone.Lines());
            Expecting.That(phone.Slots.IsOffline, "that the player is told");
        }
        using (var restarted = new MenuDevice(users, token, "Phone"))
        {
            restarted.Network.IsCut = true;
            await restarted.Refresh();
            Expecting.Equal("10 towers Phone Waiting; 9 towers Desk Saved", restarted.Lines());
            foreach (var line in restarted.Slots.Lines)
            {
                await restarted.Load(line);
                Expecting.Equal(line.Label, restarted.Game.Label);
            }
            await Expecting.Code(ErrorCodes.NetworkError, () => restarted.Delete(restarted.Slots.Lines.Last()));
            restarted.Network.IsCut = false;
            await restarted.Send();
            Expecting.Equal("10 towers; 9 towers", await restarted.AtService());
            Expecting.That(!restarted.Slots.IsOffline && restarted.Slots.Lines.All(line => line.State == SlotState.Saved), "all is sent");
        }
    }

    static async Task DeleteAndRestore(Users users)
    {
        var token = users.Take();
        using (var phone = new MenuDevice(users, token, "Phone").With(1))
        {
            await phone.SaveAndSend();
            await phone.Delete(phone.Slots.Lines.Single());
            Expecting.Equal("|1 tower|", phone.Lines() + "|" + phone.Slots.Deleted.Single().Label + "|" + await phone.AtService());
            await RestoreAll(phone);
            Expecting.Equal("1 tower Phone Saved", phone.Lines());

            phone.Network.IsCut = true;
            await phone.With(2).Overwrite(phone.Slots.Lines.Single());
            await phone.With(3).SaveNew();
            await phone.Delete(phone.Slots.Lines.Single(line => line.Label == "3 towers")); // The service never had it.
            phone.Network.CutMethod = "PUT"; // Nothing is sent, and all else works.
            await phone.Delete(phone.Slots.Lines.Single());
            Expecting.Equal("", await phone.AtService());
            await RestoreAll(phone);
            Expecting.Equal("2 towers, 1 tower, 1 tower, 1 tower; 3 towers", await phone.AtService());
        }
        using (var desk = new MenuDevice(users, token, "Desk").With(4))
        {
            await desk.Refresh();
            desk.Network.IsCut = true;
            await desk.Overwrite(desk.Slots.Lines.Single(line => line.Label == "3 towers")); // Which this device has never read.
            desk.Network.CutMethod = "PUT";
            await desk.Delete(desk.Slots.Lines.Single(line => line.Label == "4 towers"));
            await RestoreAll(desk);
            Expecting.Equal("2 towers, 1 tower, 1 tower, 1 tower; 4 towers, 3 towers, 3 towers", await desk.AtService());
        }
    }

    /// <summary>Restores what is deleted, and sends what waits.</summary>
    static async Task RestoreAll(MenuDevice device)
    {
        foreach (var line in device.Slots.Deleted.ToList()) await device.Slots.RestoreAsync(line.Slot, CancellationToken.None);
        device.Network.IsCut = false;
        await device.Send();
        Expecting.That(device.Slots.Conflict == null && device.Slots.Deleted.Count == 0, "no conflict, and nothing deleted");
    }

    static async Task Limit(Users users)
    {
        using (var phone = new MenuDevice(users, users.Take(), "Phone").With(1))
        {
            for (var slot = 0; slot < 20; slot++) await phone.SaveNew();
            await phone.Send();
            await phone.SaveNew();
            await Expecting.Eventually(() => phone.Failure != null, "the refusal");
            Expecting.Equal("All your save slots are in use. Delete one, and this save is sent.", Problems.ForPlayers(phone.Failure));
            await phone.Delete(phone.Slots.Lines.First(line => line.State == SlotState.Saved));
            await Expecting.Eventually(() => phone.Slots.Lines.Count(line => line.State == SlotState.Saved) == 20, "that it is sent");
        }
    }

    static async Task Unreadable(Users users)
    {
        var token = users.Take();
        using (var storage = new GameStorage(users.Url, (renew, cancel) => Task.FromResult(token)))
            await storage.Saves.WriteAsync("newer", Expecting.Bytes("2 towers of version 2"));
        using (var phone = new MenuDevice(users, token, "Phone").With(4))
        {
            await phone.Refresh();
            await Expecting.Error<PlayerProblem>(() => phone.Load(phone.Slots.Lines.Single()));
            Expecting.Equal(4L, phone.Game.Towers);
        }
    }

    static Task Words(Users users)
    {
        var now = new DateTimeOffset(2026, 11, 25, 12, 0, 0, TimeSpan.Zero);
        Func<SlotLine, string> told = line => Wording.Details(line, now);
        Expecting.Equal("", told(new SlotLine()));
        Expecting.Equal("59 min played", told(new SlotLine { PlayedSeconds = 3599 }));
        Expecting.Equal("1 h 00 min played, on Phone", told(new SlotLine { PlayedSeconds = 3600, Device = "Phone" }));
        foreach (var ago in new[] { "-90 just now", "59 just now", "60 1 minute ago", "3599 59 minutes ago" })
        {
            var blank = ago.IndexOf(' ');
            var updatedAt = now.AddSeconds(-int.Parse(ago.Substring(0, blank)));
            Expecting.Equal(ago.Substring(blank + 1), told(new SlotLine { UpdatedAt = updatedAt }));
        }
        var refusal = new StorageException(ErrorCodes.Unauthenticated, "The token has expired.");
        Expecting.Equal("You are not signed in any more. Please sign in again.", Problems.ForPlayers(refusal));
        Expecting.Equal(ErrorCodes.Unauthenticated + ": The token has expired. " + refusal.Advice, Problems.ForDevelopers(refusal));
        return Task.FromResult(true);
    }
}
