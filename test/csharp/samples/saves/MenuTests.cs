using System;
using System.Linq;
using System.Threading.Tasks;
using EdgeGameStorage;
using EdgeGameStorage.Samples;
using UnityEngine;

static class MenuTests
{
    public static readonly Tests All = new Tests
    {
        { "a player signs in, saves, loads, deletes and restores in the menu", Walk },
        { "a player without a network saves, sees both saves of two devices, and keeps both", TwoDevices },
        { "a player whose token is refused reads what to do, and signs in with another", RefusedToken },
        { "a menu that is removed in the middle of an act ends quietly", Removed },
    };

    static async Task Walk(Users users)
    {
        var menu = new GameObject("Menu").AddComponent<SaveSlotMenu>();
        var shown = new Shown("Save slot menu");
        await shown.Click("Sign in");
        await shown.Until("Paste a token.");
        shown.Enter(0, users.Url + "/");
        shown.Enter(1, users.Take() + "\n");
        await shown.Click("Sign in");
        await shown.Until("There are no saves yet.");
        await shown.Click("Build a tower");
        await shown.Click("New save");
        await shown.Until(() => shown.Begins("1 min played, on Test device, "), "the save, as the service lists it");
        Expecting.That(shown.Has("1 tower"), "its name");
        await shown.Click("Build a tower");
        await shown.Until("Now: 2 towers");
        await shown.Click("Overwrite");
        await shown.Until("2 towers");
        await shown.Click("Build a tower");
        await shown.Click("Load");
        await shown.Until("Loaded: 2 towers.");
        await shown.Until("Now: 2 towers");
        await shown.Until(() => !shown.Has("Sending…"), "that it is sent");
        await shown.Click("Refresh");
        await shown.Click("Delete");
        await shown.Until("Deleted. You can restore it below.");
        await shown.Click("Restore");
        await shown.Until("Restored.");
        Expecting.That(!shown.Has("Deleted") && shown.Has("2 towers"), "the save is back");
        await shown.Click("Sign out");
        await shown.Until("Address of the service");
        UnityEngine.Object.Destroy(menu.gameObject);
        Expecting.That(!shown.IsThere, "nothing is left on the screen");
    }

    static async Task TwoDevices(Users users)
    {
        var token = users.Take();
        CutPlatform network = null;
        var make = DefaultPlatform.Make;
        using (var desk = new MenuDevice(users, token, "Desk").With(1))
        {
            await desk.SaveNew();
            await desk.Send();
            DefaultPlatform.Make = () => network = new CutPlatform(make());
            var menu = await SignedIn(users.Url, token);
            DefaultPlatform.Make = make;
            var shown = new Shown("Save slot menu");
            await shown.Click("Load");
            await shown.Until("Now: 1 tower");
            network.IsCut = true;
            await shown.Click("Build a tower");
            await shown.Click("Overwrite");
            await shown.Until("Only on this device: sent when you are online");
            await desk.With(7).Overwrite(desk.Slots.Lines.Single());
            await desk.Send();
            network.IsCut = false;
            await shown.Click("Send now");
            await shown.Until("Two devices have saved to the same slot. Which save do you want to keep?");
            Expecting.That(shown.Has("7 towers") && shown.Begins("10 min played, on Desk, "), "the save of the desk");
            await shown.Click("Keep both");
            await shown.Until("Both saves are kept.");
            while (desk.Slots.Lines.Count < 2) await desk.Refresh(); // The menu sends in the background.
            Expecting.Equal("2 towers; 7 towers, 2 towers*, 1 tower", await desk.AtService());
            UnityEngine.Object.Destroy(menu.gameObject);
        }
    }

    static async Task RefusedToken(Users users)
    {
        var claims = Convert.ToBase64String(Expecting.Bytes("{\"sub\":\"somebody\"}")).TrimEnd('=');
        var menu = await SignedIn(users.Url, "half of a token");
        var shown = new Shown("Save slot menu");
        await shown.Until("This is not a whole token. Copy all that the command has printed.");
        shown.Enter(0, "storage.example.com");
        await shown.Click("Sign in");
        await shown.Until("Enter the address of the service, like https://storage.example.com.");
        shown.Enter(0, users.Url);
        shown.Enter(1, "e30." + claims + ".x");
        await shown.Click("Sign in");
        await shown.Until("You are not signed in any more. Please sign in again.");
        await shown.Click("Sign out");
        shown.Enter(0, users.Url);
        shown.Enter(1, users.Take());
        await shown.Click("Sign in");
        await shown.Until("There are no saves yet.");
        UnityEngine.Object.Destroy(menu.gameObject);
    }

    static async Task Removed(Users users)
    {
        var menu = await SignedIn(users.Url, users.Take());
        UnityEngine.Object.Destroy(menu.gameObject);
        for (var frame = 0; frame < 60; frame++) await Task.Yield();
        Expecting.That(!new Shown("Save slot menu").IsThere, "nothing is left on the screen");
    }

    static async Task<SaveSlotMenu> SignedIn(string url, string token)
    {
        var menu = new GameObject("Menu").AddComponent<SaveSlotMenu>();
        var shown = new Shown("Save slot menu");
        await shown.Until("Address of the service");
        shown.Enter(0, url);
        shown.Enter(1, token);
        await shown.Click("Sign in");
        return menu;
    }
}
