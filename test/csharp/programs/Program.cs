using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using EdgeGameStorage;
using UnityEngine;

/// <summary>Runs a scenario: PLATFORM SCENARIO URL TOKEN [ARGUMENT [USER SOCIAL]]. PLATFORM: dotnet, unity, or browser (Unity with one thread).</summary>
static class Program
{
    static readonly Dictionary<string, Func<Game, Task>> Scenarios = new Dictionary<string, Func<Game, Task>>
    {
        { "files", FileScenarios.Files },
        { "repeated creation", FileScenarios.RepeatedCreation },
        { "pages", FileScenarios.Pages },
        { "expired token", FileScenarios.ExpiredToken },
        { "refusals", FileScenarios.Refusals },
        { "cancellation", FileScenarios.Cancellation },
        { "assets", AssetScenarios.Assets },
        { "saves", SaveScenarios.Saves },
        { "inbox", InboxScenario.Use },
        { "inbox, watched", InboxSubject.Run },
        { "offline", SaveScenarios.Offline },
        { "offline, killed", SaveScenarios.OfflineKilled },
        { "offline, after the kill", SaveScenarios.AfterTheKill },
        { "files while the network fails", NetworkScenarios.Files },
        { "pages while the network fails", NetworkScenarios.Pages },
        { "assets while the network fails", NetworkScenarios.Assets },
        { "saves while the network fails", NetworkScenarios.Saves },
        { "tokens that expire", NetworkScenarios.Tokens },
        { "uploads", TransferScenarios.Uploads },
        { "an upload that is given up", TransferScenarios.GivenUp },
        { "an upload that is resumed with other content", TransferScenarios.OtherContent },
        { "downloads", TransferScenarios.Downloads },
        { "send", TransferScenarios.Send },
        { "receive", TransferScenarios.Receive },
    };

    static int Main(string[] given)
    {
        var game = new Game
        {
            Url = given[2],
            Token = given[3],
            Argument = given.ElementAtOrDefault(4),
            User = given.ElementAtOrDefault(5),
            Social = given.ElementAtOrDefault(6),
        };
        var scenario = Scenarios[given[1]];
        try
        {
            if (given[0] == "dotnet")
            {
                scenario(game).GetAwaiter().GetResult();
            }
            else
            {
                if (given[0] == "browser") UnityEngine.Application.platform = RuntimePlatform.WebGLPlayer;
                DefaultPlatform.Make = () => new UnityPlatform();
                Player.Run(() => scenario(game));
                Console.WriteLine("longest frame: " + (long)Player.LongestFrame.TotalMilliseconds + " ms");
            }
        }
        catch (Exception error)
        {
            Console.WriteLine("not ok: " + error);
            return 1;
        }
        Console.WriteLine("ok");
        return 0;
    }
}

/// <summary>What a scenario is given.</summary>
sealed class Game
{
    public string Url { get; set; }

    public string Token { get; set; }

    public string Argument { get; set; }

    /// <summary>The id of the token's user.</summary>
    public string User { get; set; }

    /// <summary>A token of a service that publishes.</summary>
    public string Social { get; set; }

    /// <summary>A client, as on a device of its own.</summary>
    public GameStorage Open(GameStorageOptions options = null)
    {
        return new GameStorage(Url, (renew, cancel) => Task.FromResult(Token), options);
    }

    public static void Expect(bool holds, string promise)
    {
        if (!holds) throw new InvalidOperationException("Expected: " + promise);
    }

    /// <summary>The error that an act ends with.</summary>
    public static async Task<StorageException> Refused(Func<Task> act)
    {
        try
        {
            await act();
        }
        catch (StorageException error)
        {
            return error;
        }
        throw new InvalidOperationException("Expected: a refusal");
    }
}
