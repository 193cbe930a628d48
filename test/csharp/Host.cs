using System;
using System.Collections;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Runtime.InteropServices;
using System.Threading.Tasks;
using EdgeGameStorage;
using EdgeGameStorage.Tests;
using UnityEngine;
using UnityEngine.TestTools;

/// <summary>
/// Runs a scenario by its name: NAME WORD…. Without a name, it runs one for each line of the input, in which tabs separate the words, and
/// prints <c>ended with CODE</c> behind each.
/// </summary>
static class Host
{
    /// <summary>Scenarios of a client: PLATFORM URL TOKEN [ARGUMENT [USER SOCIAL]]. PLATFORM: dotnet, unity, or browser (Unity with one thread).</summary>
    static readonly Dictionary<string, Func<Game, Task>> Games = new Dictionary<string, Func<Game, Task>>
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
        { "an update", UpdateScenario.Run },
    };

    /// <summary>The others. Those in the plural run many tests, and print <c>ok NAME</c> for each that passes.</summary>
    static readonly Dictionary<string, Func<string[], int>> Scenarios = new Dictionary<string, Func<string[], int>>
    {
        { "tests of requests", Requests },
        { "tests of saves", Saves },
        { "tests of updates", Updates },
        { "tests of the inbox", Inboxes },
        { "tests of the part for Unity", words => Runner.Each(PlatformTests.All, test => Player.Run(() => test(null))) },
        { "tests of the package", Package },
        { "a device that is killed", words => Alone(() => KilledDevice.Play(words[0])) },
        { "a folder that keeps numbers", words => Alone(() => Keeper.Keep(words[0])) },
        { "a shared folder", words => Alone(() => Keeper.Share(words[0], words[1], words[2], words[3])) },
        { "a crowded folder", words => Alone(() => Keeper.Crowd(words[0], words[1], words[2])) },
        { "the node for Godot", words => Alone(() => GodotGame.Run(words[0], words[1], words[2])) },
        { "the examples of models", words => Alone(() => RoundTrip.Run(words[0])) },
        { "the members of an assembly", words => Alone(() => Inspection.Run(words[0])) },
    };

    static void Main(string[] given)
    {
        if (given.Length > 0) End(Run(given));
        for (string line; (line = Console.ReadLine()) != null;) Console.WriteLine("ended with " + Run(line.Split('\t')));
        End(0);
    }

    /// <summary>Ends the process at once: Mono's own end may wait for a thread of its pool, for up to a minute.</summary>
    [DllImport("libc", EntryPoint = "_exit")]
    static extern void End(int code);

    static int Run(string[] given)
    {
        var words = given.Skip(1).ToArray();
        return Games.ContainsKey(given[0]) ? Alone(() => Play(Games[given[0]], words)) : Scenarios[given[0]](words);
    }

    static void Play(Func<Game, Task> scenario, string[] words)
    {
        var game = new Game
        {
            Url = words[1],
            Token = words[2],
            Argument = words.ElementAtOrDefault(3),
            User = words.ElementAtOrDefault(4),
            Social = words.ElementAtOrDefault(5),
        };
        if (words[0] == "dotnet")
        {
            DefaultPlatform.Make = () => new DotnetPlatform();
            scenario(game).GetAwaiter().GetResult();
            return;
        }
        Application.platform = words[0] == "browser" ? RuntimePlatform.WebGLPlayer : RuntimePlatform.LinuxPlayer;
        DefaultPlatform.Make = () => new UnityPlatform();
        Player.Run(() => scenario(game));
    }

    static int Alone(Func<Task> act)
    {
        return Alone(() => act().GetAwaiter().GetResult());
    }

    static int Alone(Action act)
    {
        try
        {
            act();
            Console.WriteLine("ok");
            return 0;
        }
        catch (Exception error)
        {
            Console.WriteLine("not ok: " + error);
            return 1;
        }
    }

    static int Requests(string[] words)
    {
        var tests = TokenTests.All.Concat(HeaderTests.All).Concat(AnswerTests.All).Concat(MuteTests.All).Concat(LifetimeTests.All).Concat(ContentTests.All)
            .Concat(ResumeTests.All).Concat(CancellationTests.All);
        return Runner.Each(tests, test => Runner.Wait(test(null)));
    }

    /// <summary>URL TOKENS, a file.</summary>
    static int Saves(string[] words)
    {
        var users = new Users(words[0], words[1]);
        var tests = EntryTests.All.Concat(StoreTests.All).Concat(SaveTests.All).Concat(ConflictTests.All).Concat(OfflineTests.All)
            .Concat(OfflineConflictTests.All).Concat(QueueTests.All);
        return Runner.Each(tests, test => Runner.Wait(test(users)));
    }

    /// <summary>URL TOKENS, a file.</summary>
    static int Updates(string[] words)
    {
        var users = new Users(words[0], words[1]);
        return Runner.Each(UpdateTests.All, test => Runner.Wait(test(users)));
    }

    /// <summary>SEED SEQUENCES.</summary>
    static int Inboxes(string[] words)
    {
        ReplicaTests.Seed = int.Parse(words[0]);
        ReplicaTests.Runs = int.Parse(words[1]);
        var tests = ConnectionTests.All.Concat(EndingTests.All).Concat(InboxTokenTests.All).Concat(ChangeTests.All).Concat(ReplicaTests.All)
            .Concat(HostileTests.All);
        return Runner.Each(tests, test => test());
    }

    /// <summary>The tests of the Unity package, in a stand-in for its player. FOLDER: the game may write to it.</summary>
    static int Package(string[] words)
    {
        Application.persistentDataPath = words[0];
        foreach (var method in typeof(UnityPlatform).GetMethods(BindingFlags.Static | BindingFlags.NonPublic))
            if (method.IsDefined(typeof(RuntimeInitializeOnLoadMethodAttribute), false)) Player.Run(() => Begun(method));
        var tests = typeof(PlayerTests).GetMethods().Where(method => method.IsDefined(typeof(UnityTestAttribute), false));
        return Runner.Each(
            tests.Select(method => new KeyValuePair<string, MethodInfo>(method.Name, method)),
            method => Player.Run(() => Ended((IEnumerator)method.Invoke(new PlayerTests(), null))));
    }

    static Task Begun(MethodInfo method)
    {
        method.Invoke(null, null);
        return Task.FromResult(true);
    }

    static async Task Ended(IEnumerator test)
    {
        while (test.MoveNext()) await Task.Yield();
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
}
