using System;
using System.Collections.Generic;
using System.IO;
using System.Threading.Tasks;
using EdgeGameStorage;

static class HeaderTests
{
    static readonly string[] Unsendable = { "a\r\nX-Other: 1", "a\nX-Other: 1", "a\0b", "a\u007fb", "ключ" };

    public static readonly Tests All = new Tests
    {
        { "a text that no header can carry is refused before anything is sent", RefusedBefore },
        { "a token that no header can carry is refused, and not shown", RefusedToken },
        { "a condition that is empty is refused before anything is sent, because the header would be dropped on the way", EmptyCondition },
        { "a condition that is null, and one that a creation does not take, is refused before a request", NoCondition },
        { "an ETag that something on the way strips is an error of that name", StrippedTag },
        { "an address that ends in /v1 is named, with what to leave out", AddressWithVersion },
        { "the end of the line that a file's text has is no part of a token", TrimmedToken },
        { "a client on behalf of a player names the player and the reason in each request, and does nothing for its own user", OnBehalf },
    };

    static async Task RefusedBefore(Users users)
    {
        var platform = new ScriptedPlatform(call => ScriptedPlatform.Json(""));
        using (var storage = platform.Open())
            foreach (var text in Unsendable)
            {
                var query = new CreateContentQuery { Name = "a" };
                var acts = new Dictionary<string, Func<Task>>
                {
                    { "If-Match", () => storage.DeleteFileAsync("a", new ChangeOptions { IfMatch = text }) },
                    { "If-None-Match", () => storage.GetContentAsync("a", new GetContentQuery { IfNoneMatch = text }) },
                    {
                        "Idempotency-Key",
                        () => storage.CreateFolderAsync(new CreateFolder { Name = "a" }, new CreationOptions { IdempotencyKey = text })
                    },
                    { "Content-Type", () => storage.CreateContentAsync(new HttpBody(new byte[1]), text, query) },
                    { "Content-Digest", () => storage.ReplaceContentAsync("a", new HttpBody(new byte[1]), "a/b", new ReplaceContentQuery { ContentDigest = text }) },
                };
                foreach (var act in acts)
                {
                    var error = await Expecting.Error<ArgumentException>(act.Value);
                    Expecting.That(error.Message.Contains(act.Key), "the error to name " + act.Key);
                }
            }
        Expecting.Equal(0, platform.Sent.Count);
    }

    static async Task OnBehalf(Users users)
    {
        var platform = new ScriptedPlatform(call => new HttpAnswer(204, new Dictionary<string, string>(), new byte[0]));
        using (var support = platform.Open())
        {
            using (var ada = support.OnBehalfOf("ada, 100 %", "Ticket 7: “gone”"))
            {
                await ada.EmptyTrashAsync();
                await Expecting.Error<NotSupportedException>(() => Task.FromResult(ada.Inbox));
                await Expecting.Error<NotSupportedException>(() => Task.FromResult(ada.Saves.Offline(new MemorySaveStore())));
            }
            await support.OnBehalfOf("bob").EmptyTrashAsync();
            await support.EmptyTrashAsync();
            await Expecting.Error<ArgumentException>(() => Task.FromResult(support.OnBehalfOf("")));
        }
        Expecting.That(!platform.IsDisposed, "the platform to be its giver's");
        var sent = platform.Sent.ConvertAll(call => HeaderIn(call, "On-Behalf-Of") + " " + HeaderIn(call, "Audit-Reason"));
        Expecting.Equal("ada%2C%20100%20%25 Ticket%207%3A%20%E2%80%9Cgone%E2%80%9D|bob |none ", string.Join("|", sent));
    }

    static string HeaderIn(HttpCall call, string name)
    {
        foreach (var header in call.Headers)
            if (header.Key == name) return header.Value;
        return name == "On-Behalf-Of" ? "none" : "";
    }

