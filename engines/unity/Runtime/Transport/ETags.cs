using System;

namespace EdgeGameStorage
{
    static class ETags
    {
        /// <summary>
        /// The tag of an answer that must have one. Throws <c>ETAG_STRIPPED</c> when something on the way strips it: without it no change
        /// of others can be told.
        /// </summary>
        public static string Of(HttpAnswer answer)
        {
            var tag = answer.Header("ETag");
            if (!string.IsNullOrEmpty(tag)) return tag;
            throw new StorageException(
                ErrorCodes.ETagStripped, "The answer has no ETag: something between this client and the service strips it, like a proxy.");
        }

        /// <summary>A tag as the service has sent it: proxies weaken those of answers that they compress. Null stays null.</summary>
        public static string Strong(string tag)
        {
            return tag != null && tag.StartsWith("W/", StringComparison.Ordinal) ? tag.Substring(2) : tag;
        }
    }
}
