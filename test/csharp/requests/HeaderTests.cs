using System;
using System.Collections.Generic;
using System.Threading.Tasks;
using EdgeGameStorage;

static class HeaderTests
{
    static readonly string[] Unsendable = { "a\r\nX-Other: 1", "a\nX-Other: 1", "a\0b", "a\u007fb", "ключ" };

    public static readonly Tests All = new Tests
    {
        { "a text that no header can carry is refused before anything is sent", RefusedBefore },
        { "a token that no header can carry is refused, and not shown", RefusedToken },
        { "the end of the line that a file's text has is no part of a token", TrimmedToken },
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
                    { "If-Match", () => storage.DeleteFile("a", new ChangeOptions { IfMatch = text }) },
                    { "If-None-Match", () => storage.GetContent("a", new GetContentQuery { IfNoneMatch = text }) },
                    {
                        "Idempotency-Key",
                        () => storage.CreateFolder(new CreateFolder { Name = "a" }, new CreationOptions { IdempotencyKey = text })
                    },
                    { "Content-Type", () => storage.CreateContent(new HttpBody(new byte[1]), text, query) },
                    { "Content-Digest", () => storage.ReplaceContent("a", new HttpBody(new byte[1]), "a/b", new ReplaceContentQuery { ContentDigest = text }) },
                };
                foreach (var act in acts)
                {
                    var error = await Expecting.Error<ArgumentException>(act.Value);
                    Expecting.That(error.Message.Contains(act.Key), "the error to name " + act.Key);
                }
            }
        Expecting.Equal(0, platform.Sent.Count);
    }

    static async Task RefusedToken(Users users)
    {
        var platform = new ScriptedPlatform(call => ScriptedPlatform.Json(""));
        using (var storage = platform.Open((renew, cancel) => Task.FromResult("secret\r\nX-Other: 1")))
        {
            var error = await Expecting.Error<ArgumentException>(() => storage.DeleteFile("a"));
            Expecting.That(!error.ToString().Contains("secret"), "no token in the error");
        }
        Expecting.Equal(0, platform.Sent.Count);
    }

    static async Task TrimmedToken(Users users)
    {
        var platform = new ScriptedPlatform(call => ScriptedPlatform.Json(""));
        using (var storage = platform.Open((renew, cancel) => Task.FromResult("token\r\n"))) await storage.DeleteFile("a");
        Expecting.Equal("Bearer token", ScriptedPlatform.HeaderOf(platform.Sent[0], "Authorization"));
    }
}
