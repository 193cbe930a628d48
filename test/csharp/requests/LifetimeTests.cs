using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using EdgeGameStorage;

static class LifetimeTests
{
    public static readonly Tests All = new Tests
    {
        { "a client that is disposed ends no other that was made with the same options", SameOptions },
        { "an address that can't be one leaves nothing behind", BadAddress },
        { "a request under way ends when its client is disposed, and so does the next, and neither is repeated", Disposed },
        { "a wait for a login that never answers ends when the client is disposed", DisposedBeforeToken },
        { "a wait between two attempts ends when its client is disposed", DisposedWhileWaiting },
        { "a timeout that never ends is one, and one that has ended is refused", Timeouts },
        { "a wait of months is one", LongWaits },
        { "no failure of what somebody gave up, or what was told, is left unobserved", Unobserved },
    };

    static async Task SameOptions(Users users)
    {
        await WithPlatforms(async made =>
        {
            var options = new GameStorageOptions();
            new GameStorage("http://localhost", Token, options).Dispose();
            using (var storage = new GameStorage("http://localhost", Token, options)) await storage.DeleteFileAsync("a");
            Expecting.Listed(made.Select(platform => platform.Sent.Count + " " + platform.IsDisposed), "0 True", "1 True");
        });
    }

    static async Task BadAddress(Users users)
    {
        await WithPlatforms(async made =>
        {
            await Expecting.Error<ArgumentException>(() => Task.FromResult(new GameStorage("localhost", Token)));
            await Expecting.Error<ArgumentException>(() => Task.FromResult(new GameStorage(" http://localhost", Token)));
            await Expecting.Error<ArgumentNullException>(() => Task.FromResult(new GameStorage("http://localhost", null)));
            Expecting.Equal(0, made.Count);
        });
    }

    static async Task Disposed(Users users)
    {
        foreach (var act in new Func<GameStorage, Task>[]
        {
            storage => storage.GetQuotaAsync(),
            storage => storage.Saves.WriteAsync("auto", new byte[1]),
            storage => storage.DownloadAsync(Downloadable.Share("a"), new System.IO.MemoryStream()),
        })
        {
            var platform = new ScriptedPlatform(async (call, cancel) =>
            {
                if (call.Url.EndsWith("/url", StringComparison.Ordinal)) return ScriptedPlatform.Json("{\"url\":\"http://storage/a\",\"expires_at\":1}");
                await Task.Delay(Timeout.Infinite, cancel);
                return null;
            });
            var storage = platform.Open();
            var request = act(storage);
            await Expecting.Eventually(() => platform.Sent.Any(call => !call.Url.EndsWith("/url", StringComparison.Ordinal)), "a request");
            var sent = platform.Sent.Count;
            storage.Dispose();
            await Expecting.Error<ObjectDisposedException>(() => request);
            await Expecting.Error<ObjectDisposedException>(() => act(storage));
            Expecting.Equal(sent, platform.Sent.Count);
        }
    }

    static async Task DisposedBeforeToken(Users users)
    {
        foreach (var renews in new[] { false, true })
        {
            var platform = new ScriptedPlatform(call => ScriptedPlatform.Refusal(ErrorCodes.Unauthenticated, 401));
            var never = new TaskCompletionSource<string>();
            var asked = false;
            var storage = platform.Open((renew, cancel) =>
            {
                if (renew != renews) return Task.FromResult("token");
                asked = true;
                return never.Task;
            });
            var request = storage.GetQuotaAsync();
            await Expecting.Eventually(() => asked, "the login is asked");
            storage.Dispose();
            await Expecting.Eventually(() => request.IsCompleted, "the request ends");
            await Expecting.Error<ObjectDisposedException>(() => request);
        }
    }

    static async Task DisposedWhileWaiting(Users users)
    {
        var platform = new ScriptedPlatform(call =>
        {
            throw new System.IO.IOException("There is no network.");
        });
        var slow = new RetryOptions { MinDelay = TimeSpan.FromDays(10), MaxDelay = TimeSpan.FromDays(10) };
        var options = new GameStorageOptions { Platform = platform, Retry = slow };
        var storage = new GameStorage("http://localhost", Token, options);
        var request = storage.GetQuotaAsync();
        await Expecting.Eventually(() => platform.Sent.Count == 1, "a request");
        storage.Dispose();
        await Expecting.Error<ObjectDisposedException>(() => request);
    }

