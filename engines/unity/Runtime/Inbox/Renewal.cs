using System;
using Newtonsoft.Json.Linq;

namespace EdgeGameStorage
{
    /// <summary>When a token of a socket is renewed.</summary>
    static class Renewal
    {
        /// <summary>A token is renewed this long before its expiry, or later (see <see cref="UsedPart"/>).</summary>
        const double MarginSeconds = 30;

        /// <summary>A short-lived token is used for at least this fraction of its remaining time.</summary>
        const double UsedPart = 0.8;

        /// <summary>The longest wait that .NET's timers accept.</summary>
        const double MaxSeconds = int.MaxValue / 1000;

        /// <summary>
        /// The time until a token should be renewed. Null when its expiry is unreadable or past by this device's clock: then the service's
        /// answer decides.
        /// </summary>
        public static TimeSpan? Delay(string token, DateTimeOffset now)
        {
            var claims = Claims.Of(token);
            var expiry = claims == null ? null : claims["exp"];
            if (expiry == null || (expiry.Type != JTokenType.Integer && expiry.Type != JTokenType.Float)) return null;
            var left = (double)expiry - now.ToUnixTimeMilliseconds() / 1000.0;
            if (!(left > 0)) return null;
            return TimeSpan.FromSeconds(Math.Min(Math.Max(left - MarginSeconds, left * UsedPart), MaxSeconds));
        }
    }
}
