using System;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using EdgeGameStorage;

static class StoreTests
{
    public static readonly Tests All = new Tests
    {
        { "a folder keeps values of any keys, also of those that no file may be named, and those that differ by case", AnyKeys },
        { "a value that was written half is not read, and the one before it is", HalfWritten },
        { "a value that only the new file has is read", OnlyNew },
        { "a deleted value does not come back", Deleted },
        { "a file that the disk has damaged is missing", Damaged },
        { "a folder that is deleted meanwhile is made again", DeletedFolder },
        { "a lock is had once, also by two stores of a folder", Locks },
        { "turns of a name are taken one after the other, and one that is given up does not hold up the next", TurnsInOrder },
        { "claims are read of a token in any alphabet, and of nothing else", ClaimsOfTokens },
    };

    static string NewFolder()
    {
        return Path.Combine(Path.GetTempPath(), "csharp-saves-" + Guid.NewGuid().ToString("N"));
    }

    static async Task AnyKeys(Users users)
    {
        var store = new FileSaveStore(NewFolder());
        var keys = new[] { "a", "A", "CON", "a/b", "..", "x:y?*", new string('漢', 500), "" };
        foreach (var key in keys) await store.SetAsync(key, Expecting.Bytes("value of " + key));
        foreach (var key in keys) Expecting.Equal("value of " + key, Expecting.Text(await store.GetAsync(key)));
        await store.SetAsync("empty", new byte[0]);
        Expecting.Equal(0, (await store.GetAsync("empty")).Length);
        Expecting.That(await store.GetAsync("missing") == null, "no value");
        await store.DeleteAsync("missing");
    }

    static async Task HalfWritten(Users users)
    {
        var folder = NewFolder();
        var store = new FileSaveStore(folder);
        await store.SetAsync("key", Expecting.Bytes("old"));
        var path = Directory.GetFiles(folder).Single();
        File.WriteAllBytes(path + ".new", File.ReadAllBytes(path).Take(33).ToArray());
        Expecting.Equal("old", Expecting.Text(await store.GetAsync("key")));
        File.Delete(path);
        Expecting.That(await store.GetAsync("key") == null, "nothing is read of half a value");
        await store.SetAsync("key", Expecting.Bytes("new"));
        Expecting.Equal("new", Expecting.Text(await store.GetAsync("key")));
    }

    static async Task OnlyNew(Users users)
    {
        var folder = NewFolder();
        var store = new FileSaveStore(folder);
        await store.SetAsync("key", Expecting.Bytes("new"));
        var path = Directory.GetFiles(folder).Single();
        File.Move(path, path + ".new");
        Expecting.Equal("new", Expecting.Text(await store.GetAsync("key")));
    }

    static async Task Deleted(Users users)
    {
        var folder = NewFolder();
        var store = new FileSaveStore(folder);
        await store.SetAsync("key", Expecting.Bytes("old"));
        var path = Directory.GetFiles(folder).Single();
        File.Copy(path, path + ".new");
        await store.DeleteAsync("key");
        Expecting.That(await store.GetAsync("key") == null, "no value");
        Expecting.Equal(0, Directory.GetFiles(folder).Length);
    }

    static async Task Damaged(Users users)
    {
        var folder = NewFolder();
        var store = new FileSaveStore(folder);
        await store.SetAsync("key", Expecting.Bytes("value"));
        var path = Directory.GetFiles(folder).Single();
        var bytes = File.ReadAllBytes(path);
        bytes[bytes.Length - 1] ^= 1;
        File.WriteAllBytes(path, bytes);
        Expecting.That(await store.GetAsync("key") == null, "no value");
    }

    static async Task DeletedFolder(Users users)
    {
        var folder = NewFolder();
        var store = new FileSaveStore(folder);
        await store.SetAsync("key", Expecting.Bytes("before"));
        Directory.Delete(folder, true);
        Expecting.That(await store.GetAsync("key") == null, "no value");
        await store.DeleteAsync("key");
        using (var taken = store.TryLock("name")) Expecting.That(taken != null, "a lock");
        Directory.Delete(folder, true);
        await store.SetAsync("key", Expecting.Bytes("after"));
        Expecting.Equal("after", Expecting.Text(await store.GetAsync("key")));
    }

    static Task Locks(Users users)
    {
        var folder = NewFolder();
        var store = new FileSaveStore(folder);
        var other = new FileSaveStore(folder + "/./");
        using (store.TryLock("name"))
        {
            Expecting.That(store.TryLock("name") == null && other.TryLock("name") == null, "the lock is taken");
            using (var another = other.TryLock("other name")) Expecting.That(another != null, "another lock is free");
        }
        using (var again = other.TryLock("name")) Expecting.That(again != null, "the lock was released");
        return Task.FromResult(true);
    }

    static async Task TurnsInOrder(Users users)
    {
        var turns = new Turns();
        var order = "";
        var first = new TaskCompletionSource<bool>();
        var taking = turns.RunAsync("a", async () => await first.Task, CancellationToken.None);
        var cancel = new CancellationTokenSource();
        var givenUp = turns.RunAsync("a", () => { order += "given up "; return Task.FromResult(true); }, cancel.Token);
        var next = turns.RunAsync("a", () => { order += "next "; return Task.FromResult(true); }, CancellationToken.None);
        await turns.RunAsync("b", () => { order += "b "; return Task.FromResult(true); }, CancellationToken.None);
        cancel.Cancel();
        await Expecting.Error<OperationCanceledException>(() => givenUp);
        Expecting.Equal("b ", order);
        first.SetException(new IOException());
        await Expecting.Error<IOException>(() => taking);
        await next;
        Expecting.Equal("b next ", order);
    }

    static Task ClaimsOfTokens(Users users)
    {
        Expecting.Equal("Ада–🎮?>", Claims.UserOf("e30." + Base64Url("{\"sub\":\"Ада–🎮?>\"}") + ".x"));
        foreach (var other in new[] { null, "", "token", "a.!.c", "a." + Base64Url("[]") + ".c", "a." + Base64Url("{\"sub\":1}") + ".c" })
            Expecting.That(Claims.UserOf(other) == null, "no user of " + other);
        return Task.FromResult(true);
    }

    static string Base64Url(string text)
    {
        return Convert.ToBase64String(Expecting.Bytes(text)).TrimEnd('=').Replace('+', '-').Replace('/', '_');
    }
}
