using System.IO;
using System.Linq;
using System.Threading.Tasks;
using EdgeGameStorage.Samples;
using UnityEngine;
using UnityEngine.UI;

static class BrowserTests
{
    public static readonly Tests All = new Tests
    {
        { "a player finds a world, reads its page, likes it and downloads it", Walk },
        { "a player stops a download, goes on with it, and gets the file", Stopped },
        { "a player reports a world in words, and mutes its creator, whose worlds go", Reported },
        { "each picture that is not shown any more is freed", PicturesFreed },
        { "a picture that is larger than the device's textures is not loaded", PicturesSkipped },
    };

    static readonly Shown shown = new Shown("World browser");

    static async Task Walk(Users users)
    {
        var browser = await SignedIn(users);
        string ready = null;
        browser.WorldReady += path => ready = path;
        await Search("glass");
        await shown.Click("Open");
        await shown.Until("You see the way out. <b>You do not see the walls.</b>");
        Expecting.That(shown.Texts.Any(IsTags) && !shown.HasMarkup, "the tags, and no text that is taken for markup");
        await shown.Click("Add to favorites");
        await shown.Until("Added to your favorites.");
        await shown.Until("1 player likes it");
        await shown.Click("Remove from favorites");
        await shown.Until("0 players like it");
        await shown.Click("Download");
        await shown.Until("On this device");
        Expecting.Equal("walls of glass", File.ReadAllText(ready));
        await shown.Click("Back");
        await shown.Until("Glass maze");
        await Search("World 13");
        await shown.Click("Open");
        await shown.Until("Nothing to download yet");
        await shown.Click("Back");
        await Search("no such world");
        await shown.Until("No world matches. Try fewer tags, or another name.");
        UnityEngine.Object.Destroy(browser.gameObject);
        Expecting.That(!shown.IsThere, "nothing is left on the screen");
    }

    static async Task Stopped(Users users)
    {
        var browser = await SignedIn(users);
        string ready = null;
        browser.WorldReady += path => ready = path;
        await Search("dark keep");
        await shown.Click("Open");
        await shown.Click("Download");
        await shown.Until(() => shown.Begins("Downloading… 8."), "the progress");
        await shown.Click("Stop");
        await shown.Until("Stopped. You can go on with the download at any time.");
        await shown.Click("Go on with the download");
        await shown.Until("The world is on this device.");
        Expecting.That(File.ReadAllBytes(ready).SequenceEqual(File.ReadAllBytes(Fixture.Content)), "the bytes that were published");
        UnityEngine.Object.Destroy(browser.gameObject);
    }

    static async Task Reported(Users users)
    {
        var browser = await SignedIn(users);
        await Search("glass");
        await shown.Click("Open");
        await shown.Click("Report this world");
        await shown.Click("Something else");
        await shown.Until("Please say in your own words what is wrong.");
        shown.Enter(0, "The way out leads into the wall.");
        await shown.Click("Change");
        await shown.Click("Something else");
        await shown.Until("Thank you. We look at it, and tell you in your inbox.");
        await shown.Click("Mute its creator");
        await shown.Until("You see no more worlds of this creator.");
        await shown.Until("No world matches. Try fewer tags, or another name.");
        UnityEngine.Object.Destroy(browser.gameObject);
    }

    static async Task PicturesFreed(Users users)
    {
        var before = Texture.Living;
        var browser = await SignedIn(users);
        await Search("maze");
        await shown.Until(() => Texture.Living == before + 2, "two pictures");
        await shown.Until(() => Pictures().Count(picture => picture.texture != null) == 2, "that they are shown");
        await Search("glass");
        Expecting.Equal(before + 1, Texture.Living);
        await shown.Click("Open"); // The picture is there already.
        await shown.Until("Back");
        Expecting.That(Pictures().All(picture => picture.texture != null), "the picture on the page");
        UnityEngine.Object.Destroy(browser.gameObject);
        for (var frame = 0; frame < 60; frame++) await Task.Yield();
        Expecting.Equal(before, Texture.Living);
    }

    static async Task PicturesSkipped(Users users)
    {
        var before = Texture.Living;
        var most = SystemInfo.maxTextureSize;
        SystemInfo.maxTextureSize = 2;
        var browser = await SignedIn(users);
        await Search("maze");
        await shown.Until(() => Pictures().Count(picture => picture.texture != null) == 1, "the picture of 1 × 1 pixel");
        for (var frame = 0; frame < 60; frame++) await Task.Yield();
        Expecting.Equal(before + 1, Texture.Living);
        UnityEngine.Object.Destroy(browser.gameObject);
        SystemInfo.maxTextureSize = most;
    }

    static bool IsTags(string text)
    {
        return text.Contains("horror") && text.Contains("maze") && text.Contains(Fixture.Tag);
    }

    static RawImage[] Pictures()
    {
        return GameObject.Living.First(living => living.name == "World browser").GetComponentsInChildren<RawImage>();
    }

    static async Task Search(string name)
    {
        shown.Enter(0, name);
        shown.Enter(1, Fixture.Tag);
        await shown.Click("Search");
        await shown.Until(() => !shown.Has("Looking for worlds…"), "an answer");
    }

    static async Task<WorldBrowser> SignedIn(Users users)
    {
        var browser = new GameObject("Browser").AddComponent<WorldBrowser>();
        await shown.Until("Address of the service");
        shown.Enter(0, users.Url);
        shown.Enter(1, users.Take());
        await shown.Click("Sign in");
        await shown.Until(() => shown.Texts.Contains("Search"), "the list");
        return browser;
    }
}
