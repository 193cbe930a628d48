using System;
using System.Collections;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using EdgeGameStorage;
using Newtonsoft.Json.Linq;

/// <summary>
/// Reads the examples of the description into the models of answers, and sends them by the models of requests. Prints what differs.
/// The argument is a file with a list of { model, json, required, direction }.
/// </summary>
static class RoundTrip
{
    const BindingFlags Internal = BindingFlags.Static | BindingFlags.Instance | BindingFlags.NonPublic;

    public static void Run(string path)
    {
        foreach (var example in Json.ParseList(File.ReadAllText(path), one => one))
        {
            var model = typeof(GameStorage).Assembly.GetType("EdgeGameStorage." + example["model"]);
            var json = (JObject)example["json"];
            var place = (string)example["model"];
            if (model == null) Console.WriteLine("There is no " + place + ".");
            else if ((string)example["direction"] == "read") Reads(model, json, example["required"].Values<string>(), place);
            else Sends(model, json, place);
        }
        Unknown();
        Console.WriteLine("Done.");
    }

    static void Reads(Type model, JObject json, IEnumerable<string> required, string place)
    {
        json["a_member_of_a_later_version"] = 1;
        Same(Read(model, json), json, place);
        foreach (var name in required)
        {
            var lacking = (JObject)json.DeepClone();
            lacking.Remove(name);
            try
            {
                Read(model, lacking);
                Console.WriteLine(place + " is read without " + name + ".");
            }
            catch (TargetInvocationException error) when (error.InnerException is FormatException)
            {
            }
        }
    }

    static object Read(Type model, JObject json)
    {
        return model.GetMethod("Read", Internal, null, new[] { typeof(JObject) }, null).Invoke(null, new object[] { json });
    }

    static void Sends(Type model, JObject json, string place)
    {
        var sent = (JObject)model.GetMethod("ToJson", Internal).Invoke(Made(model, json), null);
        if (!JToken.DeepEquals(sent, json)) Console.WriteLine(place + " is sent as " + sent + " in place of " + json);
    }

    /// <summary>An instance whose properties have the values of the JSON.</summary>
    static object Made(Type model, JObject json)
    {
        var made = Activator.CreateInstance(model);
        foreach (var member in json)
        {
            var property = PropertyOf(model, member.Key);
            // A constant has no property.
            if (property != null) property.SetValue(made, Value(property.PropertyType, member.Value), null);
        }
        return made;
    }

    static object Value(Type type, JToken json)
    {
        type = Nullable.GetUnderlyingType(type) ?? type;
        if (json.Type == JTokenType.Null) return null;
        if (type == typeof(DateTimeOffset)) return DateTimeOffset.FromUnixTimeSeconds((long)json);
        if (type == typeof(TimeSpan)) return TimeSpan.FromSeconds((long)json);
        if (type == typeof(string) && json is JObject) return json.ToString();
        if (type.IsEnum) return Enum.Parse(type, Pascal((string)json));
        if (type.IsGenericType)
        {
            var of = type.GetGenericArguments()[0];
            var array = Array.CreateInstance(of, json.Count());
            for (var index = 0; index < array.Length; index += 1) array.SetValue(Value(of, json[index]), index);
            return array;
        }
        return json is JObject ? Made(type, (JObject)json) : json.ToObject(type);
    }

    /// <summary>Prints where a value that was read differs from its JSON.</summary>
    static void Same(object value, JToken json, string place)
    {
        if (json.Type == JTokenType.Null || value == null)
        {
            if (json.Type != JTokenType.Null || value != null) Console.WriteLine(place + " is " + (value ?? "null") + " in place of " + json);
        }
        else if (json is JObject && (value is JObject || value is string))
        {
            if (!JToken.DeepEquals(JObject.Parse(value.ToString()), json)) Console.WriteLine(place + " is " + value + " in place of " + json);
        }
        else if (value is IReadOnlyDictionary<string, string>)
        {
            var map = JObject.FromObject(value);
            if (!JToken.DeepEquals(map, json)) Console.WriteLine(place + " is " + map + " in place of " + json);
        }
        else if (json is JArray)
        {
            var items = ((IEnumerable)value).Cast<object>().ToList();
            if (items.Count != json.Count()) Console.WriteLine(place + " has " + items.Count + " items.");
            else for (var index = 0; index < items.Count; index += 1) Same(items[index], json[index], place + "[" + index + "]");
        }
        else if (json is JObject) SameMembers(value, (JObject)json, place);
        else
        {
            if (value is DateTimeOffset) value = ((DateTimeOffset)value).ToUnixTimeSeconds();
            var text = value is Enum ? Pascal((string)json) : json.ToString();
            if (Convert.ToString(value) != text) Console.WriteLine(place + " is " + value + " in place of " + json);
        }
    }

