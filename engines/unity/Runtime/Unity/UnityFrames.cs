using System;
using System.Collections;
using System.Threading;
using System.Threading.Tasks;
using UnityEngine;

namespace EdgeGameStorage
{
    /// <summary>Waits frame by frame. The timers of .NET need threads, which a browser's player lacks.</summary>
    sealed class UnityFrames : MonoBehaviour
    {
        public static UnityFrames Make()
        {
            var host = new GameObject("Edge Game Storage") { hideFlags = HideFlags.HideAndDontSave };
            DontDestroyOnLoad(host);
            return host.AddComponent<UnityFrames>();
        }

        /// <summary>Asks in each frame, and ends when the condition holds.</summary>
        public Task Until(Func<bool> condition, CancellationToken cancel)
        {
            var ended = new TaskCompletionSource<bool>();
            // A coroutine of an object that is gone would never end.
            if (this == null) ended.SetCanceled();
            else StartCoroutine(Asked(condition, ended, cancel));
            return ended.Task;
        }

        /// <summary>Ends in the next frame.</summary>
        public Task Next()
        {
            var frame = Time.frameCount;
            return Until(() => Time.frameCount > frame, CancellationToken.None);
        }

        public void End()
        {
            if (this != null) Destroy(gameObject);
        }

        static IEnumerator Asked(Func<bool> condition, TaskCompletionSource<bool> ended, CancellationToken cancel)
        {
            while (!cancel.IsCancellationRequested)
            {
                bool holds;
                try
                {
                    holds = condition();
                }
                catch (Exception error)
                {
                    ended.TrySetException(error);
                    yield break;
                }
                if (holds)
                {
                    ended.TrySetResult(true);
                    yield break;
                }
                yield return null;
            }
            ended.TrySetCanceled();
        }
    }
}
