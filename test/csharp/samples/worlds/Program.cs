using System.Linq;

static class Program
{
    /// <summary>PLATFORM URL TOKENS FOLDER TAG CONTENT: see SampleTests and Fixture.</summary>
    static int Main(string[] given)
    {
        Fixture.Tag = given[4];
        Fixture.Content = given[5];
        return SampleTests.Run(given, WorldTests.All.Concat(BrowserTests.All));
    }
}
