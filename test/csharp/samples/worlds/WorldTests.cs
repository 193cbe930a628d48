using System;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using EdgeGameStorage;
using EdgeGameStorage.Samples;

static class WorldTests
{
    public static readonly Tests All = new Tests
    {
        { "worlds are found by a part of the name and by tags, in the order that is asked for", Found },
        { "a list goes on until its end, each world once", Pages },
        { "a list that fails goes on where it was", FailedPage },
        { "tags that no world can have are refused with a reason", RefusedTags },
        { "a favorite is added, known again and taken back", FavoriteToggled },
        { "a world that is downloaded has the bytes that were published, once", Downloaded },
        { "a download that was stopped goes on where it was", Resumed },
        { "what an earlier run has left that is no beginning of the content is replaced", Replaced },
        { "a world without content is told to be empty", Empty },
    };

    static async Task Found(Users users)
    {
        using (var storage = Fixture.Open(users))
        {
            var worlds = new WorldList(storage);
            await worlds.FindAsync(" MAZE ", Fixture.Tag, AssetSort.Popular, CancellationToken.None);
            Expecting.Equal("Hedge maze, Glass maze", Fixture.Names(worlds));
            Expecting.That(worlds.IsNarrowed && !worlds.HasMore, "a search that is at its end");
            await worlds.FindAsync("", "#Horror, " + Fixture.Tag, AssetSort.Published, CancellationToken.None);
            Expecting.Equal("Dark keep, Glass maze", Fixture.Names(worlds));
            await worlds.FindAsync("", Fixture.Tag + " horror", AssetSort.Updated, CancellationToken.None);
            Expecting.Equal("Glass maze, Dark keep", Fixture.Names(worlds));
            await worlds.FindAsync("", Fixture.Tag + " horror", AssetSort.Popular, CancellationToken.None);
            Expecting.Equal(2, worlds.Worlds.Count);
            await worlds.FindAsync("nothing of this name", "", AssetSort.Published, CancellationToken.None);
            Expecting.Equal("", Fixture.Names(worlds));
        }
    }

    static async Task Pages(Users users)
    {
        using (var storage = Fixture.Open(users))
        {
            var worlds = new WorldList(storage);
            await worlds.FindAsync("", Fixture.Tag, AssetSort.Published, CancellationToken.None);
            Expecting.That(worlds.Worlds.Count == WorldList.ScreenSize && worlds.HasMore, "a screenful");
            await worlds.MoreAsync(CancellationToken.None);
            var different = worlds.Worlds.Select(world => world.Id).Distinct().Count();
            Expecting.Equal("16 16 False", worlds.Worlds.Count + " " + different + " " + worlds.HasMore);
            await worlds.MoreAsync(CancellationToken.None);
            Expecting.Equal(16, worlds.Worlds.Count);
        }
    }

    static async Task FailedPage(Users users)
    {
        using (var network = new CutPlatform(DefaultPlatform.Make()))
        using (var storage = Fixture.Open(users, network))
        {
            var worlds = new WorldList(storage);
            await worlds.FindAsync("", Fixture.Tag, AssetSort.Published, CancellationToken.None);
            network.IsCut = true;
            await Expecting.Code(ErrorCodes.NetworkError, () => worlds.MoreAsync(CancellationToken.None));
            Expecting.That(worlds.Worlds.Count == WorldList.ScreenSize && worlds.HasMore, "the list as it was");
            network.IsCut = false;
            await worlds.MoreAsync(CancellationToken.None);
            Expecting.Equal(16, worlds.Worlds.Count);
        }
    }

    static async Task RefusedTags(Users users)
    {
        using (var storage = Fixture.Open(users))
        {
            var worlds = new WorldList(storage);
            var many = await Expecting.Error<PlayerProblem>(() => worlds.FindAsync("", "a b c d e f", AssetSort.Popular, CancellationToken.None));
            Expecting.Equal("Please choose at most five tags.", many.Message);
            await Expecting.Error<PlayerProblem>(() => worlds.FindAsync("", "très", AssetSort.Popular, CancellationToken.None));
        }
    }

