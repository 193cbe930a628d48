using System;

namespace EdgeGameStorage
{
    /// <summary>The values of headers. Not every platform refuses those that would end the line, and begin another header.</summary>
    static class HeaderText
    {
        static readonly char[] WhiteSpace = { ' ', '\t', '\r', '\n' };

        /// <summary>
        /// The value without white space at its ends, as fetch() sends it. Null stays null. Throws <see cref="ArgumentException"/>, which
        /// does not show the value, for other characters than those of ASCII that can be seen.
        /// </summary>
        public static string Checked(string name, string value)
        {
            if (value == null) return null;
            var trimmed = value.Trim(WhiteSpace);
            foreach (var letter in trimmed)
                if ((letter < ' ' && letter != '\t') || letter > '~')
                    throw new ArgumentException("The value for the header " + name + " has the character U+" + ((int)letter).ToString("X4") + ".", name);
            return trimmed;
        }
    }
}
