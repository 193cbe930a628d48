using System;
using System.Collections.Generic;
using System.Text;
using System.Threading.Tasks;
using EdgeGameStorage;

/// <summary>
/// What the scenarios of test/csharp/network-scenarios.ts do, with this client. The argument is how often, or with a space before it the
/// address of a login, too.
/// </summary>
static class NetworkScenarios
{
    const int ContentBytes = 200000;

    public static async Task Files(Game game)
    {
        using (var storage = Open(game))
            for (var round = 1; round <= Rounds(game); round++)
            {
                var folder = await Tried(() => storage.CreateFolderAsync(new CreateFolder { Name = "mods " + round }));
                if (folder == null) continue;
                var inside = new CreateContentQuery { Name = "a " + round + ".txt", ParentId = folder.Id };
                var file = await Tried(() => storage.CreateContentAsync(Content("one " + round), "text/plain", inside));
                if (file == null) continue;
                var id = file.Id;
                await Tried(() => storage.ReplaceContentAsync(id, Content("two " + round), "text/plain"));
                await Tried(() => storage.EditFileAsync(id, new EditFile { Name = "b " + round + ".txt", ParentId = null }));
                await Tried(() => storage.CreateShareAsync(id, new CreateShare { GranteeId = "a friend", Permission = Permission.View }));
                await Tried(() => storage.DeleteFileAsync(folder.Id));
                if (round % 2 == 0) await Tried(() => storage.RestoreFileAsync(folder.Id));
                var read = await Tried(() => storage.GetContentAsync(id));
                Expecting.That(read == null || Encoding.UTF8.GetString(read.Bytes).TrimEnd('.') == "two " + round, "the content that was sent");
            }
    }

    public static async Task Pages(Game game)
    {
        using (var storage = Open(game))
        {
            for (var number = 1; number <= 3 * Rounds(game); number++)
            {
                var folder = new CreateFolder { Name = "folder " + number };
                await Tried(() => storage.CreateFolderAsync(folder));
            }
            var names = "";
            await Tried(async () =>
            {
                var reader = storage.ListFiles(new ListFilesQuery { Limit = 2 }).GetAsyncEnumerator();
                while (await reader.MoveNextAsync()) names += reader.Current.Name + ";";
            });
            await Tried(() => storage.CreateContentAsync(Content(names), "text/plain", new CreateContentQuery { Name = "names.txt" }));
        }
    }

    public static async Task Assets(Game game)
    {
        using (var storage = Open(game))
            for (var round = 1; round <= Rounds(game); round++)
            {
                var created = new CreateAsset
                {
                    Name = "Harbour " + round,
                    Type = GameAssetType.World,
                    Visibility = Visibility.Public,
                    Tags = new List<string> { "sea" },
                };
                var asset = await Tried(() => storage.CreateAssetAsync(created));
                if (asset == null) continue;
                var id = asset.Id;
                await Tried(() => storage.EditAssetAsync(id, new EditAsset { Description = "Quay " + round }));
                var read = await Tried(() => storage.GetAssetAsync(id));
                var unchanged = new ChangeOptions { IfMatch = read == null ? "\"none\"" : read.ETag };
                await Tried(() => storage.EditAssetAsync(id, new EditAsset { Name = "Port " + round }, unchanged));
                await Tried(() => storage.SetFavoriteAsync(id));
                if (round % 2 == 0) await Tried(() => storage.DeleteFavoriteAsync(id));
                if (round % 3 == 0) await Tried(() => storage.DeleteAssetAsync(id));
            }
    }

    public static async Task Saves(Game game)
    {
        using (var phone = Open(game))
        using (var desk = Open(game))
            for (var round = 1; round <= Rounds(game); round++)
            {
                await Tried(() => phone.Saves.ReadAsync("auto"));
                await Tried(() => phone.Saves.WriteAsync("auto", Bytes("phone " + round), new SaveWriteOptions { Label = "Quay " + round }));
                await Tried(() => desk.Saves.ReadAsync("auto"));
                await Tried(() => desk.Saves.WriteAsync("auto", Bytes("desk " + round)));
                await WriteLate(phone, round);
                await Tried(() => desk.Saves.WriteAsync("old", Bytes("old " + round), new SaveWriteOptions { Overwrite = true }));
                await Tried(() => desk.Saves.DeleteAsync("old"));
                if (round % 2 == 0) await Tried(() => desk.Saves.RestoreAsync("old"));
            }
    }

    public static async Task Tokens(Game game)
    {
        var login = game.Argument.Substring(game.Argument.IndexOf(' ') + 1);
        string token = null;
        using (var platform = DefaultPlatform.Make())
        {
            Func<string, Task<string>> issued = async path =>
                (await platform.SendAsync(new HttpCall("GET", login + path), System.Threading.CancellationToken.None)).Text;
            TokenProvider provider = async (renew, cancel) =>
            {
                if (renew)
                {
                    Note("renewed");
                    token = await issued("/valid");
                }
                return token;
            };
            using (var storage = new GameStorage(game.Url, provider, Patient()))
                for (var round = 1; round <= Rounds(game); round++)
                {
                    token = await issued("/expired");
                    await Tried(() => storage.CreateFolderAsync(new CreateFolder { Name = "After " + round }));
                    await Tried(() => storage.GetQuotaAsync());
                }
        }
    }

    static async Task WriteLate(GameStorage phone, int round)
    {
        SaveConflict conflict = null;
        try
        {
            await phone.Saves.WriteAsync("auto", Bytes("late " + round), new SaveWriteOptions { Keep = round % 2 == 0 });
            Note("no conflict");
        }
        catch (StorageException error)
        {
            Note(error.Code);
            conflict = error as SaveConflict;
        }
        if (conflict != null) await Tried(() => conflict.ResolveAsync(Bytes("both " + round), new SaveDetails { Label = "Both" }));
    }

    /// <summary>Acts, and prints the outcome. Null when the act has failed.</summary>
    static async Task<T> Tried<T>(Func<Task<T>> act)
        where T : class
    {
        try
        {
            var result = await act();
            Note("ok");
            return result;
        }
        catch (StorageException error)
        {
            Note(error.Code);
            return null;
        }
    }

    static Task Tried(Func<Task> act)
    {
        return Tried(async () =>
        {
            await act();
            return "";
        });
    }

    static void Note(string outcome)
    {
        Console.WriteLine("outcome " + outcome);
    }

    static GameStorage Open(Game game)
    {
        return game.Open(Patient());
    }

    static GameStorageOptions Patient()
    {
        var retry = new RetryOptions { Attempts = 8, MinDelay = TimeSpan.FromMilliseconds(1), MaxDelay = TimeSpan.FromMilliseconds(20) };
        return new GameStorageOptions { Retry = retry };
    }

    static int Rounds(Game game)
    {
        return int.Parse(game.Argument.Split(' ')[0]);
    }

    static HttpBody Content(string text)
    {
        return new HttpBody(Bytes(text.PadRight(ContentBytes, '.')));
    }

    static byte[] Bytes(string text)
    {
        return Encoding.UTF8.GetBytes(text);
    }
}
