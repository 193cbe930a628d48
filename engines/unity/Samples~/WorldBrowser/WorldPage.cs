using System;
using System.Threading;
using System.Threading.Tasks;
using UnityEngine;
using UnityEngine.UI;

namespace EdgeGameStorage.Samples
{
    /// <summary>The page of one world, over the list.</summary>
    sealed class WorldPage
    {
        readonly GameStorage storage;
        readonly WorldDownloads downloads;
        readonly Favorites favorites;
        readonly Activity activity;
        readonly Buttons buttons;
        readonly Pictures pictures;
        readonly Transform page;
        GameAssetWithVersions world;
        bool isFavorite;
        bool wasFavorite;
        Text favoriteCount;
        Transform actions;

        public WorldPage(GameStorage storage, WorldDownloads downloads, Activity activity, Pictures pictures, Transform screen)
        {
            this.storage = storage;
            this.downloads = downloads;
            this.activity = activity;
            this.pictures = pictures;
            favorites = new Favorites(storage);
            buttons = new Buttons(activity);
            page = Ui.Column(screen, true);
            page.gameObject.SetActive(false);
        }

        public event Action Closed;

        /// <summary>Lists anew when the player has muted somebody.</summary>
        public Func<CancellationToken, Task> ListAnew { get; set; }

        /// <summary>Told the path of the world's file.</summary>
        public event Action<string> Ready;

        /// <summary>Reads the world, and shows it. Throws <see cref="StorageException"/>, for example <c>ASSET_NOT_FOUND</c>.</summary>
        public async Task OpenAsync(string id, CancellationToken cancel)
        {
            var read = await storage.GetPublicAssetAsync(GameAssetType.World, id, cancel);
            wasFavorite = isFavorite = await favorites.HasAsync(id, cancel);
            world = read;
            page.gameObject.SetActive(true);
            Show();
        }

        void Show()
        {
            Ui.Clear(page);
            buttons.Add(Ui.Row(page), "Back", Close);
            var content = Ui.List(page);
            Ui.Label(content, world.Name, 24);
            var row = Ui.Row(content);
            pictures.Show(world.PreviewUrl, world.PreviewWidth, world.PreviewHeight, Ui.Picture(row, 320, 180));
            if (!string.IsNullOrEmpty(world.Description)) Ui.Label(content, world.Description);
            if (world.Tags.Count > 0) Ui.Label(content, string.Join(", ", world.Tags), 14);
            favoriteCount = Ui.Label(content, "", 14);
            actions = Ui.Row(content);
            ShowActions();
            var safety = Ui.Row(content);
            buttons.Add(safety, "Report this world", ShowReport);
            buttons.Add(safety, "Mute its creator", Mute);
        }

        void ShowReport()
        {
            Ui.Clear(page);
            buttons.Add(Ui.Row(page), "Back", Show);
            var target = new Target { Type = TargetType.Asset, Id = world.Id };
            new ReportForm(storage, target, Ui.List(page), buttons, (doing, act) => activity.Begin(doing, async cancel =>
            {
                var told = await act(cancel);
                Show();
                return told;
            }));
        }

        void Mute()
        {
            activity.Begin("One moment…", async cancel =>
            {
                await storage.MuteUserAsync(world.OwnerId, cancel);
                Close();
                await ListAnew(cancel);
                return "You see no more worlds of this creator.";
            });
        }

        void Close()
        {
            page.gameObject.SetActive(false);
            if (Closed != null) Closed();
        }

        void ShowActions()
        {
            // The number of the service is behind by up to a minute.
            var count = world.Favorites + (isFavorite ? 1 : 0) - (wasFavorite ? 1 : 0);
            favoriteCount.text = count == 1 ? "1 player likes it" : count + " players like it";
            Ui.Clear(actions);
            buttons.Add(actions, isFavorite ? "Remove from favorites" : "Add to favorites", ToggleFavorite);
            if (downloads.FileOf(world) != null) Ui.Label(actions, "On this device");
            else
            {
                var isEmpty = world.CurrentVersion == 0;
                var text = isEmpty ? "Nothing to download yet" : downloads.BegunBytes(world) > 0 ? "Go on with the download" : "Download";
                buttons.Add(actions, text, Download, !isEmpty);
            }
        }

        void ToggleFavorite()
        {
            activity.Begin("One moment…", async cancel =>
            {
                await favorites.SetAsync(world.Id, !isFavorite, cancel);
                isFavorite = !isFavorite;
                ShowActions();
                return isFavorite ? "Added to your favorites." : "Removed from your favorites.";
            });
        }

        void Download()
        {
            activity.Begin("Downloading…", async cancel =>
            {
                using (var stopping = CancellationTokenSource.CreateLinkedTokenSource(cancel))
                {
                    Ui.Clear(actions);
                    Ui.Button(actions, "Stop", stopping.Cancel);
                    try
                    {
                        // Made on the main thread, so it tells there.
                        var path = await downloads.DownloadAsync(world, new Progress<DownloadProgress>(Tell), stopping.Token);
                        if (Ready != null) Ready(path);
                        return "The world is on this device.";
                    }
                    catch (OperationCanceledException) when (!cancel.IsCancellationRequested)
                    {
                        return "Stopped. You can go on with the download at any time.";
                    }
                    finally
                    {
                        if (!cancel.IsCancellationRequested) ShowActions();
                    }
                }
            });
        }

        void Tell(DownloadProgress progress)
        {
            if (!activity.IsBusy) return; // It comes a frame later, maybe after the end.
            var size = progress.SizeBytes;
            var received = Megabytes(progress.ReceivedBytes);
            activity.Tell(size == null ? "Downloading…" : "Downloading… " + received + " of " + Megabytes(size.Value));
        }

        static string Megabytes(long bytes)
        {
            return (bytes / 1048576.0).ToString("0.0") + " MB";
        }
    }
}
