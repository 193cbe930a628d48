using System;
using System.Collections.Generic;
using System.IO;
using System.Threading;
using System.Threading.Tasks;

/// <summary>Tests by name.</summary>
sealed class Tests : Dictionary<string, Func<Users, Task>>
{
}

/// <summary>Tests that wait for nothing, by name.</summary>
sealed class Promises : Dictionary<string, Action>
{
}

/// <summary>The users of the tests: each token is taken once.</summary>
sealed class Users
{
    readonly Queue<string> tokens;

    /// <param name="file">It has a token of another user in each line.</param>
    public Users(string url, string file)
    {
        Url = url;
        tokens = new Queue<string>(File.ReadAllLines(file));
    }

    public string Url { get; }

    public string Take()
    {
        return tokens.Dequeue();
    }
}

static class Runner
{
    /// <summary>Runs tests, and prints <c>ok NAME</c> for each, or <c>not ok NAME</c> with its error. Returns how many failed.</summary>
    public static int Each<T>(IEnumerable<KeyValuePair<string, T>> tests, Action<T> run)
    {
        var failed = 0;
        foreach (var test in tests)
        {
            try
            {
                SynchronizationContext.SetSynchronizationContext(null);
                run(test.Value);
                Console.WriteLine("ok " + test.Key);
            }
            catch (Exception error)
            {
                failed += 1;
                Console.WriteLine("not ok " + test.Key + ": " + error);
            }
        }
        return failed;
    }

    /// <summary>Waits for an act. One that waits for ever fails, and leaves the others their turn.</summary>
    public static void Wait(Task act)
    {
        if (!act.Wait(TimeSpan.FromSeconds(60))) throw new TimeoutException();
    }
}