    static async Task Timeouts(Users users)
    {
        foreach (var timeout in new[] { Timeout.InfiniteTimeSpan, TimeSpan.MaxValue, TimeSpan.FromDays(100) })
        {
            var platform = new ScriptedPlatform(call => ScriptedPlatform.Json(""));
            var options = new GameStorageOptions { Platform = platform, Timeout = timeout };
            using (var storage = new GameStorage("http://localhost", Token, options))
                await storage.CreateFolderAsync(new CreateFolder { Name = "a" }).ContinueWith(done => done.Exception);
            Expecting.Equal(1, platform.Sent.Count);
        }
        foreach (var timeout in new[] { TimeSpan.Zero, TimeSpan.FromSeconds(-2) })
            await Expecting.Error<ArgumentException>(() =>
                Task.FromResult(new GameStorage("http://localhost", Token, new GameStorageOptions { Timeout = timeout })));
    }

    static async Task LongWaits(Users users)
    {
        using (var platform = new DotnetPlatform())
        using (var cancel = new CancellationTokenSource())
        {
            var wait = platform.DelayAsync(TimeSpan.FromDays(100), cancel.Token);
            Expecting.That(!wait.IsCompleted, "a wait");
            cancel.Cancel();
            await Expecting.Error<OperationCanceledException>(() => wait);
        }
    }

    static async Task Unobserved(Users users)
    {
        var found = new List<Exception>();
        EventHandler<UnobservedTaskExceptionEventArgs> note = (sender, error) =>
        {
            lock (found) found.Add(error.Exception);
        };
        TaskScheduler.UnobservedTaskException += note;
        for (var round = 0; round < 20; round++)
        {
            await GivenUpRenewal();
            await FailedRounds();
        }
        for (var collection = 0; collection < 3; collection++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }
        TaskScheduler.UnobservedTaskException -= note;
        lock (found) Expecting.Listed(found.Select(error => error.ToString()).Distinct());
    }

    static async Task GivenUpRenewal()
    {
        var renewal = new TaskCompletionSource<string>();
        var platform = new ScriptedPlatform(call => ScriptedPlatform.Refusal(ErrorCodes.Unauthenticated, 401));
        using (var cancel = new CancellationTokenSource())
        using (var storage = platform.Open((renew, canceled) => renew ? renewal.Task : Task.FromResult("token")))
        {
            var request = storage.GetQuotaAsync(cancel.Token);
            await Expecting.Eventually(() => platform.Sent.Count > 0, "a request");
            cancel.Cancel();
            await Expecting.Error<OperationCanceledException>(() => request);
            renewal.SetException(new TimeoutException("The login is down."));
        }
    }

    static async Task FailedRounds()
    {
        var platform = new ScriptedPlatform(call => ScriptedPlatform.Refusal(ErrorCodes.Unavailable, 503));
        using (var storage = platform.Open())
        {
            var saves = storage.Saves.Offline(new MemorySaveStore(), new OfflineOptions { User = "ada" });
            var failures = 0;
            saves.Failed += error => Interlocked.Increment(ref failures);
            await saves.WriteAsync("auto", new byte[1]);
            await Expecting.Eventually(() => failures > 2, "failures");
        }
    }

    static async Task WithPlatforms(Func<List<ScriptedPlatform>, Task> act)
    {
        var before = DefaultPlatform.Make;
        var made = new List<ScriptedPlatform>();
        DefaultPlatform.Make = () =>
        {
            made.Add(new ScriptedPlatform(call => ScriptedPlatform.Json("")));
            return made.Last();
        };
        try
        {
            await act(made);
        }
        finally
        {
            DefaultPlatform.Make = before;
        }
    }

    static Task<string> Token(bool renew, CancellationToken cancel)
    {
        return Task.FromResult("token");
    }
}
