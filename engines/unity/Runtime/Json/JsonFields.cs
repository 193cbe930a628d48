using System;
using System.Collections.Generic;
using Newtonsoft.Json.Linq;

namespace EdgeGameStorage
{
    /// <summary>
    /// Reads JSON text, like the data of a notification or the metadata of an asset, without reflection: IL2CPP may strip what it likes.
    /// A field that is missing or null reads as null; one that is of another type throws <see cref="FormatException"/>.
    /// </summary>
    /// <example><code>
    /// var gift = JsonFields.Parse(notification.Data);
    /// Show(gift.GetString("item"), gift.GetInt64("count") ?? 1);
    /// </code></example>
    public sealed class JsonFields
    {
        readonly JObject from;

        JsonFields(JObject from)
        {
            this.from = from;
        }

        /// <summary>Throws <see cref="FormatException"/> when the text is no JSON object, or has more than 64 levels.</summary>
        public static JsonFields Parse(string json)
        {
            if (json == null) throw new ArgumentNullException("json");
            return new JsonFields(Json.ParseData(json));
        }

        /// <summary>The names of the fields, in the order of the text.</summary>
        public IReadOnlyList<string> Names
        {
            get
            {
                var names = new List<string>();
                foreach (var field in from) names.Add(field.Key);
                return names;
            }
        }

        public string GetString(string name)
        {
            return Json.Text(from, name);
        }

        /// <summary>A whole number.</summary>
        public long? GetInt64(string name)
        {
            return Json.Integer(from, name);
        }

        public double? GetDouble(string name)
        {
            return Json.Number(from, name);
        }

        public bool? GetBoolean(string name)
        {
            return Json.Boolean(from, name);
        }

        /// <summary>The fields of an object.</summary>
        public JsonFields GetFields(string name)
        {
            return Json.Model(from, name, value => new JsonFields(value));
        }

        /// <summary>A list of texts.</summary>
        public IReadOnlyList<string> GetStrings(string name)
        {
            return Json.Texts(from, name);
        }

        /// <summary>A list of objects.</summary>
        public IReadOnlyList<JsonFields> GetFieldsList(string name)
        {
            return Json.List(from, name, value => new JsonFields(value));
        }
    }
}
