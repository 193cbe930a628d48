using System.Linq;

static class Program
{
    static int Main(string[] given)
    {
        return SampleTests.Run(given, SlotTests.All.Concat(SlotConflictTests.All).Concat(MenuTests.All));
    }
}
