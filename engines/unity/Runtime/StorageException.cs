using System;
using System.Collections.Generic;

namespace EdgeGameStorage
{
    /// <summary>
    /// The service refused a request, or did not answer. Decide by <see cref="Code"/>; show <see cref="Exception.Message"/> to people,
    /// and <see cref="Advice"/> to developers.
    /// </summary>
    /// <example><code>catch (StorageException error) when (error.Code == ErrorCodes.QuotaExceeded) { ShowQuota(); }</code></example>
    public class StorageException : Exception
    {
        public StorageException(string code, string message, Exception cause = null)
            : base(message, cause)
        {
            Code = code;
            Errors = new List<InvalidMember>();
        }

        internal StorageException(Problem problem, int? retryAfterSeconds)
            : base(problem.Detail)
        {
            Code = problem.Code;
            Status = (int)problem.Status;
            Title = problem.Title;
            RequestId = problem.RequestId;
            Limit = problem.Limit;
            UsedBytes = problem.UsedBytes;
            LimitBytes = problem.LimitBytes;
            NeededBytes = problem.NeededBytes;
            Errors = problem.Errors ?? new List<InvalidMember>();
            RetryAfterSeconds = retryAfterSeconds;
        }

        /// <summary>One of <see cref="ErrorCodes"/>, or a code that a later version of the service has added.</summary>
        public string Code { get; }

        /// <summary>The HTTP status; 0 when no answer of the service arrived.</summary>
        public int Status { get; internal set; }

        /// <summary>The title of the code; null without an answer of the service.</summary>
        public string Title { get; }

        /// <summary>The id of the request in the service's log; null without an answer of the service.</summary>
        public string RequestId { get; }

        /// <summary>With <c>VALIDATION_FAILED</c>: each invalid member, with its reason. Otherwise empty.</summary>
        public IReadOnlyList<InvalidMember> Errors { get; }

        /// <summary>With <c>LIMIT_REACHED</c>: the name of the limit.</summary>
        public string Limit { get; }

        /// <summary>With <c>QUOTA_EXCEEDED</c>: what is in use, in bytes; of saves, what can't make room.</summary>
        public long? UsedBytes { get; }

        /// <summary>With <c>QUOTA_EXCEEDED</c>: how much may be in use, in bytes.</summary>
        public long? LimitBytes { get; }

        /// <summary>With <c>QUOTA_EXCEEDED</c>: what the request would have added to it, in bytes.</summary>
        public long? NeededBytes { get; }

        /// <summary>With <c>PRECONDITION_FAILED</c> for a save: the save that is there; null when the slot is missing.</summary>
        public Save Current { get; internal set; }

        /// <summary>How long to wait before a repetition; null when the service does not say.</summary>
        public int? RetryAfterSeconds { get; }

        /// <summary>What to do about the code, as docs/errors.md says it; null for an unknown code.</summary>
        public string Advice
        {
            get { return ErrorCodes.Advice(Code); }
        }

        /// <summary>
        /// Whether the same request may succeed later: no answer arrived, too many requests, or the service is out for a while.
        /// </summary>
        public bool IsTemporary
        {
            get { return Code == ErrorCodes.NetworkError || Status == 429 || Status == 503; }
        }

        /// <summary>Whether the service has refused the request, or no token was there for it.</summary>
        internal bool IsOfService
        {
            get { return RequestId != null || Code == ErrorCodes.Unauthenticated; }
        }
    }
}
