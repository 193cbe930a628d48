using System;
using System.Collections.Generic;

namespace EdgeGameStorage
{
    /// <summary>
    /// The progress of an upload: the sum over its parts, which several threads may tell. One report at a time is given, and the last
    /// one is of the last sum.
    /// </summary>
    sealed class SentBytes
    {
        readonly object gate = new object();
        readonly Dictionary<long, long> parts = new Dictionary<long, long>();
        readonly IProgress<UploadProgress> progress;
        readonly string uploadId;
        readonly long size;
        long sum;
        bool isReporting;
        bool isOutdated;

        public SentBytes(IProgress<UploadProgress> progress, string uploadId, long size)
        {
            this.progress = progress;
            this.uploadId = uploadId;
            this.size = size;
        }

        /// <summary>Begins with these bytes, which were sent before. Those of these parts may be sent again.</summary>
        public void Begin(long bytes, IEnumerable<KeyValuePair<long, long>> again = null)
        {
            lock (gate)
            {
                parts.Clear();
                if (again != null)
                    foreach (var part in again) parts[part.Key] = part.Value;
                sum = bytes;
            }
            Report();
        }

        /// <summary>Tells how many bytes of a part have been sent.</summary>
        public void Tell(long part, long bytes)
        {
            lock (gate)
            {
                long before;
                parts.TryGetValue(part, out before);
                parts[part] = bytes;
                sum += bytes - before;
            }
            Report();
        }

        /// <summary>Takes what a request says of a part.</summary>
        public IProgress<long> Of(long part)
        {
            return new Part(this, part);
        }

        void Report()
        {
            if (progress == null) return;
            for (;;)
            {
                long sent;
                lock (gate)
                {
                    isOutdated = isReporting;
                    if (isReporting) return;
                    isReporting = true;
                    sent = sum;
                }
                try
                {
                    progress.Report(new UploadProgress(uploadId, sent, size));
                }
                finally
                {
                    lock (gate) isReporting = false;
                }
                lock (gate)
                    if (!isOutdated) return;
            }
        }

        sealed class Part : IProgress<long>
        {
            readonly SentBytes all;
            readonly long number;

            public Part(SentBytes all, long number)
            {
                this.all = all;
                this.number = number;
            }

            public void Report(long bytes)
            {
                all.Tell(number, bytes);
            }
        }
    }
}
