using System;

namespace EdgeGameStorage
{
    /// <summary>The options of a <see cref="GameStorage"/>. Each has a default.</summary>
    public sealed class GameStorageOptions
    {
        /// <summary>The longest time that the timers of .NET can wait for, rounded down.</summary>
        static readonly TimeSpan MostTimeout = TimeSpan.FromDays(24);

        /// <summary>The network, timers and processor to use. Whoever gives one disposes it. Default: those of Unity, or else of .NET (<see cref="DefaultPlatform"/>).</summary>
        public IPlatform Platform { get; set; }

        /// <summary>How often and how soon a request is repeated after no answer, 429 or 503.</summary>
        public RetryOptions Retry { get; set; } = new RetryOptions();

        /// <summary>
        /// The time limit of one attempt of a request. Content has a second more for each 16 KiB. Default: 30 seconds.
        /// <c>System.Threading.Timeout.InfiniteTimeSpan</c>: none.
        /// </summary>
        public TimeSpan Timeout { get; set; } = TimeSpan.FromSeconds(30);

        /// <summary>The options of <see cref="GameStorage.Inbox"/>.</summary>
        public InboxOptions Inbox { get; set; } = new InboxOptions();

        /// <summary>Told once for each operation that the service marks as deprecated (docs/requests.md#what-may-change-under-v1).</summary>
        public Action<string> OnDeprecated { get; set; }

        /// <summary>Throws <see cref="ArgumentException"/> for a timeout in which nothing can be answered.</summary>
        internal TimeSpan TimeoutOrMost
        {
            get
            {
                if (Timeout == System.Threading.Timeout.InfiniteTimeSpan || Timeout > MostTimeout) return MostTimeout;
                if (Timeout <= TimeSpan.Zero) throw new ArgumentException("Timeout is " + Timeout + ": give more than 0.", "options");
                return Timeout;
            }
        }
    }

    /// <summary>How a request is repeated: after a random delay of at most MinDelay, then of at most twice that, and so on.</summary>
    public sealed class RetryOptions
    {
        /// <summary>How often a request is sent at most; 1 disables repetitions. Default: 5.</summary>
        public int Attempts { get; set; } = 5;

        /// <summary>Default: 250 ms.</summary>
        public TimeSpan MinDelay { get; set; } = TimeSpan.FromMilliseconds(250);

        /// <summary>Default: 8 s. A <c>Retry-After</c> of the service is added.</summary>
        public TimeSpan MaxDelay { get; set; } = TimeSpan.FromSeconds(8);
    }

    /// <summary>The options of a method that creates an item.</summary>
    public sealed class CreationOptions
    {
        /// <summary>
        /// Identifies the creation for 24 hours: repeated with the same key, it answers the item that it created first. By default each
        /// call makes a key; set one when your game repeats the call itself, for example after a restart.
        /// </summary>
        public string IdempotencyKey { get; set; }

        /// <summary>As <see cref="ChangeOptions.IfMatch"/>, for an upload that replaces the content of a file. No other creation takes it.</summary>
        public string IfMatch
        {
            get { return ifMatch; }
            set { ifMatch = Request.Given(value); }
        }

        string ifMatch;
    }

    /// <summary>The options of a method that changes an item.</summary>
    public sealed class ChangeOptions
    {
        /// <summary>
        /// The ETag of the item when it was read. The change fails with <c>PRECONDITION_FAILED</c> when the item has changed since. Assigning
        /// null throws <see cref="System.ArgumentException"/>: records within others have no ETag, and the change would have no condition.
        /// </summary>
        public string IfMatch
        {
            get { return ifMatch; }
            set { ifMatch = Request.Given(value); }
        }

        string ifMatch;

        /// <summary>Options with this condition; null for none.</summary>
        internal static ChangeOptions Of(string ifMatch)
        {
            return ifMatch == null ? null : new ChangeOptions { IfMatch = ifMatch };
        }
    }
}
