using System;
using System.Collections.Generic;
using System.Threading.Tasks;

namespace EdgeGameStorage
{
    /// <summary>A store in memory, for tests. It ends with the game.</summary>
    public sealed class MemorySaveStore : ISaveStore
    {
        readonly Dictionary<string, byte[]> values = new Dictionary<string, byte[]>(StringComparer.Ordinal);

        /// <inheritdoc/>
        public Task<byte[]> GetAsync(string key)
        {
            byte[] value;
            lock (values) return Task.FromResult(values.TryGetValue(key, out value) ? value : null);
        }

        /// <inheritdoc/>
        public Task SetAsync(string key, byte[] value)
        {
            lock (values) values[key] = value;
            return Task.FromResult(true);
        }

        /// <inheritdoc/>
        public Task DeleteAsync(string key)
        {
            lock (values) values.Remove(key);
            return Task.FromResult(true);
        }
    }
}
