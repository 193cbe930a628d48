using System;
using System.Text;

namespace EdgeGameStorage
{
    /// <summary>The texts of a save in headers, which have no other characters than those of ASCII.</summary>
    static class PercentEncoding
    {
        const string Plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
        const string Digits = "0123456789ABCDEF";

        static readonly UTF8Encoding Strict = new UTF8Encoding(false, true);

        /// <summary>Null stays null. Throws <see cref="ArgumentException"/> for a text that is no Unicode.</summary>
        public static string Encoded(string text)
        {
            if (text == null) return null;
            var encoded = new StringBuilder();
            foreach (var unit in Strict.GetBytes(text))
                if (Plain.IndexOf((char)unit) >= 0) encoded.Append((char)unit);
                else encoded.Append('%').Append(Digits[unit >> 4]).Append(Digits[unit & 15]);
            return encoded.ToString();
        }

        /// <summary>Null stays null.</summary>
        public static string Decoded(string text)
        {
            return text == null ? null : Uri.UnescapeDataString(text);
        }
    }
}
