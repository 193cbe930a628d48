using System;
using System.Text;
using Newtonsoft.Json.Linq;

namespace EdgeGameStorage
{
    /// <summary>The claims of a JWT. They are not verified: the service does that.</summary>
    static class Claims
    {
        /// <summary>Null when the token can't be read.</summary>
        public static JObject Of(string token)
        {
            var parts = (token ?? "").Split('.');
            if (parts.Length < 2) return null;
            var payload = parts[1].Replace('-', '+').Replace('_', '/');
            try
            {
                var bytes = Convert.FromBase64String(payload.PadRight((payload.Length + 3) / 4 * 4, '='));
                return Json.TryParse(Encoding.UTF8.GetString(bytes));
            }
            catch (FormatException)
            {
                return null;
            }
        }

        /// <summary>The user of a JWT (<c>sub</c>); null when it can't be read.</summary>
        public static string UserOf(string token)
        {
            var claims = Of(token);
            var user = claims == null ? null : claims["sub"];
            return user != null && user.Type == JTokenType.String ? (string)user : null;
        }
    }
}
