using System;
using System.Collections.Generic;
using System.IO;
using System.Threading;
using System.Threading.Tasks;
using EdgeGameStorage;

static class CancellationTests
{
    public static readonly Tests All = new Tests
    {
        { "an upload in one request that is canceled at any step ends there", UploadInOne },
        { "an upload that is canceled at any step ends there", Upload },
        { "an upload in parts that is canceled at any step ends there", UploadInParts },
        { "a download that is canceled at any step ends there", Download },
        { "a save that is canceled at any step ends there", Save },
        { "a save on the device that is canceled at any step ends there", OfflineSave },
        { "a request that is canceled as it fails ends as a canceled one", FailedMeanwhile },
    };

    static Task UploadInOne(Users users)
    {
        return AtAnyStep(() => new ScriptedPlatform(call => Failing(call)), (storage, cancel) =>
            storage.UploadFileAsync(new MemoryStream(new byte[1000]), new FileUpload { Name = "a" }, cancel), 4);
    }

    static Task Upload(Users users)
    {
        return AtAnyStep(() => new UploadService(0).Platform, (storage, cancel) =>
            storage.UploadFileAsync(new MemoryStream(new byte[2 * UploadService.PartSize]), new FileUpload { Name = "a" }, cancel), 6);
    }

    static Task UploadInParts(Users users)
    {
        return AtAnyStep(() => new UploadService(2).Platform, (storage, cancel) =>
            storage.UploadFileAsync(new MemoryStream(new byte[2 * UploadService.PartSize]), new FileUpload { Name = "a" }, cancel), 9);
    }

    static Task Download(Users users)
    {
        return AtAnyStep(
            () => new ScriptedPlatform(call => call.Url.EndsWith("/url", StringComparison.Ordinal)
                ? ScriptedPlatform.Json("{\"url\":\"http://storage/a\",\"expires_at\":1}")
                : Failing(call)),
            (storage, cancel) => storage.DownloadAsync(Downloadable.Share("a"), new MemoryStream(), null, cancel), 6);
    }

    static Task Save(Users users)
    {
        return AtAnyStep(() => new ScriptedPlatform(call => Failing(call)), async (storage, cancel) =>
        {
            await storage.Saves.WriteAsync("auto", new byte[1], null, cancel);
        }, 4);
    }

    static Task OfflineSave(Users users)
    {
        return AtAnyStep(() => new ScriptedPlatform(call => Failing(call)), async (storage, cancel) =>
        {
            var folder = Path.Combine(Path.GetTempPath(), "csharp-saves-" + Guid.NewGuid().ToString("N"));
            var saves = storage.Saves.Offline(new FileSaveStore(folder), new OfflineOptions { User = "ada" });
            await saves.ReadAsync("auto", cancel);
        }, 3);
    }

    static async Task FailedMeanwhile(Users users)
    {
        using (var cancel = new CancellationTokenSource())
        {
            var platform = new ScriptedPlatform(call => Failing(call)) { Ended = () => cancel.Cancel() };
            await Expecting.Error<OperationCanceledException>(() => platform.Open().GetQuotaAsync(cancel.Token));
            Expecting.Equal(1, platform.Sent.Count);
        }
    }

    /// <summary>Runs an act again and again, canceled one step of the platform later each time, until it ends by itself.</summary>
    /// <param name="make">Makes a platform whose answers end the act with a <see cref="StorageException"/>.</param>
    /// <param name="act">Is given the token that is canceled.</param>
    /// <param name="least">How many steps the act has at least.</param>
    static async Task AtAnyStep(Func<ScriptedPlatform> make, Func<GameStorage, CancellationToken, Task> act, int least)
    {
        for (var last = 1;; last++)
        {
            var platform = make();
            var steps = 0;
            using (var cancel = new CancellationTokenSource())
            using (var storage = platform.Open())
            {
                platform.Acting = () =>
                {
                    if (Interlocked.Increment(ref steps) == last) cancel.Cancel();
                };
                Exception ended = null;
                try
                {
                    await act(storage, cancel.Token);
                }
                catch (Exception error)
                {
                    ended = error;
                }
                if (!cancel.IsCancellationRequested)
                {
                    Expecting.Equal(typeof(StorageException), ended is StorageException ? typeof(StorageException) : ended.GetType());
                    Expecting.That(last > least, "more steps than " + last);
                    return;
                }
                Expecting.That(ended is OperationCanceledException, "a cancellation at the step " + last + ", not " + ended);
                var sent = platform.Sent.Count;
                await Task.Delay(1);
                Expecting.Equal(sent, platform.Sent.Count);
            }
        }
    }

    /// <summary>What answers each request in vain, and is asked again.</summary>
    static HttpAnswer Failing(HttpCall call)
    {
        return ScriptedPlatform.Refusal(ErrorCodes.RateLimited, 429);
    }
}
