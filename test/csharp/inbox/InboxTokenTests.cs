using System;
using System.Threading.Tasks;
using EdgeGameStorage;
using Newtonsoft.Json.Linq;

/// <summary>An inbox whose token ends.</summary>
static class InboxTokenTests
{
    public static readonly Promises All = new Promises
    {
        { "connects at once with a new token after 4401, and waits when that has expired, too", Expired },
        { "renews its token thirty seconds before it expires", Renews },
        { "uses a token that lives for a minute or less for four fifths of that time", ShortLived },
        { "keeps its socket when the login has no other token yet", KeepsSocket },
        { "renews no token that has expired by the clock of this device", RenewsNone },
        { "ends when there is no token, and when it has characters that no token has", NoToken },
        { "tries again when no token can be had", TokenFails },
    };

    /// <summary>A token that expires in so many seconds. <paramref name="id"/> tells it from others.</summary>
    public static string TokenFor(string id, int expiresIn)
    {
        return TokenUntil(id, DateTimeOffset.UtcNow.ToUnixTimeSeconds() + expiresIn);
    }

    static string TokenUntil(string id, long exp)
    {
        var claims = new JObject { { "jti", id }, { "exp", exp } };
        return "header." + Convert.ToBase64String(Expecting.Bytes(claims.ToString())).TrimEnd('=').Replace('+', '-').Replace('/', '_') + "." + id;
    }

    static void Expired()
    {
        var bench = Bench.Connected();
        bench.Token = () => Task.FromResult("header.payload.second");
        bench.Close(4401);
        Expecting.Equal(1, bench.Renewals);
        Expecting.Equal("header.payload.second", bench.Socket.Call.Token);
        Expecting.Equal(2, bench.Sockets.Count);
        Expecting.Listed(bench.Errors);
        bench.Close(4401);
        Expecting.Equal(InboxStatus.Retrying, bench.Inbox.State.Status);
        bench.Pass(2);
        Expecting.Equal(3, bench.Sockets.Count);
        Expecting.Equal(2, bench.Renewals);
    }

    static void Renews()
    {
        var second = TokenFor("second", 7200);
        var bench = Bench.Connected(Silent(), one => one.Token = () => Task.FromResult(TokenFor("first", 3600)));
        bench.Pass(3500);
        Expecting.Equal(1, bench.Sockets.Count);
        bench.Token = () => Task.FromResult(second);
        bench.Pass(71);
        Expecting.That(bench.Sockets[0].IsDisposed, "the first socket is dropped");
        bench.Accept();
        Expecting.Equal(second, bench.Socket.Call.Token);
        Expecting.Equal(InboxStatus.Connected, bench.Inbox.State.Status);
        Expecting.Listed(bench.Errors);
    }

    static void ShortLived()
    {
        var now = DateTimeOffset.FromUnixTimeSeconds(1000);
        foreach (var life in new[] { 20, 60 })
            Expecting.Equal(life * 0.8, Renewal.Delay(TokenUntil("short", 1000 + life), now).Value.TotalSeconds);
        Expecting.Equal(3570, Renewal.Delay(TokenUntil("long", 4600), now).Value.TotalSeconds);
    }

    static void KeepsSocket()
    {
        var token = TokenFor("only", 100);
        var bench = Bench.Connected(Silent(), one => one.Token = () => Task.FromResult(token));
        bench.Pass(99);
        Expecting.Equal(1, bench.Renewals);
        Expecting.That(bench.Sockets.Count == 1 && !bench.Socket.IsDisposed, "the socket stays");
    }

    static void RenewsNone()
    {
        var bench = Bench.Connected(Silent(), one => one.Token = () => Task.FromResult(TokenFor("late", -5)));
        bench.Pass(1000);
        Expecting.Equal(0, bench.Renewals);
    }

    static void NoToken()
    {
        foreach (var token in new[] { "a token", "token\n", "", null })
        {
            var bench = new Bench(null, one => one.Token = () => Task.FromResult(token));
            bench.Settle();
            Expecting.Equal(InboxStatus.Refused, bench.Inbox.State.Status);
            Expecting.Listed(bench.Errors, string.IsNullOrEmpty(token) ? ErrorCodes.Unauthenticated : "INVALID_TOKEN");
        }
    }

    static void TokenFails()
    {
        var bench = new Bench(null, one => one.Token = () => { throw new InvalidOperationException("The login does not answer."); });
        bench.Settle();
        Expecting.Equal(InboxStatus.Retrying, bench.Inbox.State.Status);
        Expecting.Listed(bench.Errors, "The login does not answer.");
        bench.Token = () => Task.FromResult("header.payload.later");
        bench.Pass(1);
        bench.Accept();
        Expecting.Equal(InboxStatus.Connected, bench.Inbox.State.Status);
    }

    static InboxOptions Silent()
    {
        return new InboxOptions { PingInterval = TimeSpan.FromDays(1) };
    }
}
