using System;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using UnityEngine;
using UnityEngine.UI;

namespace EdgeGameStorage.Samples
{
    /// <summary>A menu of save slots. Add it to an object of an empty scene, and press Play.</summary>
    [AddComponentMenu("Edge Game Storage/Save Slot Menu")]
    public sealed class SaveSlotMenu : MonoBehaviour
    {
        [SerializeField]
        string url = "http://localhost:8787";

        [SerializeField, Tooltip("For development: npm run token -- ada. Keep no token in a scene that you ship.")]
        string token = "";

        [SerializeField, Tooltip("What the player calls this device. Empty: the name of the device.")]
        string device = "";

        CancellationTokenSource closing;
        GameStorage storage;
        SaveSlots slots;
        Activity activity;
        Buttons buttons;
        Transform screen;
        Text status;
        Text message;
        Transform top;
        Transform list;

        /// <summary>What is saved and loaded. Set it before the menu starts; otherwise it is a game to try the menu with.</summary>
        public ISavedGame Game { get; set; }

        void Start()
        {
            if (Game == null) Game = new DemoGame();
            screen = Ui.Screen("Save slot menu");
            var form = new SignInForm(screen, "Saves", url, token, SignedIn);
            if (token.Length > 0) form.Submit();
        }

        void OnDestroy()
        {
            End();
            if (screen != null) Destroy(screen.root.gameObject);
        }

        void OnApplicationPause(bool isPaused)
        {
            if (!isPaused && slots != null) Do("Looking for your saves…", slots.RefreshAsync); // Other devices may have saved meanwhile.
        }

        void SignedIn(GameStorage opened)
        {
            storage = opened;
            closing = new CancellationTokenSource();
            activity = new Activity(line => Debug.LogWarning(line), closing.Token);
            buttons = new Buttons(activity);
            // Saves of several players of this device are kept apart by their tokens.
            slots = new SaveSlots(storage, UnitySaveStore.Open(), Game, DeviceName());
            Ui.Clear(screen);
            Ui.Label(screen, "Saves", 24);
            status = Ui.Label(screen, "");
            top = Ui.Row(screen);
            message = Ui.Label(screen, "");
            list = Ui.List(screen);
            activity.Changed += () => message.text = activity.Message;
            slots.Changed += Show;
            slots.Failed += activity.Report;
            Do("Looking for your saves…", slots.RefreshAsync);
        }

        void SignOut()
        {
            End();
            Ui.Clear(screen);
            new SignInForm(screen, "Saves", url, "", SignedIn);
        }

        /// <summary>Cancels what is under way. What waits to be sent stays on this device.</summary>
        void End()
        {
            if (storage == null) return;
            closing.Cancel();
            slots.Dispose();
            storage.Dispose();
            slots = null;
            storage = null;
        }

        /// <summary>Starts an act. It ends by itself, reports its error, and is canceled with the menu.</summary>
        void Do(string doing, Func<CancellationToken, Task> act, string done = "")
        {
            activity.Begin(doing, async cancel =>
            {
                await act(cancel);
                Show();
                return done;
            });
        }

        void Show()
        {
            if (slots == null) return;
            status.text = slots.IsOffline ? "Offline. You can play and save: it is kept here, and sent when you are online." : "";
            ShowTop();
            Ui.Clear(list);
            if (slots.Conflict != null) ShowConflict(slots.Conflict);
            if (slots.Lines.Count == 0 && (slots.IsListed || slots.IsOffline)) Ui.Label(list, "There are no saves yet.");
            foreach (var line in slots.Lines) ShowLine(line);
            if (slots.Deleted.Count == 0) return;
            Ui.Label(list, "Deleted", 20);
            foreach (var line in slots.Deleted) ShowDeleted(line);
        }

        void ShowTop()
        {
            Ui.Clear(top);
            var demo = Game as DemoGame;
            if (demo != null)
            {
                Ui.Label(top, "Now: " + demo.Label);
                buttons.Add(top, "Build a tower", () =>
                {
                    demo.Build();
                    Show();
                });
            }
            buttons.Add(top, "New save", () => Do("Saving…", slots.SaveNewAsync, "Saved."));
            buttons.Add(top, "Refresh", () => Do("Looking for your saves…", slots.RefreshAsync));
            if (slots.Lines.Any(line => line.State == SlotState.Waiting))
                buttons.Add(top, "Send now", () => Do("Sending…", slots.SendAsync, "Sent."));
            buttons.Add(top, "Sign out", SignOut);
        }

        void ShowLine(SlotLine line)
        {
            var row = Ui.Row(list);
            Describe(row, line, Wording.StateOf(line, slots.IsOffline));
            var canLoad = line.IsOnDevice || !slots.IsOffline;
            var loaded = "Loaded: " + Wording.NameOf(line) + ".";
            buttons.Add(row, "Load", () => Do("Loading…", cancel => slots.LoadAsync(line, cancel), loaded), canLoad);
            if (line.State == SlotState.Conflict) return;
            buttons.Add(row, "Overwrite", () => Do("Saving…", cancel => slots.OverwriteAsync(line, cancel), "Saved."));
            buttons.Add(row, "Delete", () => Do("Deleting…", cancel => slots.DeleteAsync(line, cancel), "Deleted. You can restore it below."));
        }

        void ShowDeleted(SlotLine line)
        {
            var row = Ui.Row(list);
            Describe(row, line, "");
            buttons.Add(row, "Restore", () => Do("Restoring…", cancel => slots.RestoreAsync(line.Slot, cancel), "Restored."));
        }

        void ShowConflict(SlotConflict conflict)
        {
            Ui.Label(list, "Two devices have saved to the same slot. Which save do you want to keep?", 20);
            var sides = Ui.Row(list);
            var mine = Ui.Column(sides);
            Ui.Label(mine, "This device");
            Describe(mine, conflict.Mine, "");
            Choice(mine, "Keep this one", "This device's save is kept.", conflict, ConflictChoice.Mine);
            var theirs = Ui.Column(sides);
            Ui.Label(theirs, "The other device");
            if (conflict.Theirs != null) Describe(theirs, conflict.Theirs, "");
            else Ui.Label(theirs, "The save was deleted there.");
            if (conflict.Theirs == null) Choice(theirs, "Delete it here, too", "Deleted.", conflict, ConflictChoice.Theirs);
            else Choice(theirs, "Keep that one", "The other device's save is kept: load it.", conflict, ConflictChoice.Theirs);
            if (conflict.Theirs != null) Choice(Ui.Row(list), "Keep both", "Both saves are kept.", conflict, ConflictChoice.Both);
        }

        void Choice(Transform parent, string text, string done, SlotConflict conflict, ConflictChoice choice)
        {
            buttons.Add(parent, text, () => Do("One moment…", cancel => slots.ChooseAsync(conflict, choice, cancel), done));
        }

        static void Describe(Transform parent, SlotLine line, string state)
        {
            var texts = Ui.Column(parent);
            Ui.Label(texts, Wording.NameOf(line), 18);
            var details = Wording.Details(line, DateTimeOffset.UtcNow);
            if (details.Length > 0) Ui.Label(texts, details, 14);
            if (state.Length > 0) Ui.Label(texts, state, 14);
        }

        string DeviceName()
        {
            var name = device.Length > 0 ? device : SystemInfo.deviceName;
            if (name.Length == 0 || name == SystemInfo.unsupportedIdentifier) name = SystemInfo.deviceModel;
            if (name.Length <= 32) return name;
            return name.Substring(0, char.IsHighSurrogate(name[31]) ? 31 : 32);
        }
    }
}
