using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using EdgeGameStorage;

/// <summary>A platform without a network: the test answers. Its delays move its clock, and end at once unless they are canceled.</summary>
sealed class ScriptedPlatform : IPlatform
{
    readonly Func<HttpCall, CancellationToken, Task<HttpAnswer>> answer;
    long ticks;

    public ScriptedPlatform(Func<HttpCall, HttpAnswer> answer)
        : this((call, cancel) => Task.FromResult(answer(call)))
    {
    }

    public ScriptedPlatform(Func<HttpCall, CancellationToken, Task<HttpAnswer>> answer)
    {
        this.answer = answer;
    }

    public List<HttpCall> Sent { get; } = new List<HttpCall>();

    public bool IsDisposed { get; private set; }

    /// <summary>Called before each act of the platform.</summary>
    public Action Acting { get; set; } = () => { };

    /// <summary>Called when a request has ended, and so its time limit.</summary>
    public Action Ended { get; set; } = () => { };

    public TimeSpan Elapsed
    {
        get { return TimeSpan.FromTicks(Interlocked.Read(ref ticks)); }
    }

    public Task<HttpAnswer> SendAsync(HttpCall call, CancellationToken cancel)
    {
        if (IsDisposed) throw new ObjectDisposedException("ScriptedPlatform");
        Acting();
        cancel.ThrowIfCancellationRequested();
        lock (Sent) Sent.Add(call);
        return answer(call, cancel);
    }

    public Task<ISocket> ConnectAsync(SocketCall call, CancellationToken cancel)
    {
        throw new NotSupportedException();
    }

    public async Task DelayAsync(TimeSpan time, CancellationToken cancel)
    {
        Acting();
        cancel.ThrowIfCancellationRequested();
        if (time < new GameStorageOptions().Timeout) await Task.Yield();
        else await LimitAsync(cancel);
        Interlocked.Add(ref ticks, time.Ticks);
    }

    /// <summary>A time limit lasts as long as its request.</summary>
    async Task LimitAsync(CancellationToken cancel)
    {
        try
        {
            await Task.Delay(Timeout.Infinite, cancel);
        }
        finally
        {
            Ended();
        }
    }

    public Task ComputeAsync(Action work)
    {
        Acting();
        work();
        return Task.FromResult(true);
    }

    public void Dispose()
    {
        IsDisposed = true;
    }

    /// <summary>The client of a player, whose requests this platform answers.</summary>
    public GameStorage Open(TokenProvider token = null)
    {
        return new GameStorage("http://localhost", token ?? Token, new GameStorageOptions { Platform = this });
    }

    public static string HeaderOf(HttpCall call, string name)
    {
        return call.Headers.Where(header => header.Key == name).Select(header => header.Value).SingleOrDefault();
    }

    public static HttpAnswer Json(string body, int status = 200, string tag = null)
    {
        var headers = new Dictionary<string, string> { { "Content-Type", "application/json" }, { "X-Request-Id", "id" } };
        if (tag != null) headers.Add("ETag", tag);
        return new HttpAnswer(status, headers, Encoding.UTF8.GetBytes(body));
    }

    public static HttpAnswer Refusal(string code, int status)
    {
        return Json(
            "{\"type\":\"t\",\"title\":\"t\",\"status\":" + status + ",\"detail\":\"d\",\"code\":\"" + code + "\",\"request_id\":\"id\"}", status);
    }

    static Task<string> Token(bool renew, CancellationToken cancel)
    {
        return Task.FromResult("e30.eyJzdWIiOiJhZGEifQ.e30"); // {"sub":"ada"}
    }
}
