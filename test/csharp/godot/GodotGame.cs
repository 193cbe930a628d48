using System;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using EdgeGameStorage;
using Godot;

/// <summary>Runs the node in a stand-in for Godot: URL TOKEN FOLDER. FOLDER is user://.</summary>
static class GodotGame
{
    public static void Run(string url, string token, string folder)
    {
        ProjectSettings.User = folder;
        new GodotSynchronizationContext().Run(() => Play(url, token));
    }

    static async Task Play(string url, string token)
    {
        var main = Thread.CurrentThread;
        var node = new EdgeGameStorageNode { Url = url };
        ExpectMistake(() => node.Storage, "Add the node to the tree");
        Expecting.That(node.Leaving.IsCancellationRequested, "nothing to do outside of the tree");
        node.Enter("/root/Cloud");
        ExpectMistake(() => node.Storage, "Set Token");
        node.Token = (renew, cancel) => Task.FromResult(token);

        var saved = new TaskCompletionSource<bool>();
        node.Saves.Saved += save => saved.TrySetResult(Thread.CurrentThread == main);
        await node.Saves.WriteAsync("auto", Encoding.UTF8.GetBytes("three towers"), new OfflineWriteOptions { Label = "Three towers" }, node.Leaving);
        Expecting.That(Thread.CurrentThread == main, "the main thread after an await");
        Expecting.That(await saved.Task, "the main thread in an event");
        var read = await node.Storage.Saves.ReadAsync("auto", null, node.Leaving);
        Expecting.That(Thread.CurrentThread == main && read.Label == "Three towers", "the save, on the main thread");

        var leaving = node.Leaving;
        var late = node.Storage.GetQuotaAsync(leaving);
        node.Exit("/root/Cloud");
        Expecting.That(leaving.IsCancellationRequested && node.Leaving.IsCancellationRequested, "that calls end with the node");
        // The answer may have come before the node left: then the call has ended with it.
        try
        {
            await late;
        }
        catch (OperationCanceledException)
        {
        }
        Expecting.That(Thread.CurrentThread == main, "the main thread after a call that ended with the node");

        // A node may come back, for example when it gets another parent.
        node.Enter("/root/Cloud");
        var again = await node.Saves.ReadAsync("auto", node.Leaving);
        Expecting.That(Encoding.UTF8.GetString(again.Bytes) == "three towers", "the save after the node came back");
        node.Exit("/root/Cloud");
    }

    static void ExpectMistake(Func<object> act, string message)
    {
        try
        {
            act();
        }
        catch (InvalidOperationException mistake) when (mistake.Message.StartsWith(message, StringComparison.Ordinal))
        {
            return;
        }
        throw new InvalidOperationException("Expected: " + message);
    }
}
