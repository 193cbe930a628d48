using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace EdgeGameStorage.Samples
{
    /// <summary>
    /// The public worlds that a player looks for, a screenful at a time. It has no user interface, so keep it and put your own on it.
    /// </summary>
    sealed class WorldList
    {
        public const int ScreenSize = 12;

        const int MostTags = 5;
        const int LongestTag = 32;

        readonly GameStorage storage;
        readonly List<GameAssetSummary> worlds = new List<GameAssetSummary>();
        BrowseAssetsQuery query = new BrowseAssetsQuery();

        public WorldList(GameStorage storage)
        {
            this.storage = storage;
        }

        /// <summary>The list has changed.</summary>
        public event Action Changed;

        public IReadOnlyList<GameAssetSummary> Worlds
        {
            get { return worlds; }
        }

        /// <summary>Whether <see cref="MoreAsync"/> may find more.</summary>
        public bool HasMore { get; private set; }

        /// <summary>Whether a search or a filter narrows the list.</summary>
        public bool IsNarrowed
        {
            get { return query.Q != null || query.Tag != null; }
        }

        /// <summary>Begins a list. Throws <see cref="PlayerProblem"/> for tags that no world can have.</summary>
        /// <param name="search">A part of the name. A search is in the order of publication, whatever <paramref name="sort"/> is.</param>
        /// <param name="tags">What each world has to have, like "maze, horror".</param>
        /// <param name="sort">The order of a list that is no search.</param>
        /// <param name="cancel">Cancels the requests.</param>
        public async Task FindAsync(string search, string tags, AssetSort sort, CancellationToken cancel)
        {
            var wanted = TagsIn(tags);
            var text = search.Trim();
            var found = new BrowseAssetsQuery
            {
                Type = GameAssetType.World,
                Q = text.Length == 0 ? null : text,
                Tag = wanted.Count == 0 ? null : wanted,
                Sort = text.Length == 0 ? sort : (AssetSort?)null,
                Limit = ScreenSize,
            };
            await ReadAsync(found, true, cancel);
        }

        /// <summary>Adds what follows.</summary>
        public async Task MoreAsync(CancellationToken cancel)
        {
            if (!HasMore) return;
            try
            {
                await ReadAsync(query, false, cancel);
            }
            catch (StorageException error) when (error.Code == ErrorCodes.InvalidCursor)
            {
                await ReadAsync(From(query, null), true, cancel); // The service was updated meanwhile. The list begins again.
            }
        }

        async Task ReadAsync(BrowseAssetsQuery asked, bool isNew, CancellationToken cancel)
        {
            var read = new List<GameAssetSummary>();
            var cursor = asked.Cursor;
            do
            {
                // A page may be short, or empty, although more follow.
                var page = await storage.BrowseAssets(From(asked, cursor)).GetPageAsync(cancel);
                read.AddRange(page.Assets);
                cursor = page.NextCursor;
            }
            while (cursor != null && read.Count < ScreenSize);
            // Only now, so that a list goes on where it was after a failure.
            query = From(asked, cursor);
            HasMore = cursor != null;
            if (isNew) worlds.Clear();
            // A world that was published or updated meanwhile has moved, and may come a second time.
            worlds.AddRange(read.Where(world => worlds.All(known => known.Id != world.Id)));
            if (Changed != null) Changed();
        }

        static BrowseAssetsQuery From(BrowseAssetsQuery query, string cursor)
        {
            return new BrowseAssetsQuery
            {
                Type = query.Type,
                Q = query.Q,
                Tag = query.Tag,
                Sort = query.Sort,
                Limit = query.Limit,
                Cursor = cursor,
            };
        }

        static List<string> TagsIn(string text)
        {
            var between = new[] { ' ', ',', ';', '#' };
            var tags = text.ToLowerInvariant().Split(between, StringSplitOptions.RemoveEmptyEntries).Distinct().ToList();
            if (tags.Count > MostTags) throw new PlayerProblem("Please choose at most five tags.");
            if (tags.Any(tag => tag.Length > LongestTag)) throw new PlayerProblem("No tag is longer than 32 letters.");
            foreach (var letter in string.Concat(tags))
            {
                var isPlain = letter >= 'a' && letter <= 'z' || letter >= '0' && letter <= '9' || letter == '-' || letter == '_';
                if (!isPlain) throw new PlayerProblem("Tags have only the letters a to z, digits, - and _.");
            }
            return tags;
        }
    }
}
