using System;
using System.Collections.Generic;
using System.Linq;

namespace EdgeGameStorage
{
    /// <summary>
    /// The turns of each store, which the objects of this process have in common. Not a ConditionalWeakTable: IL2CPP and Unity's Mono have
    /// answered with the value of another key, or crashed.
    /// </summary>
    static class StoreTurns
    {
        static readonly List<Known> Stores = new List<Known>();

        public static Turns Of(ISaveStore store)
        {
            lock (Stores)
            {
                Stores.RemoveAll(known => known.Store == null);
                var found = Stores.FirstOrDefault(known => ReferenceEquals(known.Store, store));
                if (found == null) Stores.Add(found = new Known(store));
                return found.Turns;
            }
        }

        sealed class Known
        {
            readonly WeakReference store;

            public Known(ISaveStore store)
            {
                this.store = new WeakReference(store);
            }

            /// <summary>Null when nobody uses it any more.</summary>
            public object Store
            {
                get { return store.Target; }
            }

            public Turns Turns { get; } = new Turns();
        }
    }
}
