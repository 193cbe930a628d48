using System;

namespace EdgeGameStorage
{
    static class ETags
    {
        /// <summary>A tag as the service has sent it: proxies weaken those of answers that they compress. Null stays null.</summary>
        public static string Strong(string tag)
        {
            return tag != null && tag.StartsWith("W/", StringComparison.Ordinal) ? tag.Substring(2) : tag;
        }
    }
}
