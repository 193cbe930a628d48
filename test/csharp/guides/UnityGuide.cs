using System;
using System.IO;
using System.Reflection;
using System.Threading;
using System.Threading.Tasks;
using EdgeGameStorage;
using UnityEngine;

/// <summary>Plays docs/unity.md: the component FirstSave, then the other examples, with what the page leaves to the game.</summary>
sealed partial class UnityGuide : MonoBehaviour
{
    string url;
    GameStorage storage;
    string path;
    string world_id = "none";
    CancellationToken cancel = CancellationToken.None;

    static byte[] Merged(byte[] mine, byte[] theirs)
    {
        return mine;
    }

    static void ShowBar(float share)
    {
    }

    static class Login
    {
        public static Task<string> Token(CancellationToken cancel)
        {
            return Task.FromResult(Environment.GetEnvironmentVariable("ADA"));
        }
    }

    /// <summary>Arguments: NAME=VALUE, as in a shell.</summary>
    static void Main(string[] variables)
    {
        foreach (var variable in variables)
        {
            var end = variable.IndexOf('=');
            Environment.SetEnvironmentVariable(variable.Substring(0, end), variable.Substring(end + 1));
        }
        DefaultPlatform.Make = () => new UnityPlatform();
        Application.persistentDataPath = Path.Combine(Path.GetTempPath(), Guid.NewGuid().ToString());
        Player.Run(Play);
        Console.Write("\u0004");
    }

    static async Task Play()
    {
        using (var privacy = Client("PRIVACY")) await privacy.EraseUser("ada");
        var first = new GameObject("First save").AddComponent<FirstSave>();
        first.Url = Environment.GetEnvironmentVariable("BASE");
        first.Token = Environment.GetEnvironmentVariable("ADA");
        await Started(first);
        using (var storage = Client("ADA"))
        {
            var guide = new GameObject("Guide").AddComponent<UnityGuide>();
            guide.url = Environment.GetEnvironmentVariable("BASE");
            guide.storage = storage;
            guide.path = Application.persistentDataPath + ".bin";
            File.WriteAllBytes(guide.path, new byte[3000000]);
            await guide.Examples();
        }
    }

    static GameStorage Client(string token)
    {
        var text = Environment.GetEnvironmentVariable(token);
        return new GameStorage(Environment.GetEnvironmentVariable("BASE"), (renew, cancel) => Task.FromResult(text));
    }

    /// <summary>Calls the private method Start, as Unity does, and waits for its end.</summary>
    static async Task Started(MonoBehaviour component)
    {
        var player = SynchronizationContext.Current;
        var watched = new Watched(player);
        SynchronizationContext.SetSynchronizationContext(watched);
        component.GetType().GetMethod("Start", BindingFlags.NonPublic | BindingFlags.Instance).Invoke(component, null);
        SynchronizationContext.SetSynchronizationContext(player);
        await watched.Ended;
    }

    /// <summary>Knows when an <c>async void</c> method has ended.</summary>
    sealed class Watched : SynchronizationContext
    {
        readonly SynchronizationContext player;
        readonly TaskCompletionSource<bool> ended = new TaskCompletionSource<bool>();

        public Watched(SynchronizationContext player)
        {
            this.player = player;
        }

        public Task Ended
        {
            get { return ended.Task; }
        }

        public override void Post(SendOrPostCallback callback, object state)
        {
            player.Post(callback, state);
        }

        public override void OperationCompleted()
        {
            ended.TrySetResult(true);
        }
    }
}
