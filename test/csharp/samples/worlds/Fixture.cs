using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using EdgeGameStorage;
using EdgeGameStorage.Samples;
using UnityEngine;

/// <summary>
/// The worlds that test/csharp/samples.test.ts has published: "Glass maze", "Hedge maze" and "Dark keep" with content and a picture, and
/// thirteen without. All have the same tag, which no other world has.
/// </summary>
static class Fixture
{
    public static string Tag { get; set; }

    /// <summary>A file with the content of "Dark keep".</summary>
    public static string Content { get; set; }

    public static GameStorage Open(Users users, IPlatform platform = null)
    {
        var token = users.Take();
        return new GameStorage(users.Url, (renew, cancel) => Task.FromResult(token), new GameStorageOptions { Platform = platform });
    }

    public static async Task<GameAssetWithVersions> World(GameStorage storage, string name)
    {
        var found = await storage.BrowseAssets(new BrowseAssetsQuery { Tag = new[] { Tag }, Q = name }).GetPageAsync();
        return await storage.GetPublicAssetAsync(GameAssetType.World, found.Assets.Single().Id);
    }

    public static string Names(WorldList worlds)
    {
        return string.Join(", ", worlds.Worlds.Select(world => world.Name));
    }

    public static string Folder
    {
        get { return Path.Combine(Application.persistentDataPath, "worlds"); }
    }
}
