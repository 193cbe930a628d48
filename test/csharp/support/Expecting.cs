using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Text;
using System.Threading.Tasks;
using EdgeGameStorage;

static class Expecting
{
    public static void That(bool holds, string promise)
    {
        if (!holds) throw new InvalidOperationException("Expected: " + promise);
    }

    public static void Equal<T>(T expected, T found)
    {
        if (!Equals(expected, found)) throw new InvalidOperationException("Expected: " + expected + ", found: " + found);
    }

    public static void Listed(IEnumerable<string> found, params string[] expected)
    {
        Equal(string.Join(" | ", expected), string.Join(" | ", found));
    }

    /// <summary>The error of this type that an act ends with.</summary>
    public static async Task<T> Error<T>(Func<Task> act)
        where T : Exception
    {
        try
        {
            await act();
        }
        catch (T error)
        {
            return error;
        }
        throw new InvalidOperationException("Expected: " + typeof(T).Name);
    }

    /// <summary>The code that an act is refused with.</summary>
    public static async Task Code(string code, Func<Task> act)
    {
        Equal(code, (await Error<StorageException>(act)).Code);
    }

    public static async Task Eventually(Func<bool> holds, string promise)
    {
        var watch = Stopwatch.StartNew();
        while (!holds())
        {
            That(watch.Elapsed.TotalSeconds < 20, promise);
            await Task.Delay(2);
        }
    }

    public static byte[] Bytes(string text)
    {
        return Encoding.UTF8.GetBytes(text);
    }

    public static string Text(byte[] bytes)
    {
        return Encoding.UTF8.GetString(bytes);
    }
}
