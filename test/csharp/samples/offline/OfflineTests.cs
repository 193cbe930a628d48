using System.IO;
using System.Linq;
using System.Threading.Tasks;
using EdgeGameStorage;
using EdgeGameStorage.Samples;
using UnityEngine;

static class OfflineTests
{
    public static readonly Tests All = new Tests
    {
        { "a player gets the worlds of the game when it starts, plays them without a network, and gets a new version later", Walk },
        { "a world that is not available is told by its name, and the others are there", Refused },
        { "a world that the device has damaged is not played, and is there again after an update", Damaged },
    };

    static readonly Shown shown = new Shown("Offline worlds");

    static async Task Walk(Users users)
    {
        using (var creator = Open(users))
        {
            var id = await PublishAsync(creator, "one tower");
            var token = users.Take();
            string chosen = null;
            var game = Started(new GameWorld { name = "Castle", id = id });
            game.WorldChosen += path => chosen = path;
            await SignIn(users.Url, token);
            await shown.Until("All worlds are up to date now.");
            await shown.Until("Version 1");
            await shown.Click("Play");
            await shown.Until(() => chosen != null, "the world");
            Expecting.Equal("one tower", File.ReadAllText(chosen));

            await UploadAsync(creator, new AssetUpload { AssetId = id }, "two towers");
            await shown.Click("Sign out");
            await SignIn("http://localhost:1", token);
            await shown.Until("You are offline. You can play what is on this device.");
            chosen = null;
            await shown.Click("Play");
            await shown.Until(() => chosen != null, "the world, without a network");
            Expecting.Equal("one tower", File.ReadAllText(chosen));

            await shown.Click("Sign out");
            await SignIn(users.Url, token);
            await shown.Until("Version 2");
            await shown.Click("Play");
            await shown.Until(() => File.ReadAllText(chosen) == "two towers", "the new version");
            await shown.Click("Update");
            await shown.Until("All worlds are up to date.");
            Expecting.That(!shown.HasMarkup, "no text that is taken for markup");
            Object.Destroy(game.gameObject);
            Expecting.That(!shown.IsThere, "nothing is left on the screen");
        }
    }

    static async Task Refused(Users users)
    {
        using (var creator = Open(users))
        {
            var gone = new GameWorld { name = "Ruin", id = "0192f3c4-5d6e-7abc-8def-0123456789ab" };
            var world = new GameWorld { name = "Castle", id = await PublishAsync(creator, "a tower") };
            var game = Started(gone, world);
            await SignIn(users.Url, users.Take());
            await shown.Until("Ruin is not available any more.");
            await shown.Until("Version 1");
            Expecting.Equal(1, shown.Texts.Count(text => text == "Not on this device"));
            Object.Destroy(game.gameObject);
        }
    }

    static async Task Damaged(Users users)
    {
        using (var creator = Open(users))
        {
            var game = Started(new GameWorld { name = "Castle", id = await PublishAsync(creator, "a tower") });
            var token = users.Take();
            await SignIn(users.Url, token);
            await shown.Until("Version 1");
            await shown.Click("Sign out");
            var folder = Path.Combine(Application.persistentDataPath, "installed-worlds");
            File.WriteAllText(Directory.GetFiles(folder, "*.content").Single(), "a t0wer");
            await SignIn("http://localhost:1", token); // As after a restart.
            await shown.Until("You are offline. You can play what is on this device.");
            await shown.Click("Play");
            await shown.Until("This world was damaged. Please update your worlds.");
            await shown.Until("Not on this device");
            await shown.Click("Sign out");
            await SignIn(users.Url, token);
            await shown.Until("Version 1");
            Object.Destroy(game.gameObject);
        }
    }

    static OfflineWorlds Started(params GameWorld[] worlds)
    {
        var game = new GameObject("Game").AddComponent<OfflineWorlds>();
        game.Worlds.AddRange(worlds);
        return game;
    }

    static async Task SignIn(string url, string token)
    {
        await shown.Until("Address of the service");
        shown.Enter(0, url);
        shown.Enter(1, token);
        await shown.Click("Sign in");
    }

    static GameStorage Open(Users users)
    {
        var token = users.Take();
        return new GameStorage(users.Url, (renew, cancel) => Task.FromResult(token));
    }

    static async Task<string> PublishAsync(GameStorage creator, string content)
    {
        var world = new AssetUpload { Name = "Castle", AssetType = GameAssetType.World, Visibility = Visibility.Public };
        return (await UploadAsync(creator, world, content)).Asset.Id;
    }

    static Task<UploadedAsset> UploadAsync(GameStorage creator, AssetUpload upload, string content)
    {
        return creator.UploadAssetAsync(new MemoryStream(Expecting.Bytes(content)), upload);
    }
}
