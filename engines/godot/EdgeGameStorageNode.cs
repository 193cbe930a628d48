using System;
using System.Threading;
using Godot;

namespace EdgeGameStorage
{
    /// <summary>
    /// The client as a node of Godot 4, for example an autoload. It opens the client when that is used first, and closes it when the node
    /// leaves the tree. Use it on the main thread: methods return there, because Godot gives that thread a SynchronizationContext.
    /// </summary>
    [GlobalClass]
    public partial class EdgeGameStorageNode : Node
    {
        CancellationTokenSource leaving;
        GameStorage storage;
        OfflineSaves saves;

        /// <summary>The address of the service without <c>/v1</c>.</summary>
        [Export]
        public string Url { get; set; } = "http://localhost:8787";

        /// <summary>Where saves are kept on this device. Nothing else may be in this folder.</summary>
        [Export]
        public string SavesFolder { get; set; } = "user://saves";

        /// <summary>Returns the player's token. Set it before the client is used.</summary>
        public TokenProvider Token { get; set; }

        /// <summary>The client. Throws <see cref="InvalidOperationException"/> when there is no <see cref="Token"/>, or outside of the tree.</summary>
        public GameStorage Storage
        {
            get
            {
                if (storage != null) return storage;
                if (leaving == null) throw new InvalidOperationException("Add the node to the tree before you use it.");
                if (Token == null) throw new InvalidOperationException("Set Token before you use the node.");
                storage = new GameStorage(Url, (renew, cancel) => Token(renew, cancel));
                return storage;
            }
        }

        /// <summary>The saves of the player, which wait on this device while there is no network. Throws as <see cref="Storage"/>.</summary>
        public OfflineSaves Saves
        {
            get
            {
                if (saves != null) return saves;
                saves = Storage.Saves.Offline(new FileSaveStore(ProjectSettings.GlobalizePath(SavesFolder)));
                saves.Failed += Warn;
                return saves;
            }
        }

        /// <summary>Canceled when the node leaves the tree: give it to each call, so that none goes on without its scene.</summary>
        public CancellationToken Leaving
        {
            get { return leaving == null ? new CancellationToken(true) : leaving.Token; }
        }

        public override void _EnterTree()
        {
            leaving = new CancellationTokenSource();
        }

        /// <summary>What waits to be sent stays on this device, and is sent when the node is used again.</summary>
        public override void _ExitTree()
        {
            if (leaving != null) leaving.Cancel();
            if (storage != null) storage.Dispose();
            leaving = null;
            storage = null;
            saves = null;
        }

        /// <summary>A save could not be sent. It is not lost, so this is for the developer.</summary>
        static void Warn(Exception error)
        {
            var refusal = error as StorageException;
            GD.PushWarning(refusal == null ? error.ToString() : refusal.Code + ": " + refusal.Message + " " + refusal.Advice);
        }
    }
}
