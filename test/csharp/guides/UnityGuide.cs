using System;
using System.IO;
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
        public static Task<string> GetTokenAsync(CancellationToken cancel)
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
        using (var privacy = Client("PRIVACY")) await privacy.EraseUserAsync("ada");
        var first = new GameObject("First save").AddComponent<FirstSave>();
        first.Url = Environment.GetEnvironmentVariable("BASE");
        first.Token = Environment.GetEnvironmentVariable("ADA");
        await Started();
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

    /// <summary>Ends when the method Start of a component has, which the player calls.</summary>
    static async Task Started()
    {
        while (Player.BegunMethods == 0 || Player.BegunMethods > Player.EndedMethods) await Task.Yield();
    }
}
