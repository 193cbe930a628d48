using System;

namespace EdgeGameStorage
{
    /// <summary>The options of <see cref="Saves.Offline"/>.</summary>
    public sealed class OfflineOptions
    {
        /// <summary>The id of the user. Default: that of the token, which then has to be there without a network, too.</summary>
        public string User { get; set; }

        /// <summary>The most of the first delay between attempts, which doubles with each failure. Default: 1 s.</summary>
        public TimeSpan MinDelay { get; set; } = TimeSpan.FromSeconds(1);

        /// <summary>The most of every delay between attempts. Default: 30 s. A <c>Retry-After</c> of the service is added.</summary>
        public TimeSpan MaxDelay { get; set; } = TimeSpan.FromSeconds(30);
    }

    /// <summary>The options of <see cref="OfflineSaves.WriteAsync(string, byte[], OfflineWriteOptions, System.Threading.CancellationToken)"/>.</summary>
    public sealed class OfflineWriteOptions : SaveDetails
    {
        /// <summary>Whether the service keeps the bytes of a conflict as a revision that is not current. Default: false.</summary>
        public bool Keep { get; set; }
    }
}
