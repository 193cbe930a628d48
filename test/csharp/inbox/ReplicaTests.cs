using System;
using System.Linq;

/// <summary>The rules of the replica under random sequences.</summary>
static class ReplicaTests
{
    public static readonly Promises All = new Promises
    {
        { "a replica shows what the inbox was at each seq, ends equal to it, and tells each notification once and in order", Survives },
    };

    public static int Seed { get; set; }

    /// <summary>How many random sequences there are.</summary>
    public static int Runs { get; set; }

    static void Survives()
    {
        var jumps = 0;
        var told = 0;
        for (var run = 0; run < Runs; run++)
        {
            var seed = Seed + run;
            var random = new Random(seed);
            var simulation = new InboxSimulation(1 + random.Next(12), random);
            try
            {
                for (var step = 0; step < 60; step++)
                {
                    simulation.Step();
                    simulation.Check();
                }
                simulation.Finish();
            }
            catch (Exception error)
            {
                throw new InvalidOperationException("With the seed " + seed + ": " + error.Message, error);
            }
            jumps += simulation.Jumps.Count;
            told += simulation.Told.Count;
        }
        Expecting.That(jumps > Runs / 20 && told > Runs, "lists that are read again, and notifications that are told: " + jumps + ", " + told);
    }
}
