using System.Collections.Generic;
using System.IO;
using UnityEngine;

namespace EdgeGameStorage
{
    /// <summary>The store of saves that fits the device on which the game runs.</summary>
    public static class UnitySaveStore
    {
#if UNITY_WEBGL && !UNITY_EDITOR
        /// <summary>Steps of one store exclude each other, so each name has one.</summary>
        static readonly Dictionary<string, ISaveStore> Stores = new Dictionary<string, ISaveStore>();

#endif
        /// <summary>
        /// A folder of <c>Application.persistentDataPath</c>. In a browser IndexedDB: what a game writes to files is in the page's memory there,
        /// and gone with the page unless the page's template asks Unity to copy it. No lock reaches from one tab to another: let a game be open
        /// once. Call this on the main thread.
        /// </summary>
        /// <param name="name">Tells the stores of a game apart.</param>
        /// <example><code>var saves = storage.Saves.Offline(UnitySaveStore.Open());</code></example>
        public static ISaveStore Open(string name = "saves")
        {
#if UNITY_WEBGL && !UNITY_EDITOR
            ISaveStore store;
            if (!Stores.TryGetValue(name, out store)) Stores[name] = store = new BrowserSaveStore(name);
            return store;
#else
            return new FileSaveStore(Path.Combine(Application.persistentDataPath, name));
#endif
        }
    }
}
