using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using EdgeGameStorage;

/// <summary>A network that can be down, lose answers, and hold them back.</summary>
sealed class TestNetwork : PlatformOver
{
    public TestNetwork()
        : base(new DotnetPlatform())
    {
    }

    public bool IsOnline { get; set; } = true;

    /// <summary>How many of the next answers are lost.</summary>
    public int Lost { get; set; }

    /// <summary>The writes that were sent, as condition and text.</summary>
    public List<string> Sent { get; } = new List<string>();

    /// <summary>Called with an answer before it arrives.</summary>
    public Func<HttpCall, Task> Arriving { get; set; }

    /// <summary>What answers in place of the service.</summary>
    public Func<HttpCall, HttpAnswer> Proxy { get; set; }

    public override async Task<HttpAnswer> SendAsync(HttpCall call, CancellationToken cancel)
    {
        if (!IsOnline) throw new IOException("There is no network.");
        if (call.Method == "PUT") Sent.Add(Condition(call) + " " + Content(call));
        var answer = Proxy == null ? await base.SendAsync(call, cancel) : Proxy(call);
        if (Arriving != null) await Arriving(call);
        cancel.ThrowIfCancellationRequested();
        if (Lost <= 0) return answer;
        Lost -= 1;
        throw new IOException("The connection was cut.");
    }

    static string Condition(HttpCall call)
    {
        var condition = call.Headers.FirstOrDefault(header => header.Key == "If-Match" || header.Key == "If-None-Match");
        return condition.Value ?? "any";
    }

    static string Content(HttpCall call)
    {
        using (var body = new MemoryStream())
        using (var stream = call.Body.Open())
        {
            stream.CopyTo(body);
            var text = Expecting.Text(body.ToArray());
            return text.Length > 20 ? text.Substring(0, 20) : text;
        }
    }
}

/// <summary>A device of a user: a store that survives restarts, and a network.</summary>
sealed class TestDevice
{
    readonly string url;

    public TestDevice(Users users, string token = null)
    {
        url = users.Url;
        Token = token ?? users.Take();
    }

    public string Token { get; set; }

    public TestNetwork Network { get; } = new TestNetwork();

    public ISaveStore Store { get; set; } = new MemorySaveStore();

    public GameStorage Open(int attempts = 1)
    {
        var retry = new RetryOptions { Attempts = attempts, MinDelay = TimeSpan.FromMilliseconds(1), MaxDelay = TimeSpan.FromMilliseconds(2) };
        return new GameStorage(url, (renew, cancel) => Task.FromResult(Token), new GameStorageOptions { Platform = Network, Retry = retry });
    }

    /// <summary>Starts the game: each start has only the store in common with the one before.</summary>
    public Started Start(string user = null, bool isPatient = false)
    {
        var delay = isPatient ? TimeSpan.FromDays(1) : TimeSpan.FromMilliseconds(1);
        return new Started(Open().Saves.Offline(Store, new OfflineOptions { User = user, MinDelay = delay, MaxDelay = delay }));
    }

    /// <summary>What the service has in a slot.</summary>
    public async Task<string> AtService(string slot = "auto")
    {
        return Expecting.Text((await Open().Saves.ReadAsync(slot)).Bytes);
    }
}

/// <summary>The offline saves of a game, and what they have told.</summary>
sealed class Started
{
    public Started(OfflineSaves saves)
    {
        Saves = saves;
        saves.Saved += save => Saved.Add(save);
        saves.ConflictFound += conflict => Conflicts.Add(conflict);
        saves.Failed += error => Errors.Add(error);
    }

    public OfflineSaves Saves { get; }

    public List<Save> Saved { get; } = new List<Save>();

    public List<SaveConflict> Conflicts { get; } = new List<SaveConflict>();

    public List<Exception> Errors { get; } = new List<Exception>();

    public Task Write(string slot, string text)
    {
        return Saves.WriteAsync(slot, Expecting.Bytes(text));
    }

    public async Task WriteAndFlush(string slot, string text)
    {
        await Write(slot, text);
        await Saves.FlushAsync();
    }

    public async Task<string> Waiting()
    {
        return string.Join(" ", await Saves.ListWaitingAsync());
    }

    public async Task<string> Read(string slot)
    {
        return Expecting.Text((await Saves.ReadAsync(slot)).Bytes);
    }
}
