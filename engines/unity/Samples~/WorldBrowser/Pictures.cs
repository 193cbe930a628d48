using System;
using System.Collections;
using System.Collections.Generic;
using System.Linq;
using UnityEngine;
using UnityEngine.Networking;
using UnityEngine.UI;

namespace EdgeGameStorage.Samples
{
    /// <summary>
    /// The pictures of worlds. Their addresses need no token. A picture that can't be loaded stays grey: its world may have been blocked
    /// since, or it is a WebP, which Unity does not read; one that is larger than this shows is not even loaded. Unity never frees a texture by itself while the game runs, so this does.
    /// </summary>
    sealed class Pictures : IDisposable
    {
        /// <summary>What a picture may unpack to: 8 MiB, of which a page has many.</summary>
        const long MaxPixels = 2097152;

        readonly MonoBehaviour host;
        readonly Dictionary<string, Texture2D> loaded = new Dictionary<string, Texture2D>();
        readonly Dictionary<string, List<RawImage>> waiting = new Dictionary<string, List<RawImage>>();
        readonly List<UnityWebRequest> requests = new List<UnityWebRequest>();
        bool isDisposed;

        /// <param name="host">Runs the coroutines.</param>
        public Pictures(MonoBehaviour host)
        {
            this.host = host;
        }

        /// <summary>Shows a picture as soon as it is there.</summary>
        /// <param name="url">Null: none.</param>
        /// <param name="width">In pixels, as the record of the world says.</param>
        /// <param name="height">In pixels.</param>
        /// <param name="target">Where to show it.</param>
        public void Show(string url, long? width, long? height, RawImage target)
        {
            if (url == null || isDisposed || !Fits(width, height)) return;
            Texture2D texture;
            List<RawImage> others;
            if (loaded.TryGetValue(url, out texture)) Set(target, texture);
            else if (waiting.TryGetValue(url, out others)) others.Add(target);
            else
            {
                waiting.Add(url, new List<RawImage> { target });
                host.StartCoroutine(Load(url));
            }
        }

        /// <summary>Frees all pictures except these.</summary>
        public void Keep(IEnumerable<string> urls)
        {
            foreach (var url in loaded.Keys.Except(urls).ToList())
            {
                UnityEngine.Object.Destroy(loaded[url]);
                loaded.Remove(url);
            }
        }

        public void Dispose()
        {
            isDisposed = true;
            // A coroutine that ends with its object leaves its request open.
            foreach (var request in requests) request.Dispose();
            requests.Clear();
            Keep(new string[0]);
        }

        static bool Fits(long? width, long? height)
        {
            return width <= SystemInfo.maxTextureSize && height <= SystemInfo.maxTextureSize && width * height <= MaxPixels;
        }

        IEnumerator Load(string url)
        {
            var request = UnityWebRequestTexture.GetTexture(url, true);
            requests.Add(request);
            yield return request.SendWebRequest();
            if (isDisposed) yield break;
            if (request.result == UnityWebRequest.Result.Success) Arrived(url, DownloadHandlerTexture.GetContent(request));
            waiting.Remove(url);
            requests.Remove(request);
            request.Dispose();
        }

        void Arrived(string url, Texture2D texture)
        {
            if (texture == null) return;
            loaded.Add(url, texture);
            foreach (var target in waiting[url]) Set(target, texture);
        }

        static void Set(RawImage target, Texture2D texture)
        {
            if (target == null) return;
            target.texture = texture;
            target.color = Color.white;
        }
    }
}