    static async Task FavoriteToggled(Users users)
    {
        using (var storage = Fixture.Open(users))
        {
            var world = await Fixture.World(storage, "Hedge maze");
            var favorites = new Favorites(storage);
            Expecting.That(!await favorites.HasAsync(world.Id, CancellationToken.None), "no favorite");
            await favorites.SetAsync(world.Id, true, CancellationToken.None);
            Expecting.That(await favorites.HasAsync(world.Id, CancellationToken.None), "a favorite");
            Expecting.That(await new Favorites(storage).HasAsync(world.Id, CancellationToken.None), "a favorite for the service, too");
            await favorites.SetAsync(world.Id, false, CancellationToken.None);
            Expecting.That(!await favorites.HasAsync(world.Id, CancellationToken.None), "no favorite any more");
            Expecting.Equal(0, (await storage.ListFavorites().ToListAsync()).Count);
        }
    }

    static async Task Downloaded(Users users)
    {
        using (var storage = Fixture.Open(users))
        {
            var downloads = new WorldDownloads(storage, Fixture.Folder);
            var world = await Fixture.World(storage, "Dark keep");
            Expecting.That(downloads.FileOf(world) == null, "nothing on this device");
            var path = await downloads.DownloadAsync(world, null, CancellationToken.None);
            Expecting.That(downloads.FileOf(world) == path && IsContent(path), "the bytes that were published");
            Expecting.Equal(path, await downloads.DownloadAsync(world, null, CancellationToken.None));
            Expecting.Equal(1, Directory.GetFiles(Fixture.Folder).Length);
        }
    }

    static async Task Resumed(Users users)
    {
        using (var storage = Fixture.Open(users))
        {
            var world = await Fixture.World(storage, "Dark keep");
            var stop = new CancellationTokenSource();
            var progress = new Watch(told =>
            {
                if (told.WrittenBytes > 0) stop.Cancel();
            });
            await Expecting.Error<OperationCanceledException>(
                () => new WorldDownloads(storage, Fixture.Folder).DownloadAsync(world, progress, stop.Token));
            var downloads = new WorldDownloads(storage, Fixture.Folder); // As after a restart.
            var begun = downloads.BegunBytes(world);
            Expecting.That(begun > 0 && downloads.FileOf(world) == null, "a part of the world");
            var first = long.MaxValue;
            var path = await downloads.DownloadAsync(world, new Watch(told => first = Math.Min(first, told.ReceivedBytes)), CancellationToken.None);
            Expecting.That(first >= begun - 1, "a download that goes on at " + begun + ", not at " + first);
            Expecting.That(IsContent(path), "the bytes that were published");
        }
    }

    static async Task Replaced(Users users)
    {
        using (var storage = Fixture.Open(users))
        {
            var downloads = new WorldDownloads(storage, Fixture.Folder);
            var world = await Fixture.World(storage, "Glass maze");
            Directory.CreateDirectory(Fixture.Folder);
            File.WriteAllText(Path.Combine(Fixture.Folder, world.Id + "-1.world.part"), "This is longer than the walls.");
            var path = await downloads.DownloadAsync(world, null, CancellationToken.None);
            Expecting.Equal("walls of glass", File.ReadAllText(path));
        }
    }

    static async Task Empty(Users users)
    {
        using (var storage = Fixture.Open(users))
        {
            var world = await Fixture.World(storage, "World 13");
            var problem = await Expecting.Error<PlayerProblem>(
                () => new WorldDownloads(storage, Fixture.Folder).DownloadAsync(world, null, CancellationToken.None));
            Expecting.Equal("This world is empty so far. Please come back later.", problem.Message);
        }
    }

    static bool IsContent(string path)
    {
        return File.ReadAllBytes(path).SequenceEqual(File.ReadAllBytes(Fixture.Content));
    }

    sealed class Watch : IProgress<DownloadProgress>
    {
        readonly Action<DownloadProgress> told;

        public Watch(Action<DownloadProgress> told)
        {
            this.told = told;
        }

        public void Report(DownloadProgress value)
        {
            told(value);
        }
    }
}
