using System;
using System.Collections;
using System.IO;
using System.Runtime.ExceptionServices;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using NUnit.Framework;
using UnityEngine.TestTools;

namespace EdgeGameStorage.Tests
{
    /// <summary>
    /// What only a player shows: whether its build has kept what the client needs. They need no service. Run them in a build of each of your
    /// platforms, with IL2CPP and the stripping level of your game.
    /// </summary>
    public sealed class PlayerTests
    {
        const string File =
            "\"id\":\"a\",\"owner_id\":\"ada\",\"parent_id\":null,\"name\":\"a.bin\",\"size_bytes\":3,\"is_public\":false,"
            + "\"created_at\":1767225600,\"updated_at\":1767225601";

        [UnityTest]
        public IEnumerator JsonIsRead()
        {
            return Ended(async () =>
            {
                var platform = new AnsweringPlatform("{" + File + ",\"asset_type\":\"folder\"}");
                using (var storage = platform.Open())
                {
                    var folder = await storage.CreateFolderAsync(new CreateFolder { Name = "Maps" });
                    Assert.AreEqual(ItemType.Folder, folder.AssetType);
                    Assert.AreEqual(new DateTimeOffset(2026, 1, 1, 0, 0, 0, TimeSpan.Zero), folder.CreatedAt);
                    Assert.AreEqual("a.bin", folder.Name);
                }
            });
        }

        [UnityTest]
        public IEnumerator JsonIsWritten()
        {
            return Ended(async () =>
            {
                var platform = new AnsweringPlatform("{" + File + ",\"asset_type\":\"folder\"}");
                using (var storage = platform.Open())
                {
                    var edited = await storage.EditFileAsync("a", new EditFile { ParentId = null, IsPublic = true });
                    Assert.AreEqual("\"1\"", edited.ETag);
                }
                using (var body = new StreamReader(platform.Sent.Body.Open()))
                    Assert.AreEqual("{\"parent_id\":null,\"is_public\":true}", body.ReadToEnd());
            });
        }

        [UnityTest]
        public IEnumerator DataIsRead()
        {
            return Ended(() =>
            {
                var fields = JsonFields.Parse("{\"item\":\"sword\",\"count\":2,\"at\":{\"x\":0.5},\"tags\":[\"a\"]}");
                Assert.AreEqual("sword", fields.GetString("item"));
                Assert.AreEqual(2L, fields.GetInt64("count"));
                Assert.AreEqual(0.5, fields.GetFields("at").GetDouble("x"));
                Assert.AreEqual("a", fields.GetStrings("tags")[0]);
                return Task.FromResult(true);
            });
        }

        [UnityTest]
        public IEnumerator ChecksumIsComputed()
        {
            return Ended(async () =>
            {
                var platform = new AnsweringPlatform(
                    "{" + File + ",\"asset_type\":\"file\",\"mime_type\":\"application/octet-stream\",\"processing_state\":\"ready\"}");
                using (var storage = platform.Open())
                    await storage.UploadFileAsync(new MemoryStream(Encoding.UTF8.GetBytes("abc")), "a.bin");
                Assert.AreEqual("sha-256=:ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=:", platform.Header("Content-Digest"));
            });
        }

        [UnityTest]
        public IEnumerator StoreKeepsBytes()
        {
            return Ended(async () =>
            {
                var store = UnitySaveStore.Open("edge-game-storage-tests");
                await store.SetAsync("a", new byte[] { 1, 2, 3 });
                await store.SetAsync("a", new byte[] { 4 });
                Assert.AreEqual(4, (int)(await store.GetAsync("a"))[0]);
                await store.DeleteAsync("a");
                Assert.AreEqual(null, await store.GetAsync("a"));
            });
        }

        [UnityTest]
        public IEnumerator PlatformAnswersOnTheMainThread()
        {
            return Ended(async () =>
            {
                var main = Thread.CurrentThread.ManagedThreadId;
                var once = new GameStorageOptions { Retry = new RetryOptions { Attempts = 1 } };
                using (var storage = new GameStorage("https://127.0.0.1:1", (renew, cancel) => Task.FromResult("token"), once))
                    try
                    {
                        await storage.GetQuotaAsync();
                        Assert.Fail("Nothing listens at this port.");
                    }
                    catch (StorageException error)
                    {
                        Assert.AreEqual(ErrorCodes.NetworkError, error.Code);
                        Assert.AreEqual(main, Thread.CurrentThread.ManagedThreadId);
                    }
            });
        }

        /// <summary>Runs a test over as many frames as it takes.</summary>
        static IEnumerator Ended(Func<Task> test)
        {
            var task = test();
            while (!task.IsCompleted) yield return null;
            if (task.IsFaulted) ExceptionDispatchInfo.Capture(task.Exception.InnerException).Throw();
            Assert.AreEqual(TaskStatus.RanToCompletion, task.Status);
        }
    }
}
