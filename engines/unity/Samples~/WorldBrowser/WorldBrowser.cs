using System;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using UnityEngine;
using UnityEngine.UI;

namespace EdgeGameStorage.Samples
{
    /// <summary>A browser of the public worlds. Add it to an object of an empty scene, and press Play.</summary>
    [AddComponentMenu("Edge Game Storage/World Browser")]
    public sealed class WorldBrowser : MonoBehaviour
    {
        [SerializeField]
        string url = "http://localhost:8787";

        [SerializeField, Tooltip("For development: npm run token -- ada. Keep no token in a scene that you ship.")]
        string token = "";

        CancellationTokenSource closing;
        GameStorage storage;
        WorldList worlds;
        Activity activity;
        Buttons buttons;
        Pictures pictures;
        WorldPage page;
        Transform screen;
        Text message;
        Transform list;
        Transform cards;
        InputField search;
        InputField tags;
        AssetSort sort = AssetSort.Published;

        /// <summary>Told the path of the file when a world is on this device: load it into your game.</summary>
        public event Action<string> WorldReady;

        void Start()
        {
            screen = Ui.Screen("World browser");
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
            worlds = new WorldList(storage);
            pictures = new Pictures(this);
            Ui.Clear(screen);
            message = Ui.Label(screen, "");
            list = Ui.Column(screen, true);
            BuildList();
            var downloads = new WorldDownloads(storage, Path.Combine(Application.persistentDataPath, "worlds"));
            page = new WorldPage(storage, downloads, activity, pictures, screen);
            page.Closed += () => list.gameObject.SetActive(true);
            page.ListAnew = FindAsync;
            page.Ready += path =>
            {
                if (WorldReady != null) WorldReady(path);
            };
            activity.Changed += () => message.text = activity.Message;
            worlds.Changed += ShowCards;
            Find();
        }

        void SignOut()
        {
            End();
            Ui.Clear(screen);
            new SignInForm(screen, "Worlds", url, "", SignedIn);
        }

        /// <summary>Cancels what is under way, and frees the pictures.</summary>
        void End()
        {
            if (storage == null) return;
            closing.Cancel();
            pictures.Dispose();
            storage.Dispose();
            storage = null;
        }

        void BuildList()
        {
            var filters = Ui.Row(list);
            search = Ui.Field(filters, "Name of a world", "");
            tags = Ui.Field(filters, "Tags, like maze, horror", "");
            buttons.Add(filters, "Search", Find);
            var orders = Ui.Row(list);
            AddOrder(orders, "New", AssetSort.Published);
            AddOrder(orders, "Updated", AssetSort.Updated);
            AddOrder(orders, "Popular", AssetSort.Popular);
            buttons.Add(orders, "Sign out", SignOut);
            cards = Ui.List(list);
        }

        void AddOrder(Transform parent, string text, AssetSort order)
        {
            buttons.Add(parent, text, () =>
            {
                sort = order;
                search.text = ""; // A search has an order of its own.
                Find();
            });
        }

        void Find()
        {
            Do("Looking for worlds…", FindAsync);
        }

        Task FindAsync(CancellationToken cancel)
        {
            return worlds.FindAsync(search.text, tags.text, sort, cancel);
        }

        /// <summary>Starts an act. It ends by itself, reports its error, and is canceled with the browser.</summary>
        void Do(string doing, Func<CancellationToken, Task> act)
        {
            activity.Begin(doing, async cancel =>
            {
                await act(cancel);
                return "";
            });
        }

        void ShowCards()
        {
            if (storage == null) return;
            Ui.Clear(cards);
            pictures.Keep(worlds.Worlds.Select(world => world.PreviewUrl).Where(address => address != null));
            if (worlds.Worlds.Count == 0)
                Ui.Label(cards, worlds.IsNarrowed ? "No world matches. Try fewer tags, or another name." : "There are no worlds yet.");
            foreach (var world in worlds.Worlds) ShowCard(world);
            if (worlds.HasMore) buttons.Add(Ui.Row(cards), "Load more", () => Do("Looking for more…", worlds.MoreAsync));
        }

        void ShowCard(GameAssetSummary world)
        {
            var card = Ui.Row(cards);
            pictures.Show(world.PreviewUrl, world.PreviewWidth, world.PreviewHeight, Ui.Picture(card, 160, 90));
            var texts = Ui.Column(card);
            Ui.Label(texts, world.Name, 18);
            if (world.Tags.Count > 0) Ui.Label(texts, string.Join(", ", world.Tags), 14);
            Ui.Label(texts, world.Favorites == 1 ? "1 player likes it" : world.Favorites + " players like it", 14);
            buttons.Add(card, "Open", () => Do("Opening…", cancel => OpenAsync(world.Id, cancel)));
        }

        async Task OpenAsync(string id, CancellationToken cancel)
        {
            await page.OpenAsync(id, cancel);
            list.gameObject.SetActive(false);
        }
    }
}
