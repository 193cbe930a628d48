using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading.Tasks;

/// <summary>
/// Tests of saves, compiled together with the client. TEST URL TOKENS [PART]: runs those whose name has this part; TOKENS is a file with
/// a token of another user in each line. The other words start a process that is killed, or one of two over one folder.
/// </summary>
static class Program
{
    static int Main(string[] given)
    {
        if (given[0] == "PLAY") return Run(null, () => Player.Play(given[1]));
        if (given[0] == "KEEP") return Run(null, () => Keeper.Keep(given[1]));
        if (given[0] == "SHARE") return Run(null, () => Keeper.Share(given[1], given[2], given[3], given[4]));
        if (given[0] == "CROWD") return Run(null, () => Keeper.Crowd(given[1], given[2], given[3]));
        var users = new Users(given[1], new Queue<string>(File.ReadAllLines(given[2])));
        var tests = EntryTests.All.Concat(StoreTests.All).Concat(SaveTests.All).Concat(ConflictTests.All).Concat(OfflineTests.All)
            .Concat(OfflineConflictTests.All).Concat(QueueTests.All);
        return tests.Where(test => given.Length < 4 || test.Key.Contains(given[3])).Sum(test => Run(test.Key, () => test.Value(users)));
    }

    static int Run(string name, Func<Task> act)
    {
        try
        {
            act().GetAwaiter().GetResult();
            if (name != null) Console.WriteLine("ok " + name);
            return 0;
        }
        catch (Exception error)
        {
            Console.WriteLine("not ok " + name + ": " + error);
            return 1;
        }
    }
}