    static async Task NoCondition(Users users)
    {
        string none = null;
        foreach (var act in new Action[]
        {
            () => new ChangeOptions { IfMatch = none }, () => new CreationOptions { IfMatch = none }, () => new FileUpload { IfMatch = none },
        })
        {
            var error = await Expecting.Error<ArgumentException>(() => { act(); return Task.FromResult(true); });
            Expecting.That(error.Message.StartsWith("IfMatch is null", StringComparison.Ordinal), error.Message);
        }
        var platform = new ScriptedPlatform(call => ScriptedPlatform.Json(""));
        using (var storage = platform.Open())
        {
            var options = new CreationOptions { IfMatch = "\"1\"" };
            var ignored = await Expecting.Error<ArgumentException>(() => storage.CreateFolderAsync(new CreateFolder { Name = "a" }, options));
            Expecting.That(ignored.Message.StartsWith("This creation replaces nothing", StringComparison.Ordinal), ignored.Message);
        }
        Expecting.Equal(0, platform.Sent.Count);
    }

    static async Task EmptyCondition(Users users)
    {
        var platform = new ScriptedPlatform(call => ScriptedPlatform.Json(""));
        using (var storage = platform.Open())
            foreach (var empty in new[] { "", " " })
            {
                var options = new ChangeOptions { IfMatch = empty };
                foreach (var act in new Func<Task>[]
                {
                    () => storage.EditFileAsync("a", new EditFile { Name = "b" }, options),
                    () => storage.DeleteFileAsync("a", options),
                    () => storage.ReplaceContentAsync("a", "text", "text/plain", null, options),
                    () => storage.WriteSaveAsync("a", "text", "text/plain", null, new CreationOptions { IfMatch = empty }),
                    () => storage.UploadFileAsync(new MemoryStream(), new FileUpload { FileId = "a", IfMatch = empty }),
                    () => storage.UploadFileAsync(new MemoryStream(), new FileUpload { UploadId = "a", IfMatch = empty }),
                })
                {
                    var error = await Expecting.Error<ArgumentException>(act);
                    Expecting.That(error.Message.StartsWith("IfMatch is empty", StringComparison.Ordinal), error.Message);
                }
            }
        Expecting.Equal(0, platform.Sent.Count);
    }

    static async Task StrippedTag(Users users)
    {
        const string File = "{\"id\":\"a\",\"owner_id\":\"b\",\"parent_id\":null,\"name\":\"c\",\"asset_type\":\"file\",\"size_bytes\":1,"
            + "\"is_public\":false,\"created_at\":1,\"updated_at\":1,\"mime_type\":\"a/b\",\"processing_state\":\"ready\"}";
        var platform = new ScriptedPlatform(call => ScriptedPlatform.Json(File));
        using (var storage = platform.Open())
        {
            await Expecting.Code(ErrorCodes.ETagStripped, () => storage.ReplaceContentAsync("a", "text", "text/plain"));
            var content = await storage.GetContentAsync("a");
            await Expecting.Code(ErrorCodes.ETagStripped, () => Task.FromResult(content.ETag));
        }
        Expecting.Equal(2, platform.Sent.Count);
    }

    static Task AddressWithVersion(Users users)
    {
        foreach (var end in new[] { "/v1", "/v1/", "/storage/v1" })
            try
            {
                new GameStorage("http://localhost" + end, (renew, cancel) => Task.FromResult("a")).Dispose();
                throw new InvalidOperationException("Expected: an address with " + end + " to be refused");
            }
            catch (ArgumentException error)
            {
                Expecting.That(error.Message.Contains("leave out the /v1"), error.Message);
            }
        return Task.FromResult(true);
    }

    static async Task RefusedToken(Users users)
    {
        var platform = new ScriptedPlatform(call => ScriptedPlatform.Json(""));
        using (var storage = platform.Open((renew, cancel) => Task.FromResult("secret\r\nX-Other: 1")))
        {
            var error = await Expecting.Error<ArgumentException>(() => storage.DeleteFileAsync("a"));
            Expecting.That(!error.ToString().Contains("secret"), "no token in the error");
        }
        Expecting.Equal(0, platform.Sent.Count);
    }

    static async Task TrimmedToken(Users users)
    {
        var platform = new ScriptedPlatform(call => ScriptedPlatform.Json(""));
        using (var storage = platform.Open((renew, cancel) => Task.FromResult("token\r\n"))) await storage.DeleteFileAsync("a");
        Expecting.Equal("Bearer token", ScriptedPlatform.HeaderOf(platform.Sent[0], "Authorization"));
    }
}
