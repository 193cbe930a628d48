using System;
using System.Globalization;

namespace EdgeGameStorage
{
    static class Paths
    {
        /// <summary>
        /// A parameter of a path. Throws <see cref="ArgumentException"/> for '', '.' and '..': URL parsers resolve them, and the request
        /// would go to another path.
        /// </summary>
        public static string Part(string name, string value)
        {
            if (string.IsNullOrEmpty(value) || value == "." || value == "..")
                throw new ArgumentException(name + " is \"" + value + "\", which can't be one.", name);
            return Uri.EscapeDataString(value);
        }

        public static string Part(string name, long value)
        {
            return Part(name, value.ToString(CultureInfo.InvariantCulture));
        }

        /// <summary>The address of the service, without a slash at its end.</summary>
        public static string ServiceAddress(string url)
        {
            Uri address;
            var isAddress = Uri.TryCreate(url, UriKind.Absolute, out address)
                && url.Trim() == url
                && (address.Scheme == "http" || address.Scheme == "https")
                && address.Query == "" && address.Fragment == "";
            if (!isAddress)
                throw new ArgumentException(
                    "The url is \"" + url + "\": give the address of the service, like https://storage.example.com.", "url");
            var trimmed = url.TrimEnd('/');
            if (trimmed.EndsWith("/v1", StringComparison.Ordinal))
                throw new ArgumentException("The url is \"" + url + "\": leave out the /v1 at its end, which the client adds.", "url");
            return trimmed;
        }
    }
}
