using System.Collections.Generic;
using System.Threading.Tasks;
using EdgeGameStorage;

static class AssetScenarios
{
    public static async Task Assets(Game game)
    {
        using (var storage = game.Open())
        {
            var world = await storage.CreateAssetAsync(new CreateAsset
            {
                Name = "Harbour",
                Type = GameAssetType.World,
                Visibility = Visibility.Public,
                Tags = new List<string> { "calm", "sea" },
                Metadata = "{ \"players\": 9007199254740991, \"seed\": 1.5 }",
            });
            Expecting.That(world.Type == GameAssetType.World && world.ETag != null, "a world with an ETag");
            await storage.EditAssetAsync(world.Id, new EditAsset { Description = "A quay.\nBoats." }, new ChangeOptions { IfMatch = world.ETag });
            var stale = new ChangeOptions { IfMatch = world.ETag };
            var refused = await Expecting.Error<StorageException>(() => storage.EditAssetAsync(world.Id, new EditAsset { Name = "Lost" }, stale));
            Expecting.That(refused.Code == ErrorCodes.PreconditionFailed, "PRECONDITION_FAILED, not " + refused.Code);
            await storage.SetFavoriteAsync(world.Id);
            foreach (var user in new[] { "mallory", "a / 100% ä" }) await storage.MuteUserAsync(user);
            await storage.UnmuteUserAsync("mallory");
            var query = new BrowseAssetsQuery { OwnerId = world.OwnerId, Tag = new List<string> { "sea" } };
            var page = await storage.BrowseAssets(query).GetPageAsync();
            Expecting.That(page.Assets.Count == 1 && page.Assets[0].Id == world.Id, "the world in the catalogue");
            var hidden = await storage.CreateAssetAsync(new CreateAsset { Name = "Cave", Type = GameAssetType.Prop });
            await storage.DeleteAssetAsync(hidden.Id);
        }
    }
}