    static void SameMembers(object value, JObject json, string place)
    {
        foreach (var member in json)
        {
            if (member.Key == "a_member_of_a_later_version") continue;
            var property = PropertyOf(value.GetType(), member.Key);
            if (property == null) Console.WriteLine(place + " has no " + member.Key + ".");
            else Same(property.GetValue(value, null), member.Value, place + "." + member.Key);
        }
    }

    static PropertyInfo PropertyOf(Type model, string member)
    {
        return model.GetProperty(Pascal(member));
    }

    static string Pascal(string name)
    {
        return name == "etag" ? "ETag" : string.Concat(name.Split('_').Select(word => char.ToUpperInvariant(word[0]) + word.Substring(1)));
    }

    /// <summary>What no example shows: values that are unknown, and members that may be missing or null.</summary>
    static void Unknown()
    {
        if (Enumerations.ReadItemType("hologram") != ItemType.Unknown) Console.WriteLine("An unknown value is not Unknown.");
        Refused(() => new CreateAsset { Name = "Castle" }.ToJson(), "An enumeration that is Unknown");
        Refused(() => new CreateFolder().ToJson(), "A missing name");
        var deep = string.Concat(Enumerable.Repeat("{\"a\":", 70000)) + "1" + new string('}', 70000);
        foreach (var text in new[] { "[1]", "1", "", "{", "{}{}", deep })
        {
            Refused(() => new CreateAsset { Name = "Castle", Type = GameAssetType.World, Metadata = text }.ToJson(), "Metadata that is no JSON object");
        }
        var fields = JsonFields.Parse("{\"a\":\"x\",\"b\":7,\"c\":1.5,\"d\":true,\"e\":{\"f\":null},\"g\":[\"y\"],\"h\":[{\"a\":1}]}");
        var read = string.Join(
            " ", fields.GetString("a"), fields.GetInt64("b"), fields.GetDouble("b"), fields.GetDouble("c"), fields.GetBoolean("d"), fields.GetFields("e").GetString("f") == null,
            fields.GetString("none") == null, fields.GetStrings("g")[0], fields.GetFieldsList("h")[0].GetInt64("a"), string.Concat(fields.Names));
        if (read != "x 7 7 1.5 True True True y 1 abcdegh") Console.WriteLine("JsonFields reads " + read);
        Wrong(() => fields.GetInt64("a"), "A text as a number");
        Wrong(() => JsonFields.Parse(deep), "Data of too many levels");
        Same(new EditFile { Name = "a" }.ToJson(), JToken.Parse("{\"name\":\"a\"}"), "EditFile without parent");
        Same(new EditFile { ParentId = null }.ToJson(), JToken.Parse("{\"parent_id\":null}"), "EditFile of the root level");
        Same(new SetQuota().ToJson(), JToken.Parse("{\"limit_bytes\":null}"), "SetQuota");
        Same(new PresignParts().ToJson(), new JObject(), "PresignParts");
    }

    static void Wrong(Func<object> read, string what)
    {
        try
        {
            Console.WriteLine(what + " is read: " + read());
        }
        catch (FormatException)
        {
        }
    }

    static void Refused(Func<JObject> send, string what)
    {
        try
        {
            Console.WriteLine(what + " is sent: " + send());
        }
        catch (ArgumentException)
        {
        }
    }
}
