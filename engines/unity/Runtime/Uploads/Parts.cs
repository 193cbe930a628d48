using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.ExceptionServices;
using System.Threading;
using System.Threading.Tasks;

namespace EdgeGameStorage
{
    /// <summary>Sends parts of an upload, several at a time, and records them. A part whose PUT fails is sent again.</summary>
    sealed class Parts
    {
        readonly object gate = new object();
        readonly Transport transport;
        readonly Multipart multipart;
        readonly UploadContent content;
        readonly SentBytes sent;
        readonly int parallel;
        readonly CancellationToken cancel;
        readonly CancellationTokenSource failed;
        readonly PartRequests requests;
        readonly Queue<long> missing;
        readonly Queue<long> compared;
        readonly Dictionary<long, UploadedPart> known;
        readonly IDictionary<long, UploadedPart> landed;
        readonly HashSet<long> lost = new HashSet<long>();
        int arrived;
        Exception failure;

        Parts(
            GameStorage storage, Transport transport, Upload upload, IEnumerable<long> numbers, IEnumerable<UploadedPart> recorded,
            IDictionary<long, UploadedPart> landed, UploadContent content, SentBytes sent, int parallel, CancellationToken cancel,
            CancellationTokenSource failed)
        {
            this.transport = transport;
            multipart = upload.Multipart;
            this.content = content;
            this.sent = sent;
            this.parallel = parallel;
            this.cancel = cancel;
            this.failed = failed;
            this.landed = landed;
            known = recorded.Where(part => part.ChecksumSha256 != null).ToDictionary(part => part.PartNumber);
            missing = new Queue<long>(numbers.Where(number => !known.ContainsKey(number)));
            compared = new Queue<long>(numbers.Where(known.ContainsKey));
            requests = new PartRequests(storage, transport.Platform, upload.Id, Missing, Fail, failed.Token);
        }

        /// <summary>The numbers of all parts.</summary>
        public static IEnumerable<long> AllOf(Multipart multipart)
        {
            for (long number = 1; number <= multipart.PartCount; number++) yield return number;
        }

        /// <summary>
        /// Sends the parts with these numbers, and adds them to those that have <paramref name="landed"/>. A part that is among the
        /// <paramref name="recorded"/> ones is sent only if its bytes differ, or nothing says which bytes it has. Returns the numbers of
        /// those that were sent more than once. Throws <see cref="StorageException"/> when one can't be sent or recorded.
        /// </summary>
        public static async Task<List<long>> SendAsync(
            GameStorage storage, Transport transport, Upload upload, IEnumerable<long> numbers, IEnumerable<UploadedPart> recorded,
            IDictionary<long, UploadedPart> landed, UploadContent content, SentBytes sent, int parallel, CancellationToken cancel)
        {
            // A part that fails for good cancels the others.
            using (var failed = CancellationTokenSource.CreateLinkedTokenSource(cancel))
                return await new Parts(storage, transport, upload, numbers, recorded, landed, content, sent, parallel, cancel, failed).SendAsync();
        }

        async Task<List<long>> SendAsync()
        {
            sent.Begin(content.Size - missing.Sum(number => LengthOf(number)), compared.ToDictionary(number => number, LengthOf));
            var senders = new List<Task>();
            for (var sender = 0; sender < parallel; sender++) senders.Add(SendNextAsync());
            await Task.WhenAll(senders);
            cancel.ThrowIfCancellationRequested();
            if (failure != null) ExceptionDispatchInfo.Capture(failure).Throw();
            try
            {
                await requests.FinishAsync();
            }
            finally
            {
                failed.Cancel();
            }
            lock (gate) return lost.ToList();
        }

        /// <summary>Sends part after part. A failure is kept until the others have ended, because they read the content, too.</summary>
        async Task SendNextAsync()
        {
            try
            {
                for (;;)
                {
                    long number;
                    lock (gate)
                    {
                        if (missing.Count + compared.Count == 0) return;
                        number = (missing.Count > 0 ? missing : compared).Dequeue();
                    }
                    await SendPartAsync(number);
                }
            }
            catch (Exception error)
            {
                Fail(error);
            }
        }

        async Task SendPartAsync(long number)
        {
            var length = LengthOf(number);
            var start = (number - 1) * multipart.PartSize;
            var checksum = await content.ChecksumAsync(start, length, failed.Token);
            UploadedPart part;
            lock (gate)
                if (landed.TryGetValue(number, out part) && part.ChecksumSha256 != checksum) throw UploadContent.Changed();
            if (known.TryGetValue(number, out part) && part.ChecksumSha256 == checksum)
            {
                Land(part);
                return;
            }
            var piece = content.Piece(start, length);
            var failures = 0;
            var arrivedBefore = Arrived(0);
            Func<Task<string>> attempt = async () =>
            {
                var put = await requests.UrlOfAsync(number);
                var tag = await put.SendAsync(transport, piece, sent.Of(number), failed.Token);
                content.ThrowIfChanged();
                return tag;
            };
            var etag = await Backoff.WithRetriesAsync(transport, attempt, error =>
            {
                content.ThrowIfChanged();
                if (!Transfer.IsLost(error)) return null;
                // The URL may have expired: storage can close the connection before its answer is read.
                requests.ForgetUrl(number);
                lock (gate) lost.Add(number);
                // A part that arrives resets the count.
                failures = Arrived(0) == arrivedBefore ? failures + 1 : 1;
                arrivedBefore = Arrived(0);
                sent.Tell(number, 0);
                return Backoff.Delay(transport.Retry, failures);
            }, failed.Token);
            Arrived(1);
            sent.Tell(number, length);
            part = new UploadedPart { PartNumber = number, ETag = etag, ChecksumSha256 = checksum };
            Land(part);
            requests.Record(part);
        }

        void Land(UploadedPart part)
        {
            lock (gate) landed[part.PartNumber] = part;
        }

        /// <summary>Counts parts that have arrived.</summary>
        int Arrived(int more)
        {
            lock (gate) return arrived += more;
        }

        void Fail(Exception error)
        {
            lock (gate)
            {
                if (failure != null) return;
                failure = error;
            }
            try
            {
                failed.Cancel();
            }
            catch (ObjectDisposedException)
            {
                // The parts have been sent.
            }
        }

        IEnumerable<long> Missing()
        {
            lock (gate) return missing.ToArray();
        }

        long LengthOf(long number)
        {
            return Math.Min(multipart.PartSize, content.Size - (number - 1) * multipart.PartSize);
        }
    }
}
