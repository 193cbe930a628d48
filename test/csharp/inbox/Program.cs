using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;

/// <summary>Promises of the inbox by name.</summary>
sealed class Promises : Dictionary<string, Action>
{
}

/// <summary>Tests of the inbox, compiled together with the client: SEED RUNS [PART] runs those whose name has this part.</summary>
static class Program
{
    public static int Seed { get; private set; }

    public static int Runs { get; private set; }

    static int Main(string[] given)
    {
        Seed = int.Parse(given[0]);
        Runs = int.Parse(given[1]);
        var tests = ConnectionTests.All.Concat(EndingTests.All).Concat(TokenTests.All).Concat(ChangeTests.All).Concat(ReplicaTests.All)
            .Concat(HostileTests.All);
        return tests.Where(test => given.Length < 3 || test.Key.Contains(given[2])).Sum(test => Run(test.Key, test.Value));
    }

    static int Run(string name, Action act)
    {
        try
        {
            SynchronizationContext.SetSynchronizationContext(null);
            act();
            Console.WriteLine("ok " + name);
            return 0;
        }
        catch (Exception error)
        {
            Console.WriteLine("not ok " + name + ": " + error);
            return 1;
        }
    }
}
