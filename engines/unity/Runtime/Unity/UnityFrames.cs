using System;
using System.Collections;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using UnityEngine;

namespace EdgeGameStorage
{
    /// <summary>Waits frame by frame. The timers of .NET need threads, which a browser's player lacks.</summary>
    sealed class UnityFrames : MonoBehaviour
    {
        readonly HashSet<Wait> waits = new HashSet<Wait>();

        /// <summary>Without hide flags: the editor keeps objects that are not saved after the play mode has ended.</summary>
        public static UnityFrames Make()
        {
            var host = new GameObject("Edge Game Storage");
            DontDestroyOnLoad(host);
            return host.AddComponent<UnityFrames>();
        }

        /// <summary>
        /// Asks in each frame, and ends when the condition holds. Throws <see cref="ObjectDisposedException"/> when the frames end first:
        /// by <see cref="End"/>, with the game, or with the editor's play mode.
        /// </summary>
        public Task UntilAsync(Func<bool> condition, CancellationToken cancel)
        {
            var wait = new Wait(condition, cancel);
            if (this == null) wait.End();
            else
            {
                waits.Add(wait);
                StartCoroutine(Steps(wait));
            }
            return wait.Ended;
        }

        /// <summary>Ends in the next frame.</summary>
        public Task NextAsync()
        {
            var frame = Time.frameCount;
            return UntilAsync(() => Time.frameCount > frame, CancellationToken.None);
        }

        public void End()
        {
            if (this != null) Destroy(gameObject);
        }

        IEnumerator Steps(Wait wait)
        {
            while (!wait.Step()) yield return null;
            waits.Remove(wait);
        }

        /// <summary>Called by Unity, which takes no further step of the coroutines.</summary>
        void OnDestroy()
        {
            foreach (var wait in waits.ToList()) wait.End();
        }

        sealed class Wait
        {
            readonly TaskCompletionSource<bool> ended = new TaskCompletionSource<bool>();
            readonly Func<bool> condition;
            readonly CancellationToken cancel;

            public Wait(Func<bool> condition, CancellationToken cancel)
            {
                this.condition = condition;
                this.cancel = cancel;
            }

            public Task Ended
            {
                get { return ended.Task; }
            }

            /// <summary>Returns whether the wait has ended.</summary>
            public bool Step()
            {
                try
                {
                    if (cancel.IsCancellationRequested) ended.TrySetCanceled();
                    else if (condition()) ended.TrySetResult(true);
                }
                catch (Exception error)
                {
                    ended.TrySetException(error);
                }
                return ended.Task.IsCompleted;
            }

            public void End()
            {
                if (cancel.IsCancellationRequested) ended.TrySetCanceled();
                else ended.TrySetException(new ObjectDisposedException("UnityPlatform"));
            }
        }
    }
}
