using System.Linq;

static class Program
{
    static int Main(string[] given)
    {
        var all = new Tests();
        foreach (var test in SlotTests.All.Concat(SlotConflictTests.All).Concat(MenuTests.All)) all.Add(test.Key, test.Value);
        return SampleTests.Run(given, all);
    }
}
