using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace EdgeGameStorage.Samples
{
    /// <summary>The worlds of the game on this device.</summary>
    sealed class WorldShelf
    {
        readonly GameStorage storage;
        readonly InstalledContent content;
        readonly IReadOnlyList<GameWorld> worlds;
        readonly string platform;
        readonly long build;
        IReadOnlyList<InstalledVersion> installed = new InstalledVersion[0];

        /// <param name="storage">The player's.</param>
        /// <param name="content">Where the worlds are.</param>
        /// <param name="worlds">Those that the device is to have.</param>
        /// <param name="platform">As it was given to the uploads of content for it.</param>
        /// <param name="build">The number of this build of the game: it gets no version that it can't read.</param>
        public WorldShelf(GameStorage storage, InstalledContent content, IReadOnlyList<GameWorld> worlds, string platform, long build)
        {
            this.storage = storage;
            this.content = content;
            this.worlds = worlds;
            this.platform = platform;
            this.build = build;
        }

        /// <summary>Looks at what is on this device. Needs no network.</summary>
        public async Task LookAsync()
        {
            installed = await content.ListAsync();
        }

        /// <summary>The version of a world that is on this device; null when none is.</summary>
        public InstalledVersion InstalledOf(GameWorld world)
        {
            return installed.FirstOrDefault(version => version.AssetId == world.id);
        }

        /// <summary>
        /// Brings all worlds up to date, and returns what to tell the player. Throws <see cref="StorageException"/> without a network: what
        /// has arrived stays, and the next update goes on.
        /// </summary>
        public async Task<string> UpdateAsync(IProgress<UpdateProgress> progress, CancellationToken cancel)
        {
            try
            {
                var found = await storage.UpdateAssetsAsync(content, new UpdateOptions
                {
                    Platform = platform.Length > 0 ? platform : null,
                    Build = build,
                    Assets = worlds.Select(world => new WantedAsset(world.id)).ToList(),
                    Progress = progress,
                }, cancel);
                if (found.Refused.Count > 0) return string.Join(" ", found.Refused.Select(Refusal));
                return found.Updates.Count == 0 ? "All worlds are up to date." : "All worlds are up to date now.";
            }
            finally
            {
                await LookAsync();
            }
        }

        /// <summary>The file of a world that is on this device. Throws <see cref="PlayerProblem"/> when it has been damaged.</summary>
        public async Task<string> FileOfAsync(GameWorld world, CancellationToken cancel)
        {
            try
            {
                return await storage.GetInstalledPathAsync(content, InstalledOf(world), cancel);
            }
            catch (StorageException error) when (error.Code == ErrorCodes.ContentDamaged)
            {
                await LookAsync();
                throw new PlayerProblem("This world was damaged. Please update your worlds.", error);
            }
        }

        public string NameOf(string id)
        {
            var world = worlds.FirstOrDefault(known => known.id == id);
            return world == null ? "A world" : world.name;
        }

        string Refusal(RefusedUpdate refused)
        {
            switch (refused.Code)
            {
                case ErrorCodes.VersionNotFound:
                case ErrorCodes.VariantNotFound:
                    return NameOf(refused.AssetId) + " is not there yet for this version of the game.";
                case ErrorCodes.AssetNotFound:
                    return NameOf(refused.AssetId) + " is not available any more.";
                default:
                    return NameOf(refused.AssetId) + " could not be updated. Please try again later.";
            }
        }
    }
}
