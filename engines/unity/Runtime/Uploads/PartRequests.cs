using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace EdgeGameStorage
{
    /// <summary>Fetches the URLs of parts and records uploaded parts, batched into one request at a time.</summary>
    sealed class PartRequests
    {
        /// <summary>How many URLs are requested ahead, beyond those that are needed now.</summary>
        const int Ahead = 16;

        /// <summary>The shortest time between two recordings: the rate limit is 120 writes a minute for all requests of a user.</summary>
        static readonly TimeSpan RecordInterval = TimeSpan.FromSeconds(1);

        readonly object gate = new object();
        readonly GameStorage storage;
        readonly IPlatform platform;
        readonly string uploadId;
        readonly Func<IEnumerable<long>> missing;
        readonly Action<Exception> fail;
        readonly CancellationToken cancel;
        readonly Dictionary<long, Put> urls = new Dictionary<long, Put>();
        readonly HashSet<long> wanted = new HashSet<long>();
        List<UploadedPart> uploaded = new List<UploadedPart>();
        Task exchange;
        Task recording;
        TimeSpan? recordedAt;

        /// <param name="storage">Sends the requests.</param>
        /// <param name="platform">Waits between two recordings.</param>
        /// <param name="uploadId">The upload of the parts.</param>
        /// <param name="missing">The parts that have not been started, in order.</param>
        /// <param name="fail">Called when parts cannot be recorded.</param>
        /// <param name="cancel">Ends the requests.</param>
        public PartRequests(
            GameStorage storage,
            IPlatform platform,
            string uploadId,
            Func<IEnumerable<long>> missing,
            Action<Exception> fail,
            CancellationToken cancel)
        {
            this.storage = storage;
            this.platform = platform;
            this.uploadId = uploadId;
            this.missing = missing;
            this.fail = fail;
            this.cancel = cancel;
        }

        /// <summary>The URL and headers to send a part with.</summary>
        public async Task<Put> UrlOfAsync(long number)
        {
            for (;;)
            {
                lock (gate)
                {
                    Put url;
                    if (urls.TryGetValue(number, out url)) return url;
                    wanted.Add(number);
                }
                await ExchangedAsync();
            }
        }

        /// <summary>Drops a URL, so that <see cref="UrlOfAsync"/> requests a new one.</summary>
        public void ForgetUrl(long number)
        {
            lock (gate) urls.Remove(number);
        }

        /// <summary>Records a part with the next request.</summary>
        public void Record(UploadedPart part)
        {
            lock (gate)
            {
                uploaded.Add(part);
                if (recording == null) recording = RecordSoonAsync();
            }
        }

        /// <summary>Waits until every uploaded part is recorded.</summary>
        public async Task FinishAsync()
        {
            for (;;)
            {
                lock (gate)
                    if (exchange == null && uploaded.Count == 0) return;
                await ExchangedAsync();
            }
        }

        async Task RecordSoonAsync()
        {
            try
            {
                for (;;)
                {
                    await Task.Yield(); // Whoever begins this holds the lock.
                    TimeSpan left;
                    lock (gate)
                    {
                        left = recordedAt == null ? TimeSpan.Zero : recordedAt.Value + RecordInterval - platform.Elapsed;
                        if (left <= TimeSpan.Zero) recording = null;
                    }
                    if (left <= TimeSpan.Zero) break;
                    await platform.DelayAsync(left, cancel);
                }
                lock (gate)
                    if (uploaded.Count == 0) return; // A request for URLs has taken them along.
                await ExchangedAsync();
            }
            catch (Exception error)
            {
                fail(error);
            }
        }

        Task ExchangedAsync()
        {
            lock (gate)
            {
                if (exchange == null) exchange = ExchangeAsync();
                return exchange;
            }
        }

        async Task ExchangeAsync()
        {
            await Task.Yield(); // Collects the calls of this turn into one request, and whoever begins this holds the lock.
            var body = Next();
            try
            {
                var answer = await storage.PresignPartsAsync(uploadId, body, cancel);
                lock (gate)
                    foreach (var part in answer.Parts) urls[part.PartNumber] = new Put(part.Url, part.Headers);
            }
            catch
            {
                lock (gate) uploaded.InsertRange(0, body.Uploaded);
                throw;
            }
            finally
            {
                lock (gate) exchange = null;
            }
        }

        PresignParts Next()
        {
            var ahead = missing().Take(Ahead).ToList();
            lock (gate)
            {
                var numbers = wanted.Count == 0 ? new long[0] : wanted.Union(ahead.Where(number => !urls.ContainsKey(number))).ToArray();
                var body = new PresignParts { PartNumbers = numbers, Uploaded = uploaded };
                if (uploaded.Count > 0) recordedAt = platform.Elapsed;
                wanted.Clear();
                uploaded = new List<UploadedPart>();
                return body;
            }
        }
    }
}
