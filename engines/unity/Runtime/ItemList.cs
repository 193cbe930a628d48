using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace EdgeGameStorage
{
    /// <summary>
    /// A list of the service, which is read page by page as it is needed. C# 8 reads it by <c>await foreach</c>; C# 7, which lacks
    /// that, by <see cref="Reader.MoveNextAsync"/>. .NET Standard 2.0 has no IAsyncEnumerable, and none is needed for either.
    /// </summary>
    /// <example><code>
    /// var files = storage.ListFiles().GetAsyncEnumerator(cancel);
    /// while (await files.MoveNextAsync()) Show(files.Current.Name);
    /// </code></example>
    public sealed class ItemList<TPage, TItem>
    {
        readonly Func<TPage, CancellationToken, Task<TPage>> read;
        readonly Func<TPage, IReadOnlyList<TItem>> itemsOf;
        readonly Func<TPage, bool> hasNext;

        /// <param name="read">Reads the page after a page; the first after null.</param>
        /// <param name="itemsOf">The items of a page.</param>
        /// <param name="hasNext">Whether a page follows.</param>
        internal ItemList(
            Func<TPage, CancellationToken, Task<TPage>> read,
            Func<TPage, IReadOnlyList<TItem>> itemsOf,
            Func<TPage, bool> hasNext)
        {
            this.read = read;
            this.itemsOf = itemsOf;
            this.hasNext = hasNext;
        }

        /// <summary>
        /// Reads the first page, or the one at the cursor or offset that the list was given: the same page each time. For the next one, list again
        /// with its <c>NextCursor</c>.
        /// </summary>
        public Task<TPage> GetPageAsync(CancellationToken cancel = default(CancellationToken))
        {
            return read(default(TPage), cancel);
        }

        /// <summary>Reads all items into memory.</summary>
        public async Task<List<TItem>> ToListAsync(CancellationToken cancel = default(CancellationToken))
        {
            var all = new List<TItem>();
            var reader = GetAsyncEnumerator(cancel);
            while (await reader.MoveNextAsync()) all.Add(reader.Current);
            return all;
        }

        /// <summary>Reads item by item.</summary>
        public Reader GetAsyncEnumerator(CancellationToken cancel = default(CancellationToken))
        {
            return new Reader(this, cancel);
        }

        /// <summary>A position in a list.</summary>
        public sealed class Reader
        {
            readonly ItemList<TPage, TItem> list;
            readonly CancellationToken cancel;
            TPage page;
            IReadOnlyList<TItem> items = new TItem[0];
            bool isEnded;
            int next;

            internal Reader(ItemList<TPage, TItem> list, CancellationToken cancel)
            {
                this.list = list;
                this.cancel = cancel;
            }

            /// <summary>The item that the last <see cref="MoveNextAsync"/> has read.</summary>
            public TItem Current { get; private set; }

            /// <summary>Moves to the next item, and reads a page when that is needed. False: there are no more.</summary>
            public async Task<bool> MoveNextAsync()
            {
                while (next == items.Count)
                {
                    if (isEnded) return false;
                    page = await list.read(page, cancel);
                    items = list.itemsOf(page);
                    isEnded = !list.hasNext(page);
                    next = 0;
                }
                Current = items[next];
                next += 1;
                return true;
            }
        }
    }
}
