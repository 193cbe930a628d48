using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using EdgeGameStorage;

static class MuteTests
{
    public static readonly Tests All = new Tests
    {
        { "the catalogue leaves out whom the player has muted, from items and pages, until the mute ends", LeftOut },
        { "mutes are read once, all pages, however many lists of the catalogue are read at once", ReadOnce },
        { "a mute while mutes are read counts", Meanwhile },
        { "mutes that could not be read are an error of the catalogue, and are read again at its next use", Failed },
        { "a canceled page of the catalogue leaves the reading of mutes to the next one", Canceled },
    };

    static async Task LeftOut(Users users)
    {
        var platform = new ScriptedPlatform(call => Answer(call, "[]"));
        using (var storage = platform.Open())
        {
            Expecting.Listed(await Owners(storage), "ada", "bob", "ada", "eve");
            await storage.MuteUserAsync("ada");
            Expecting.Listed(await Owners(storage), "bob", "eve");
            var page = await storage.BrowseAssets().GetPageAsync();
            Expecting.Listed(page.Assets.Select(asset => asset.OwnerId), "bob");
            Expecting.Equal("next", page.NextCursor);
            await storage.UnmuteUserAsync("ada");
            Expecting.Listed(await Owners(storage), "ada", "bob", "ada", "eve");
        }
    }

    static async Task ReadOnce(Users users)
    {
        var platform = new ScriptedPlatform(call => call.Url.Contains("/v1/mutes?limit=100&cursor=")
            ? Mutes("[\"eve\"]", "null")
            : call.Url.Contains("/v1/mutes") ? Mutes("[\"ada\"]", "\"more\"") : Answer(call, "[]"));
        using (var storage = platform.Open())
        {
            foreach (var owners in await Task.WhenAll(Owners(storage), Owners(storage))) Expecting.Listed(owners, "bob");
            Expecting.Listed(await Owners(storage), "bob");
        }
        Expecting.Equal(2, OfMutes(platform));
    }

    static async Task Meanwhile(Users users)
    {
        var held = new TaskCompletionSource<bool>();
        var platform = new ScriptedPlatform(async (call, cancel) =>
        {
            if (call.Method == "GET" && call.Url.Contains("/v1/mutes")) await held.Task;
            return Answer(call, "[\"bob\"]");
        });
        using (var storage = platform.Open())
        {
            var owners = Owners(storage);
            await storage.MuteUserAsync("ada");
            await storage.UnmuteUserAsync("bob");
            held.SetResult(true);
            Expecting.Listed(await owners, "bob", "eve");
        }
    }

    static async Task Failed(Users users)
    {
        var isFailing = true;
        var platform = new ScriptedPlatform(call => isFailing && call.Url.Contains("/v1/mutes")
            ? ScriptedPlatform.Refusal(ErrorCodes.Internal, 500)
            : Answer(call, "[\"ada\"]"));
        using (var storage = platform.Open())
        {
            await Expecting.Code(ErrorCodes.Internal, () => Owners(storage));
            isFailing = false;
            Expecting.Listed(await Owners(storage), "bob", "eve");
        }
    }

    static async Task Canceled(Users users)
    {
        var held = new TaskCompletionSource<bool>();
        var platform = new ScriptedPlatform(async (call, cancel) =>
        {
            if (call.Url.Contains("/v1/mutes")) await held.Task;
            return Answer(call, "[\"ada\"]");
        });
        using (var storage = platform.Open())
        using (var cancel = new CancellationTokenSource())
        {
            var page = storage.BrowseAssets().GetPageAsync(cancel.Token);
            await Expecting.Eventually(() => platform.Sent.Count == 2, "both requests");
            cancel.Cancel();
            await Expecting.Error<OperationCanceledException>(() => page);
            held.SetResult(true);
            Expecting.Listed(await Owners(storage), "bob", "eve");
        }
        Expecting.Equal(1, OfMutes(platform));
    }

    static async Task<IEnumerable<string>> Owners(GameStorage storage)
    {
        return (await storage.BrowseAssets().ToListAsync()).Select(asset => asset.OwnerId);
    }

    static int OfMutes(ScriptedPlatform platform)
    {
        lock (platform.Sent) return platform.Sent.Count(call => call.Url.Contains("/v1/mutes"));
    }

    /// <summary>The answers of a service with two pages of the catalogue, for a player who has muted these users.</summary>
    static HttpAnswer Answer(HttpCall call, string muted)
    {
        if (call.Method != "GET") return new HttpAnswer(204, new Dictionary<string, string>(), new byte[0]);
        if (call.Url.Contains("/v1/mutes")) return Mutes(muted, "null");
        return call.Url.Contains("cursor=next") ? Assets("null", "ada", "eve") : Assets("\"next\"", "ada", "bob");
    }

    static HttpAnswer Mutes(string users, string cursor)
    {
        var mutes = users.Trim('[', ']').Split(new[] { ',' }, StringSplitOptions.RemoveEmptyEntries)
            .Select(user => "{\"user_id\":" + user + ",\"created_at\":1}");
        return ScriptedPlatform.Json("{\"mutes\":[" + string.Join(",", mutes) + "],\"next_cursor\":" + cursor + "}");
    }

    static HttpAnswer Assets(string cursor, params string[] owners)
    {
        var assets = owners.Select(owner => "{\"id\":\"a\",\"owner_id\":\"" + owner + "\",\"type\":\"world\",\"name\":\"n\","
            + "\"description\":null,\"tags\":[],\"visibility\":\"public\",\"listed\":true,\"current_version\":1,\"preview_url\":null,"
            + "\"preview_width\":null,\"preview_height\":null,\"published_at\":1,\"favorites\":0,\"created_at\":1,\"updated_at\":1}");
        return ScriptedPlatform.Json("{\"assets\":[" + string.Join(",", assets) + "],\"next_cursor\":" + cursor + "}");
    }
}
