using System;
using System.Collections;
using System.Linq;
using System.Reflection;
using System.Threading.Tasks;
using EdgeGameStorage;
using EdgeGameStorage.Tests;
using UnityEngine;
using UnityEngine.TestTools;

/// <summary>Runs the tests of the Unity package in a stand-in for its player. The argument is a folder that the game may write to.</summary>
static class Program
{
    static int Main(string[] given)
    {
        Application.persistentDataPath = given[0];
        foreach (var method in typeof(UnityPlatform).GetMethods(BindingFlags.Static | BindingFlags.NonPublic))
            if (method.IsDefined(typeof(RuntimeInitializeOnLoadMethodAttribute), false)) Player.Run(() => Begun(method));
        return typeof(PlayerTests).GetMethods().Where(method => method.IsDefined(typeof(UnityTestAttribute), false)).Sum(method =>
        {
            try
            {
                Player.Run(() => Ended((IEnumerator)method.Invoke(new PlayerTests(), null)));
                Console.WriteLine("ok " + method.Name);
                return 0;
            }
            catch (Exception error)
            {
                Console.WriteLine("not ok " + method.Name + ": " + error);
                return 1;
            }
        });
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
