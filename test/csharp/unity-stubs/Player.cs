using System;
using System.Collections;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;
using System.Threading.Tasks;

namespace UnityEngine
{
    /// <summary>
    /// A player without an engine: one thread that runs frames, as Unity's does. Continuations that were posted since the last frame run
    /// in the next, then each coroutine takes a step. So code that blocks the main thread, or needs another one, hangs.
    /// </summary>
    public static class Player
    {
        static readonly List<IEnumerator> coroutines = new List<IEnumerator>();
        static readonly Stopwatch watch = Stopwatch.StartNew();
        static Thread main;

        public static double Seconds
        {
            get { return watch.Elapsed.TotalSeconds; }
        }

        public static int Frame { get; private set; }

        public static bool IsRunning { get; set; }

        /// <summary>How many <c>async void</c> methods have begun.</summary>
        public static int BegunMethods { get; private set; }

        /// <summary>How many of them have ended.</summary>
        public static int EndedMethods { get; private set; }

        /// <summary>Runs frames until the game has ended, and throws what it has thrown.</summary>
        public static void Run(Func<Task> game)
        {
            main = Thread.CurrentThread;
            var context = new MainThread();
            SynchronizationContext.SetSynchronizationContext(context);
            Frame = 0;
            IsRunning = true;
            var ended = game();
            while (!ended.IsCompleted)
            {
                Frame += 1;
                context.RunPosted();
                foreach (var coroutine in coroutines.ToArray())
                    if (!IsWaiting(coroutine) && !coroutine.MoveNext()) coroutines.Remove(coroutine);
                Thread.Sleep(4);
            }
            SynchronizationContext.SetSynchronizationContext(null);
            IsRunning = false;
            ended.GetAwaiter().GetResult();
        }

        /// <summary>Throws when it is not called on the main thread, as most of Unity's API does.</summary>
        public static void RequireMainThread()
        {
            if (Thread.CurrentThread != main) throw new InvalidOperationException("This can only be called from the main thread.");
        }

        public static void Start(IEnumerator coroutine)
        {
            RequireMainThread();
            if (coroutine.MoveNext()) coroutines.Add(coroutine);
        }

        /// <summary>Whether a coroutine has yielded an operation that is under way.</summary>
        static bool IsWaiting(IEnumerator coroutine)
        {
            var operation = coroutine.Current as AsyncOperation;
            return operation != null && !operation.isDone;
        }

        sealed class MainThread : SynchronizationContext
        {
            readonly Queue<Action> posted = new Queue<Action>();

            public override void Post(SendOrPostCallback callback, object state)
            {
                lock (posted) posted.Enqueue(() => callback(state));
            }

            public override void OperationStarted()
            {
                BegunMethods += 1;
            }

            public override void OperationCompleted()
            {
                EndedMethods += 1;
            }

            public void RunPosted()
            {
                int count;
                lock (posted) count = posted.Count;
                for (; count > 0; count--)
                {
                    Action next;
                    lock (posted) next = posted.Dequeue();
                    next();
                }
            }
        }
    }
}
