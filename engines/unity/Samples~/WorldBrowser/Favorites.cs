using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace EdgeGameStorage.Samples
{
    /// <summary>The favorites of the player. No record of a world says whether it is one, so the list is read once.</summary>
    sealed class Favorites
    {
        readonly GameStorage storage;
        HashSet<string> ids;

        public Favorites(GameStorage storage)
        {
            this.storage = storage;
        }

        public async Task<bool> HasAsync(string id, CancellationToken cancel)
        {
            if (ids == null)
            {
                var read = new HashSet<string>();
                var favorites = storage.ListFavorites(new ListFavoritesQuery { Limit = 100 }).GetAsyncEnumerator(cancel);
                while (await favorites.MoveNextAsync()) read.Add(favorites.Current.Id);
                ids = read;
            }
            return ids.Contains(id);
        }

        public async Task SetAsync(string id, bool isFavorite, CancellationToken cancel)
        {
            if (isFavorite) await storage.SetFavoriteAsync(id, cancel);
            else await storage.DeleteFavoriteAsync(id, cancel);
            if (ids == null) return;
            if (isFavorite) ids.Add(id);
            else ids.Remove(id);
        }
    }
}
