#if UNITY_WEBGL
using System.IO;
using System.Runtime.InteropServices;
using System.Threading;
using System.Threading.Tasks;

namespace EdgeGameStorage
{
    /// <summary>A store in IndexedDB (WebGL/SaveStore.jslib). Each frame asks whether a request has ended.</summary>
    sealed class BrowserSaveStore : ISaveStore
    {
        const int UnderWay = 0;
        const int Failed = 2;

        readonly UnityFrames frames = UnityFrames.Make();
        readonly string database;

        public BrowserSaveStore(string name)
        {
            database = "edge-game-storage-" + name;
        }

        public async Task<byte[]> GetAsync(string key)
        {
            var id = EdgeGameStorageStoreGet(database, key);
            try
            {
                await EndAsync(id);
                var length = EdgeGameStorageStoreLength(id);
                if (length < 0) return null;
                var value = new byte[length];
                if (length > 0) EdgeGameStorageStoreCopy(id, value);
                return value;
            }
            finally
            {
                EdgeGameStorageStoreForget(id);
            }
        }

        public Task SetAsync(string key, byte[] value)
        {
            return DoneAsync(EdgeGameStorageStoreSet(database, key, value, value.Length));
        }

        public Task DeleteAsync(string key)
        {
            return DoneAsync(EdgeGameStorageStoreDelete(database, key));
        }

        async Task DoneAsync(int id)
        {
            try
            {
                await EndAsync(id);
            }
            finally
            {
                EdgeGameStorageStoreForget(id);
            }
        }

        async Task EndAsync(int id)
        {
            await frames.UntilAsync(() => EdgeGameStorageStoreState(id) != UnderWay, CancellationToken.None);
            if (EdgeGameStorageStoreState(id) == Failed) throw new IOException("IndexedDB: " + EdgeGameStorageStoreError(id));
        }

        [DllImport("__Internal")]
        static extern int EdgeGameStorageStoreGet(string name, string key);

        [DllImport("__Internal")]
        static extern int EdgeGameStorageStoreSet(string name, string key, byte[] value, int length);

        [DllImport("__Internal")]
        static extern int EdgeGameStorageStoreDelete(string name, string key);

        [DllImport("__Internal")]
        static extern int EdgeGameStorageStoreState(int id);

        [DllImport("__Internal")]
        static extern string EdgeGameStorageStoreError(int id);

        [DllImport("__Internal")]
        static extern int EdgeGameStorageStoreLength(int id);

        [DllImport("__Internal")]
        static extern void EdgeGameStorageStoreCopy(int id, byte[] target);

        [DllImport("__Internal")]
        static extern void EdgeGameStorageStoreForget(int id);
    }
}
#endif
