using System;
using System.Linq;

/// <summary>The rules of the replica under random sequences.</summary>
static class ReplicaTests
{
    public static readonly Promises All = new Promises
    {
        { "a replica shows what the inbox was at each seq, ends equal to it, and tells each notification once and in order", Survives },
    };

    static void Survives()
    {
        var jumps = 0;
        var told = 0;
        for (var run = 0; run < Program.Runs; run++)
        {
            var seed = Program.Seed + run;
            var random = new Random(seed);
            var simulation = new Simulation(1 + random.Next(12), random);
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
        Expecting.That(jumps > Program.Runs / 20 && told > Program.Runs, "lists that are read again, and notifications that are told: " + jumps + ", " + told);
    }
}
