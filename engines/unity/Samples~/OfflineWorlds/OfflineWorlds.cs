using System;
using System.Collections.Generic;
using System.IO;
using System.Threading;
using UnityEngine;
using UnityEngine.UI;

namespace EdgeGameStorage.Samples
{
    /// <summary>
    /// The worlds of a game, which are brought up to date when it starts, and played without a network with what is there. Add it to an
    /// object of an empty scene, give it worlds, and press Play.
    /// </summary>
    [AddComponentMenu("Edge Game Storage/Offline Worlds")]
    public sealed class OfflineWorlds : MonoBehaviour
    {
        [SerializeField]
        string url = "http://localhost:8787";

        [SerializeField, Tooltip("For development: npm run token -- ada. Keep no token in a scene that you ship.")]
        string token = "";

        [SerializeField, Tooltip("What the creators call this platform, like windows. Empty: worlds for all platforms.")]
        string platform = "";

        [SerializeField, Tooltip("The number of this build: it gets no world that needs another.")]
        long build = 1;

        [SerializeField]
        List<GameWorld> worlds = new List<GameWorld>();

        CancellationTokenSource closing;
        GameStorage storage;
        WorldShelf shelf;
        Activity activity;
        Buttons buttons;
        Transform screen;
        Transform list;
        Text message;

        /// <summary>The worlds of the game. Set them before the component starts, unless they are set in the editor.</summary>
        public List<GameWorld> Worlds
        {
            get { return worlds; }
        }

        /// <summary>Told the path of the file of the world that the player wants to play: load it into your game.</summary>
        public event Action<string> WorldChosen;

        void Start()
        {
            screen = Ui.Screen("Offline worlds");
            var form = new SignInForm(screen, "Worlds", url, token, SignedIn);
            if (token.Length > 0) form.Submit();
        }

        void OnDestroy()
        {
            End();
            if (screen != null) Destroy(screen.root.gameObject);
        }

        void SignedIn(GameStorage opened)
        {
            storage = opened;
            closing = new CancellationTokenSource();
            activity = new Activity(line => Debug.LogWarning(line), closing.Token);
            buttons = new Buttons(activity);
            var content = new InstalledContent(Path.Combine(Application.persistentDataPath, "installed-worlds"));
            shelf = new WorldShelf(storage, content, worlds, platform, build);
            Ui.Clear(screen);
            Ui.Label(screen, "Worlds", 24);
            message = Ui.Label(screen, "");
            var top = Ui.Row(screen);
            buttons.Add(top, "Update", UpdateWorlds);
            buttons.Add(top, "Sign out", SignOut);
            list = Ui.List(screen);
            activity.Changed += () => message.text = activity.Message;
            UpdateWorlds();
        }

        void SignOut()
        {
            End();
            Ui.Clear(screen);
            new SignInForm(screen, "Worlds", url, "", SignedIn);
        }

        /// <summary>Cancels what is under way. What has arrived stays on this device.</summary>
        void End()
        {
            if (storage == null) return;
            closing.Cancel();
            storage.Dispose();
            storage = null;
        }

        void UpdateWorlds()
        {
            activity.Begin("Looking for updates…", async cancel =>
            {
                await shelf.LookAsync();
                Show(); // The player sees what there is meanwhile.
                try
                {
                    // Made on the main thread, so it tells there.
                    return await shelf.UpdateAsync(new Progress<UpdateProgress>(Tell), cancel);
                }
                catch (StorageException error) when (error.Code == ErrorCodes.NetworkError)
                {
                    return "You are offline. You can play what is on this device.";
                }
                finally
                {
                    if (!cancel.IsCancellationRequested) Show();
                }
            });
        }

        void Tell(UpdateProgress progress)
        {
            if (!activity.IsBusy) return; // It comes a frame later, maybe after the end.
            var share = progress.SizeBytes == 0 ? 100 : 100 * progress.ReceivedBytes / progress.SizeBytes;
            activity.Tell("Updating " + shelf.NameOf(progress.AssetId) + "… " + share + "%");
        }

        void Show()
        {
            Ui.Clear(list);
            if (worlds.Count == 0) Ui.Label(list, "This game has no worlds. Give the component some.");
            foreach (var world in worlds) ShowWorld(world);
        }

        void ShowWorld(GameWorld world)
        {
            var row = Ui.Row(list);
            var version = shelf.InstalledOf(world);
            Ui.Label(row, world.name, 18);
            Ui.Label(row, version == null ? "Not on this device" : "Version " + version.Version, 14);
            buttons.Add(row, "Play", () => Play(world), version != null);
        }

        void Play(GameWorld world)
        {
            activity.Begin("One moment…", async cancel =>
            {
                try
                {
                    var path = await shelf.FileOfAsync(world, cancel);
                    if (WorldChosen != null) WorldChosen(path);
                    return "";
                }
                finally
                {
                    if (!cancel.IsCancellationRequested) Show();
                }
            });
        }
    }
}
