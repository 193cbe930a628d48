using System;
using System.Collections.Generic;
using Newtonsoft.Json.Linq;

namespace EdgeGameStorage
{
    /// <summary>Writes the members of the JSON that a request sends.</summary>
    static class JsonWriting
    {
        /// <summary>Adds a member, unless its value is null.</summary>
        public static void Put(this JObject json, string name, string value)
        {
            if (value != null) json[name] = value;
        }

        public static void Put(this JObject json, string name, long? value)
        {
            if (value != null) json[name] = value.Value;
        }

        public static void Put(this JObject json, string name, bool? value)
        {
            if (value != null) json[name] = value.Value;
        }

        /// <summary>In whole Unix seconds.</summary>
        public static void Put(this JObject json, string name, DateTimeOffset? value)
        {
            if (value != null) json[name] = value.Value.ToUnixTimeSeconds();
        }

        /// <summary>In whole seconds.</summary>
        public static void Put(this JObject json, string name, TimeSpan? value)
        {
            if (value != null) json[name] = value.Value.Ticks / TimeSpan.TicksPerSecond;
        }

        /// <summary>Adds an object of its JSON text. Throws <see cref="ArgumentException"/> for another; <paramref name="member"/> names it.</summary>
        public static void PutJson(this JObject json, string name, string value, string member)
        {
            if (value == null) return;
            try
            {
                json[name] = Json.ParseData(value);
            }
            catch (FormatException error)
            {
                throw new ArgumentException(member + " can't be sent. " + error.Message, member, error);
            }
        }

        public static void Put(this JObject json, string name, IReadOnlyList<string> value)
        {
            json.Put(name, value, item => item);
        }

        public static void Put(this JObject json, string name, IReadOnlyList<long> value)
        {
            json.Put(name, value, item => item);
        }

        public static void Put<T>(this JObject json, string name, IReadOnlyList<T> value, Func<T, JToken> write)
        {
            if (value == null) return;
            var array = new JArray();
            foreach (var item in value) array.Add(write(item));
            json[name] = array;
        }

        /// <summary>Adds a member whose value may be null.</summary>
        public static void PutNullable(this JObject json, string name, string value)
        {
            json[name] = value == null ? null : (JToken)value;
        }

        public static void PutNullable(this JObject json, string name, DateTimeOffset? value)
        {
            json[name] = value == null ? null : (JToken)value.Value.ToUnixTimeSeconds();
        }

        public static void PutNullable(this JObject json, string name, long? value)
        {
            json[name] = value == null ? null : (JToken)value.Value;
        }

        /// <summary>Adds a member that must be there. Throws <see cref="ArgumentException"/> for null; <paramref name="member"/> names it.</summary>
        public static void PutRequired(this JObject json, string name, string value, string member)
        {
            json.Put(name, Given(value, member));
        }

        public static void PutRequiredJson(this JObject json, string name, string value, string member)
        {
            json.PutJson(name, Given(value, member), member);
        }

        public static void PutRequired(this JObject json, string name, JObject value, string member)
        {
            json[name] = Given(value, member);
        }

        public static void PutRequired(this JObject json, string name, IReadOnlyList<string> value, string member)
        {
            json.Put(name, Given(value, member));
        }

        public static void PutRequired<T>(this JObject json, string name, IReadOnlyList<T> value, Func<T, JToken> write, string member)
        {
            json.Put(name, Given(value, member), write);
        }

        static T Given<T>(T value, string member)
            where T : class
        {
            if (value == null) throw new ArgumentException(member + " is missing.", member);
            return value;
        }
    }
}
