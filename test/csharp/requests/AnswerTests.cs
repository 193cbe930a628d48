using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using EdgeGameStorage;

static class AnswerTests
{
    public static readonly Tests All = new Tests
    {
        { "whole numbers keep all digits of a long", Longs },
        { "a number that is no long is an answer of something else", NoLongs },
        { "what no service answers ends in NETWORK_ERROR, whatever it is", OtherAnswers },
        { "what a platform refuses to send ends with its own error, and is not repeated", RefusedByPlatform },
        { "a culture changes nothing that is sent or read", Cultures },
        { "new content whose answer is lost is found again, also when a proxy has weakened the tags", WeakTags },
    };

    static async Task Longs(Users users)
    {
        foreach (var number in new[] { "9007199254740993", "9223372036854775807", "-9223372036854775808" })
            Expecting.Equal(number, (await QuotaOf(number)).LimitBytes.ToString(CultureInfo.InvariantCulture));
    }

    static async Task NoLongs(Users users)
    {
        foreach (var number in new[] { "9223372036854775808", "-1e400", "1.5", "\"1\"", "true", "[]", "{}", "null" })
            await Expecting.Code(ErrorCodes.NetworkError, () => QuotaOf(number));
    }

    static async Task OtherAnswers(Users users)
    {
        var html = new Dictionary<string, string> { { "Content-Type", "text/html" } };
        var json = new Dictionary<string, string> { { "Content-Type", "application/json" } };
        foreach (var status in new[] { 200, 204, 302, 400, 404, 429, 500, 503 })
            foreach (var headers in new[] { html, json })
                foreach (var text in new[] { "", "<html>", "[]", "{}", "{\"code\":1,\"request_id\":[]}", "null", "{\"id\":" + new string('[', 5000) })
                {
                    var platform = new ScriptedPlatform(call => new HttpAnswer(status, headers, Encoding.UTF8.GetBytes(text)));
                    using (var storage = platform.Open())
                        await Expecting.Code(ErrorCodes.NetworkError, () => storage.GetFileAsync("a"));
                }
    }

    static async Task RefusedByPlatform(Users users)
    {
        var platform = new ScriptedPlatform(call =>
        {
            if (call.Url.EndsWith("/url", StringComparison.Ordinal)) return ScriptedPlatform.Json("{\"url\":\"http://storage/a\",\"expires_at\":1}");
            throw new NotSupportedException();
        });
        using (var storage = platform.Open())
        {
            await Expecting.Error<NotSupportedException>(() => storage.GetQuotaAsync());
            await Expecting.Error<NotSupportedException>(() => storage.DownloadAsync(Downloadable.Share("a"), new MemoryStream()));
        }
        Expecting.Equal(3, platform.Sent.Count);
    }

    static async Task Cultures(Users users)
    {
        var before = Thread.CurrentThread.CurrentCulture;
        foreach (var name in new[] { "tr-TR", "ar-SA", "fa-IR", "de-DE", "sv-SE" })
            try
            {
                Thread.CurrentThread.CurrentCulture = new CultureInfo(name);
                var quota = await QuotaOf("-1234567");
                Expecting.Equal("-1234567 12.5", string.Format(CultureInfo.InvariantCulture, "{0} {1}", quota.LimitBytes, quota.UsagePercent));
                var platform = new ScriptedPlatform(call => ScriptedPlatform.Json(FileOf("1")));
                using (var storage = platform.Open())
                    await storage.ListFiles(new ListFilesQuery { ParentId = "İıI", Limit = -1, Sort = FileSort.SizeBytes })
                        .GetPageAsync().ContinueWith(read => read.Exception);
                Expecting.Equal(
                    "http://localhost/v1/files?parent_id=%C4%B0%C4%B1I&limit=-1&sort=size_bytes", platform.Sent[0].Url);
            }
            finally
            {
                Thread.CurrentThread.CurrentCulture = before;
            }
    }

    static async Task WeakTags(Users users)
    {
        foreach (var found in new[] { "two", "one" })
        {
            var puts = 0;
            var platform = new ScriptedPlatform(call =>
            {
                if (call.Method == "PUT" && puts++ == 0) throw new IOException("The answer is lost.");
                if (call.Method == "PUT") return ScriptedPlatform.Refusal(ErrorCodes.PreconditionFailed, 412);
                return call.Url.EndsWith("/content", StringComparison.Ordinal)
                    ? ScriptedPlatform.Json(found, 200, "\"2\"")
                    : ScriptedPlatform.Json("{\"file\":" + FileOf("3") + ",\"ancestors\":[]}", 200, "W/\"2\"");
            });
            using (var storage = platform.Open())
            {
                var options = new FileUpload { FileId = "a", IfMatch = "\"1\"" };
                Func<Task<FileRecord>> upload = () => storage.UploadFileAsync(new MemoryStream(Expecting.Bytes("two")), options);
                if (found == "two") Expecting.Equal(3, (await upload()).SizeBytes);
                else await Expecting.Code(ErrorCodes.PreconditionFailed, upload);
            }
        }
    }

    static async Task<Quota> QuotaOf(string limit)
    {
        var platform = new ScriptedPlatform(call => ScriptedPlatform.Json(
            "{\"used_bytes\":0,\"limit_bytes\":" + limit + ",\"available_bytes\":0,\"usage_percent\":12.5}"));
        using (var storage = platform.Open()) return await storage.GetQuotaAsync();
    }

    static string FileOf(string size)
    {
        return "{\"id\":\"a\",\"owner_id\":\"b\",\"parent_id\":null,\"name\":\"c\",\"asset_type\":\"file\",\"size_bytes\":" + size
            + ",\"is_public\":false,\"created_at\":1,\"updated_at\":1}";
    }
}
