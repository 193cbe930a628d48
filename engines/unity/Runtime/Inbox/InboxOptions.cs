using System;

namespace EdgeGameStorage
{
    /// <summary>The options of <see cref="GameStorage.Inbox"/>: <see cref="GameStorageOptions.Inbox"/>.</summary>
    public sealed class InboxOptions
    {
        /// <summary>How many of the newest notifications are loaded at least. Default: 100. <c>int.MaxValue</c>: all.</summary>
        public int Limit { get; set; } = 100;

        /// <summary>The most of the first delay between attempts to connect, which doubles with each failure. Default: 1 s.</summary>
        public TimeSpan MinDelay { get; set; } = TimeSpan.FromSeconds(1);

        /// <summary>The most of every delay between attempts. Default: 30 s. A <c>Retry-After</c> of the service is added.</summary>
        public TimeSpan MaxDelay { get; set; } = TimeSpan.FromSeconds(30);

        /// <summary>A ping is sent after this long without a message. Default: 30 s.</summary>
        public TimeSpan PingInterval { get; set; } = TimeSpan.FromSeconds(30);

        /// <summary>The time limit of an answer to a ping, and of opening the socket. Default: 10 s.</summary>
        public TimeSpan PingTimeout { get; set; } = TimeSpan.FromSeconds(10);
    }
}
