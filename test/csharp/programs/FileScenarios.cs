using System;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using EdgeGameStorage;

static class FileScenarios
{
    public static async Task Files(Game game)
    {
        using (var storage = game.Open())
        {
            var folder = await storage.CreateFolderAsync(new CreateFolder { Name = "mods" });
            var file = await Put(storage, "a.txt", "one", folder.Id);
            await storage.ReplaceContentAsync(file.Id, Bytes("two"), "text/plain");
            var content = await storage.GetContentAsync(file.Id);
            Expecting.That(Encoding.UTF8.GetString(content.Bytes) == "two", "the content that was replaced");
            await storage.EditFileAsync(file.Id, new EditFile { Name = "b.txt", ParentId = null });
            var inside = await Put(storage, "кот 猫 é.txt", "three", folder.Id);
            var found = await storage.GetFileAsync(inside.Id);
            Expecting.That(found.Ancestors.Count == 1 && found.Ancestors[0].Id == folder.Id, "the folder above the file");
            var old = await storage.CreateFolderAsync(new CreateFolder { Name = "old" });
            await storage.DeleteFileAsync(old.Id);
            await storage.RestoreFileAsync(old.Id);
            await storage.DeleteFileAsync((await Put(storage, "c.txt", "four", null)).Id);
            await storage.CreateShareAsync(inside.Id, new CreateShare { GranteeId = "a friend", Permission = Permission.View });
        }
    }

    public static async Task RepeatedCreation(Game game)
    {
        using (var storage = game.Open())
        {
            var options = new CreationOptions { IdempotencyKey = "key-" + Guid.NewGuid() };
            var body = new CreateFolder { Name = "once" };
            var first = await storage.CreateFolderAsync(body, options);
            var second = await storage.CreateFolderAsync(body, options);
            Expecting.That(first.Id == second.Id, "the item that was created first");
        }
    }

    public static async Task Pages(Game game)
    {
        using (var storage = game.Open())
        {
            for (var number = 1; number <= 7; number++) await storage.CreateFolderAsync(new CreateFolder { Name = "folder " + number });
            var names = "";
            var reader = storage.ListFiles(new ListFilesQuery { Limit = 3 }).GetAsyncEnumerator();
            while (await reader.MoveNextAsync()) names += reader.Current.Name + ";";
            await Put(storage, "names.txt", names, null);
        }
    }

    public static async Task ExpiredToken(Game game)
    {
        var renewals = 0;
        TokenProvider token = (renew, cancel) =>
        {
            if (renew) renewals += 1;
            return Task.FromResult(renewals == 0 ? game.Argument : game.Token);
        };
        using (var storage = new GameStorage(game.Url, token))
        {
            // Both are refused at once, and share a renewal.
            await Task.WhenAll(
                storage.CreateFolderAsync(new CreateFolder { Name = "renewed" }),
                storage.CreateFolderAsync(new CreateFolder { Name = "renewed, too" }));
            Expecting.That(renewals == 1, "one renewal, not " + renewals);
        }
    }

    public static async Task Refusals(Game game)
    {
        using (var storage = game.Open())
        {
            var missing = await Expecting.Error<StorageException>(() => storage.GetFileAsync("0192f3c4-5d6e-7abc-8def-0123456789ab"));
            Expecting.That(missing.Code == ErrorCodes.FileNotFound && missing.Status == 404, "FILE_NOT_FOUND, not " + missing.Code);
            Expecting.That(missing.RequestId.Length > 0 && missing.Advice.Length > 0, "a request id, and what to do");
            var invalid = await Expecting.Error<StorageException>(() => storage.ListFiles(new ListFilesQuery { Limit = 100000 }).GetPageAsync());
            Expecting.That(invalid.Code == ErrorCodes.ValidationFailed && invalid.Errors.Count == 1, "the invalid member");
            var large = new StartFileUpload { Name = "film.bin", MimeType = "a/b", SizeBytes = 3L << 30 };
            var begun = await storage.StartUploadAsync(large);
            var full = await Expecting.Error<StorageException>(() => storage.StartUploadAsync(large));
            Expecting.That(full.Code == ErrorCodes.QuotaExceeded && full.NeededBytes == 3L << 30, "QUOTA_EXCEEDED, not " + full.Code);
            Expecting.That(full.UsedBytes + full.NeededBytes > full.LimitBytes, "how much is used, allowed and needed");
            await storage.AbortUploadAsync(begun.Id);
        }
        using (var nobody = new GameStorage("http://localhost:1", (renew, cancel) => Task.FromResult(game.Token), Once()))
        {
            var lost = await Expecting.Error<StorageException>(() => nobody.GetQuotaAsync());
            Expecting.That(lost.Code == ErrorCodes.NetworkError && lost.IsTemporary, "NETWORK_ERROR, not " + lost.Code);
        }
    }

    public static async Task Cancellation(Game game)
    {
        var options = new GameStorageOptions { Retry = new RetryOptions { MinDelay = TimeSpan.FromMinutes(5), MaxDelay = TimeSpan.FromMinutes(5) } };
        using (var nobody = new GameStorage("http://localhost:1", (renew, cancel) => Task.FromResult(game.Token), options))
        using (var giveUp = new CancellationTokenSource())
        {
            var waiting = nobody.GetQuotaAsync(giveUp.Token);
            giveUp.Cancel();
            try
            {
                await waiting;
            }
            catch (OperationCanceledException)
            {
                return;
            }
            throw new InvalidOperationException("Expected: an end before the next attempt");
        }
    }

    public static GameStorageOptions Once()
    {
        return new GameStorageOptions { Retry = new RetryOptions { Attempts = 1 } };
    }

    static Task<FileRecord> Put(GameStorage storage, string name, string text, string folder)
    {
        return storage.CreateContentAsync(Bytes(text), "text/plain", new CreateContentQuery { Name = name, ParentId = folder });
    }

    static HttpBody Bytes(string text)
    {
        return new HttpBody(Encoding.UTF8.GetBytes(text));
    }
}
