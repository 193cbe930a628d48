using System;
using System.Threading.Tasks;
using EdgeGameStorage;

static class UpdateScenario
{
    /// <summary>FOLDER|ASSET: installs the asset, and prints how much of it has arrived.</summary>
    public static async Task Run(Game game)
    {
        var words = game.Argument.Split('|');
        using (var storage = game.Open())
        {
            var options = new UpdateOptions { Assets = new[] { new WantedAsset(words[1]) }, Progress = new Printed() };
            var found = await storage.UpdateAssetsAsync(new InstalledContent(words[0]), options);
            Expecting.Equal(0, found.Refused.Count);
        }
    }

    sealed class Printed : IProgress<UpdateProgress>
    {
        public void Report(UpdateProgress value)
        {
            Console.WriteLine("received " + value.ReceivedBytes + ".");
        }
    }
}
