using System;
using System.Linq;
using UnityEngine;

/// <summary>Tests of the package's part for Unity, in a stand-in for its player.</summary>
static class Program
{
    static int Main()
    {
        return PlatformTests.All.Sum(test =>
        {
            try
            {
                Player.Run(() => test.Value(null));
                Console.WriteLine("ok " + test.Key);
                return 0;
            }
            catch (Exception error)
            {
                Console.WriteLine("not ok " + test.Key + ": " + error);
                return 1;
            }
        });
    }
}
