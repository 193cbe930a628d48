using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using EdgeGameStorage;

static class TokenTests
{
    public static readonly Tests All = new Tests
    {
        { "a token that is rejected is renewed each time, also by a login that answers at once", RenewedEachTime },
        { "a renewal that fails is tried again by the next request", RenewedAfterFailure },
        { "requests that are rejected at the same time share one renewal", SharedRenewal },
        { "requests on several threads share one renewal", ThreadsShareRenewal },
        { "who gives up does not wait for a login that never answers", NeverAnswers },
        { "without a token nothing is sent, and the login is asked for a new one", NoToken },
    };

    static async Task RenewedEachTime(Users users)
    {
        var login = new Login();
        using (var storage = Rejecting(login).Open(login.Token))
            foreach (var round in Enumerable.Range(1, 3))
            {
                login.Expire();
                await storage.DeleteFileAsync("a");
                Expecting.Equal(round, login.Renewed);
            }
    }

    static async Task RenewedAfterFailure(Users users)
    {
        var login = new Login { IsDown = true };
        using (var storage = Rejecting(login).Open(login.Token))
        {
            login.Expire();
            await Expecting.Error<TimeoutException>(() => storage.DeleteFileAsync("a"));
            login.IsDown = false;
            await storage.DeleteFileAsync("a");
            Expecting.Equal(2, login.Renewed);
        }
    }

    static async Task SharedRenewal(Users users)
    {
        var login = new Login();
        using (var storage = Rejecting(login).Open(login.Token))
        {
            login.Expire();
            login.Gate = new TaskCompletionSource<bool>();
            var requests = Enumerable.Range(1, 5).Select(number => storage.DeleteFileAsync("a")).ToArray();
            await Expecting.Eventually(() => login.Renewed > 0, "a renewal");
            login.Gate.SetResult(true);
            await Task.WhenAll(requests);
            Expecting.Equal(1, login.Renewed);
        }
    }

    static async Task ThreadsShareRenewal(Users users)
    {
        var login = new Login();
        using (var storage = Rejecting(login).Open(login.Token))
            for (var round = 1; round <= 200; round++)
            {
                login.Expire();
                await Task.WhenAll(Enumerable.Range(1, 8).Select(number => Task.Run(() => storage.DeleteFileAsync("a"))));
                Expecting.Equal(round, login.Renewed);
            }
    }

    static async Task NeverAnswers(Users users)
    {
        var never = new TaskCompletionSource<string>();
        foreach (var isRenewal in new[] { false, true })
            using (var cancel = new CancellationTokenSource())
            {
                var platform = new ScriptedPlatform(call => ScriptedPlatform.Refusal(ErrorCodes.Unauthenticated, 401));
                var isAsked = false;
                TokenProvider login = (renew, canceled) =>
                {
                    if (renew == isRenewal) isAsked = true;
                    return renew == isRenewal ? never.Task : Task.FromResult("token");
                };
                using (var storage = platform.Open(login))
                {
                    var request = storage.DeleteFileAsync("a", null, cancel.Token);
                    await Expecting.Eventually(() => isAsked, "the login to be asked");
                    cancel.Cancel();
                    await Expecting.Error<OperationCanceledException>(() => request);
                }
            }
    }

    static async Task NoToken(Users users)
    {
        foreach (var none in new[] { null, "" })
        {
            var platform = new ScriptedPlatform(call => ScriptedPlatform.Json(""));
            using (var storage = platform.Open((renew, cancel) => Task.FromResult(none)))
                await Expecting.Code(ErrorCodes.Unauthenticated, () => storage.DeleteFileAsync("a"));
            Expecting.Equal(0, platform.Sent.Count);
            using (var storage = platform.Open((renew, cancel) => Task.FromResult(renew ? "token" : none))) await storage.DeleteFileAsync("a");
            Expecting.Equal(1, platform.Sent.Count);
        }
    }

    /// <summary>A service that takes the newest token of the login alone.</summary>
    static ScriptedPlatform Rejecting(Login login)
    {
        return new ScriptedPlatform(async (call, cancel) =>
        {
            await Task.Yield();
            return ScriptedPlatform.HeaderOf(call, "Authorization") == "Bearer " + login.Valid
                ? ScriptedPlatform.Json("")
                : ScriptedPlatform.Refusal(ErrorCodes.Unauthenticated, 401);
        });
    }

    sealed class Login
    {
        string cached = "0";

        public string Valid { get; private set; } = "0";

        public int Renewed { get; private set; }

        public bool IsDown { get; set; }

        /// <summary>What a renewal waits for; null: nothing.</summary>
        public TaskCompletionSource<bool> Gate { get; set; }

        public void Expire()
        {
            Valid += "x";
        }

        public Task<string> Token(bool renew, CancellationToken cancel)
        {
            if (!renew) return Task.FromResult(cached);
            Renewed += 1;
            if (IsDown) throw new TimeoutException();
            cached = Valid;
            return Gate == null ? Task.FromResult(cached) : Gate.Task.ContinueWith(opened => cached);
        }
    }
}
