static class Program
{
    static int Main(string[] given)
    {
        return SampleTests.Run(given, OfflineTests.All);
    }
}
