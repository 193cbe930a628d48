using System;
using System.Collections.Generic;
using System.IO;
using System.Threading.Tasks;
using EdgeGameStorage;
using UnityEngine;

/// <summary>
/// Runs tests of a sample in the stand-in for the player: PLATFORM URL TOKENS FOLDER. PLATFORM: unity, or browser (one thread). TOKENS is
/// a file with a token of another user in each line.
/// </summary>
static class SampleTests
{
    public static int Run(string[] given, IEnumerable<KeyValuePair<string, Func<Users, Task>>> tests)
    {
        if (given[0] == "browser") Application.platform = RuntimePlatform.WebGLPlayer;
        DefaultPlatform.Make = () => new UnityPlatform();
        var users = new Users(given[1], given[2]);
        return Runner.Each(tests, test =>
        {
            // What a failed test has left would be in the way of the next.
            while (GameObject.Living.Count > 0) UnityEngine.Object.Destroy(GameObject.Living[0]);
            Application.persistentDataPath = Path.Combine(given[3], Guid.NewGuid().ToString("N"));
            Player.Run(() => test(users));
        });
    }
}
