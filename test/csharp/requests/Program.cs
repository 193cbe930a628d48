using System;
using System.Linq;
using System.Threading.Tasks;

/// <summary>Tests of requests that need no service, compiled together with the client.</summary>
static class Program
{
    static int Main()
    {
        var tests = TokenTests.All.Concat(HeaderTests.All).Concat(AnswerTests.All).Concat(LifetimeTests.All).Concat(ContentTests.All)
            .Concat(ResumeTests.All).Concat(CancellationTests.All);
        return tests.Sum(test => Run(test.Key, () => test.Value(null)));
    }

    static int Run(string name, Func<Task> act)
    {
        try
        {
            // An act that waits for ever fails, and leaves the others their turn.
            if (!act().Wait(TimeSpan.FromSeconds(60))) throw new TimeoutException();
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
