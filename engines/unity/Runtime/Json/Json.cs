using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;

namespace EdgeGameStorage
{
    /// <summary>
    /// Reads and writes JSON by Newtonsoft's readers alone. No type is looked at by reflection, so IL2CPP can strip what it likes.
    /// </summary>
    static class Json
    {
        /// <summary>The most levels of a game's own data: as many as the service takes. Games that follow them can't exhaust the stack.</summary>
        const int MaxLevels = 64;

        /// <summary>Throws <see cref="FormatException"/> or <see cref="JsonException"/> when the text is no JSON object.</summary>
        public static JObject Parse(string text)
        {
            return Token(text) as JObject ?? throw new FormatException("The text is no JSON object.");
        }

        /// <summary>The objects of a list. Throws as <see cref="Parse"/>.</summary>
        public static List<T> ParseList<T>(string text, Func<JObject, T> read)
        {
            var list = Token(text) as JArray ?? throw new FormatException("The text is no JSON list.");
            return ReadAll(list, element => read(element as JObject ?? throw Wrong("list", "a list of objects")));
        }

        static JToken Token(string text)
        {
            // Dates stay text, and numbers keep their digits. The reader loops, so deep data of one record costs no stack.
            using (var reader = new JsonTextReader(new StringReader(text)) { DateParseHandling = DateParseHandling.None, MaxDepth = null })
                return JToken.ReadFrom(reader);
        }

        /// <summary>The object; null when the text is none.</summary>
        public static JObject TryParse(string text)
        {
            try
            {
                return Parse(text);
            }
            catch (Exception error) when (error is FormatException || error is JsonException)
            {
                return null;
            }
        }

        /// <summary>A game's own data. Throws <see cref="FormatException"/> when the text is no JSON object, or has more levels than 64.</summary>
        public static JObject ParseData(string text)
        {
            try
            {
                using (var reader = new JsonTextReader(new StringReader(text)) { DateParseHandling = DateParseHandling.None, MaxDepth = MaxLevels })
                {
                    var data = JToken.ReadFrom(reader) as JObject ?? throw new FormatException("The text is no JSON object.");
                    while (reader.Read())
                        if (reader.TokenType != JsonToken.Comment) throw new FormatException("The text goes on behind its JSON object.");
                    return data;
                }
            }
            catch (JsonException error)
            {
                throw new FormatException("The text is no JSON object of at most " + MaxLevels + " levels: " + error.Message, error);
            }
        }

        /// <summary>The value of a member; null when it is missing or null.</summary>
        public static JToken Member(JObject from, string name)
        {
            var value = from[name];
            return value == null || value.Type == JTokenType.Null ? null : value;
        }

        public static string Text(JObject from, string name)
        {
            var value = Member(from, name);
            if (value == null) return null;
            if (value.Type != JTokenType.String) throw Wrong(name, "text");
            return (string)value;
        }

        public static long? Integer(JObject from, string name)
        {
            var value = Member(from, name);
            if (value == null) return null;
            if (value.Type != JTokenType.Integer) throw Wrong(name, "a whole number");
            try
            {
                return (long)value;
            }
            catch (OverflowException)
            {
                throw Wrong(name, "a whole number of 64 bits");
            }
        }

        /// <summary>The time of Unix seconds.</summary>
        public static DateTimeOffset? Time(JObject from, string name)
        {
            var seconds = Integer(from, name);
            if (seconds == null) return null;
            try
            {
                return DateTimeOffset.FromUnixTimeSeconds(seconds.Value);
            }
            catch (ArgumentOutOfRangeException)
            {
                throw Wrong(name, "a time before the year 10000");
            }
        }

        public static double? Number(JObject from, string name)
        {
            var value = Member(from, name);
            if (value == null) return null;
            if (value.Type != JTokenType.Integer && value.Type != JTokenType.Float) throw Wrong(name, "a number");
            return (double)value;
        }

        public static bool? Boolean(JObject from, string name)
        {
            var value = Member(from, name);
            if (value == null) return null;
            if (value.Type != JTokenType.Boolean) throw Wrong(name, "true or false");
            return (bool)value;
        }

        public static JObject Object(JObject from, string name)
        {
            var value = Member(from, name);
            if (value == null) return null;
            return value as JObject ?? throw Wrong(name, "an object");
        }

        /// <summary>The JSON text of an object that is a game's own; null when the member is missing.</summary>
        public static string ObjectText(JObject from, string name)
        {
            var value = Object(from, name);
            if (value == null) return null;
            try
            {
                // The reader and the writer loop, so levels cost no stack.
                using (var text = new StringWriter(CultureInfo.InvariantCulture))
                using (var reader = new JTokenReader(value) { MaxDepth = MaxLevels })
                using (var writer = new JsonTextWriter(text))
                {
                    writer.WriteToken(reader);
                    return text.ToString();
                }
            }
            catch (JsonException)
            {
                throw Wrong(name, "an object of at most " + MaxLevels + " levels");
            }
        }

        /// <summary>The objects of a list, read one by one; null when the member is missing.</summary>
        public static List<T> List<T>(JObject from, string name, Func<JObject, T> read)
        {
            return Elements(from, name, element => read(element as JObject ?? throw Wrong(name, "a list of objects")));
        }

        /// <summary>The object of a member, read; null when the member is missing.</summary>
        public static T Model<T>(JObject from, string name, Func<JObject, T> read)
            where T : class
        {
            var value = Object(from, name);
            return value == null ? null : read(value);
        }

        /// <summary>The texts of an object by name; null when the member is missing.</summary>
        public static Dictionary<string, string> Map(JObject from, string name)
        {
            var value = Object(from, name);
            if (value == null) return null;
            var map = new Dictionary<string, string>();
            foreach (var member in value) map[member.Key] = Required(Text(value, member.Key), member.Key);
            return map;
        }

        public static List<string> Texts(JObject from, string name)
        {
            return Elements(from, name, element => element.Type == JTokenType.String ? (string)element : throw Wrong(name, "a list of texts"));
        }

        /// <summary>The whole number of a header that must be there.</summary>
        public static long HeaderInteger(HttpAnswer answer, string name)
        {
            long value;
            if (!long.TryParse(answer.Header(name), NumberStyles.None, CultureInfo.InvariantCulture, out value)) throw Wrong(name, "a whole number");
            return value;
        }

        /// <summary>A value that must be there.</summary>
        public static T Required<T>(T? value, string name)
            where T : struct
        {
            if (value == null) throw Missing(name);
            return value.Value;
        }

        /// <summary>A value that must be there.</summary>
        public static T Required<T>(T value, string name)
            where T : class
        {
            return value ?? throw Missing(name);
        }

        static List<T> Elements<T>(JObject from, string name, Func<JToken, T> read)
        {
            var value = Member(from, name);
            if (value == null) return null;
            return ReadAll(value as JArray ?? throw Wrong(name, "a list"), read);
        }

        static List<T> ReadAll<T>(JArray array, Func<JToken, T> read)
        {
            var list = new List<T>(array.Count);
            foreach (var element in array) list.Add(read(element));
            return list;
        }

        static FormatException Wrong(string name, string expected)
        {
            return new FormatException("The member " + name + " is not " + expected + ".");
        }

        static FormatException Missing(string name)
        {
            return new FormatException("The member " + name + " is missing.");
        }
    }
}
