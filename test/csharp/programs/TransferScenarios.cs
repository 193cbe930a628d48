using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Security.Cryptography;
using System.Threading;
using System.Threading.Tasks;
using EdgeGameStorage;

/// <summary>Content that is sent and received. test/csharp/transfer-scenarios.ts does the same with the TypeScript client.</summary>
static class TransferScenarios
{
    /// <summary>The least that storage takes for a part that is not the last.</summary>
    const int PartBytes = 5 * 1024 * 1024;

    public static async Task Uploads(Game game)
    {
        using (var storage = game.Open())
        {
            var told = new Told();
            var small = await storage.UploadFileAsync(Content(1000, 1), "small.bin", told);
            Expecting.That(told.Last.SentBytes == 1000 && told.Last.UploadId == null, "the progress of one request");
            await storage.UploadFileAsync(Content(0, 2), "empty.bin");
            var large = await storage.UploadFileAsync(Content(2 * PartBytes + 3, 3), "large.bin", told = new Told());
            Expecting.That(told.Last.SentBytes == large.SizeBytes && told.Last.UploadId != null, "the progress of an upload");
            await storage.UploadFileAsync(Content(PartBytes - 1, 4), "one-put.bin");
            var replaced = new FileUpload { FileId = small.Id, MimeType = "text/plain" };
            await storage.UploadFileAsync(Content(PartBytes + 1, 5), replaced);
            await storage.UploadFileAsync(Content(10, 6), new FileUpload { FileId = large.Id });
            await UploadsOfAssets(storage);
            await Refusals(storage, small.Id);
        }
    }

    static async Task UploadsOfAssets(GameStorage storage)
    {
        var first = new AssetUpload { Name = "Harbour", AssetType = GameAssetType.World, Notes = "The first.", Tags = new List<string> { "sea" } };
        var uploaded = await storage.UploadAssetAsync(Content(100, 7), first);
        Expecting.That(uploaded.Version.Version == 1 && uploaded.Asset.Name == "Harbour", "the asset with its version");
        var next = await storage.UploadAssetAsync(
            Content(PartBytes + 1, 8), new AssetUpload { AssetId = uploaded.Asset.Id, Notes = "In parts." });
        Expecting.That(next.Version.Version == 2, "the next version");
    }

    static async Task Refusals(GameStorage storage, string id)
    {
        var wrong = new FileUpload { Name = "wrong.bin", ChecksumSha256 = Convert.ToBase64String(new byte[32]) };
        var mismatch = await Expecting.Error<StorageException>(() => storage.UploadFileAsync(Content(100, 9), wrong));
        Expecting.That(mismatch.Code == ErrorCodes.UploadMismatch, "UPLOAD_MISMATCH, not " + mismatch.Code);
        var old = new FileUpload { FileId = id, IfMatch = "\"0192f3c4-5d6e-7abc-8def-0123456789ab\"" };
        var changed = await Expecting.Error<StorageException>(() => storage.UploadFileAsync(Content(100, 10), old));
        Expecting.That(changed.Code == ErrorCodes.PreconditionFailed, "PRECONDITION_FAILED, not " + changed.Code);
        var stale = new FileUpload { FileId = id, IfMatch = old.IfMatch };
        var late = await Expecting.Error<StorageException>(() => storage.UploadFileAsync(Content(PartBytes + 1, 11), stale));
        Expecting.That(late.Code == ErrorCodes.PreconditionFailed, "PRECONDITION_FAILED, not " + late.Code);
    }

    /// <summary>It is given up after its first part, and resumed by another client with the id alone.</summary>
    public static async Task GivenUp(Game game)
    {
        string id = null;
        using (var storage = game.Open())
        using (var giveUp = new CancellationTokenSource())
        {
            var options = new FileUpload { Name = "resumed.bin", Parallel = 1, Started = upload => id = upload.Id };
            options.Progress = new Told { Then = progress => { if (progress.SentBytes >= PartBytes) giveUp.Cancel(); } };
            try
            {
                await storage.UploadFileAsync(Content(2 * PartBytes + 3, 12), options, giveUp.Token);
                throw new InvalidOperationException("Expected: an end after the first part");
            }
            catch (OperationCanceledException)
            {
                // The upload stays open.
            }
        }
        using (var storage = game.Open())
        {
            string resumed = null;
            var options = new FileUpload { UploadId = id, Started = upload => resumed = upload.Id };
            try
            {
                await storage.UploadFileAsync(Content(2 * PartBytes, 12), options);
                throw new InvalidOperationException("Expected: a refusal of other content");
            }
            catch (ArgumentException)
            {
                // It has another size.
            }
            var uploaded = await storage.UploadFileAsync(Content(2 * PartBytes + 3, 12), options);
            Expecting.That(uploaded.Name == "resumed.bin" && resumed == id, "the file of the upload");
        }
    }

    /// <summary>Its first part is another, its second the same, and its last was not recorded.</summary>
    public static async Task OtherContent(Game game)
    {
        const int size = 2 * PartBytes + 3;
        var bytes = Content(size, 16).ToArray();
        var other = Content(size, 17).ToArray();
        Array.Copy(bytes, PartBytes, other, PartBytes, PartBytes);
        string id = null;
        using (var storage = game.Open())
        using (var giveUp = new CancellationTokenSource())
        {
            var options = new FileUpload { Name = "other.bin", Parallel = 1, Started = upload => id = upload.Id };
            options.Progress = new Told { Then = progress => { if (progress.SentBytes > 2 * PartBytes) giveUp.Cancel(); } };
            try
            {
                await storage.UploadFileAsync(new MemoryStream(bytes), options, giveUp.Token);
            }
            catch (OperationCanceledException)
            {
                // Two parts are recorded, or all three.
            }
            var resumed = await storage.UploadFileAsync(new MemoryStream(other), new FileUpload { UploadId = id });
            var found = await storage.DownloadBytesAsync(Downloadable.File(resumed));
            Expecting.That(found.SequenceEqual(other), "the other content, and nothing of the first");
        }
        using (var storage = game.Open())
        {
            var one = Content(1000, 18);
            var start = new StartFileUpload { Name = "one-put.bin", SizeBytes = one.Length, MimeType = "application/octet-stream" };
            using (var hash = SHA256.Create()) start.ChecksumSha256 = Convert.ToBase64String(hash.ComputeHash(one.ToArray()));
            var begun = await storage.StartUploadAsync(start);
            var resume = new FileUpload { UploadId = begun.Id };
            var changed = await Expecting.Error<StorageException>(() => storage.UploadFileAsync(Content(1000, 19), resume));
            Expecting.That(changed.Code == ErrorCodes.ContentChanged, "CONTENT_CHANGED, not " + changed.Code);
            await storage.UploadFileAsync(one, resume);
        }
    }

    public static async Task Downloads(Game game)
    {
        const int size = 2 * PartBytes + 3;
        var whole = Content(size, 13).ToArray();
        using (var storage = game.Open())
        {
            var file = await storage.UploadFileAsync(new MemoryStream(whole), "large.bin");
            var what = Downloadable.File(file);
            var told = new ToldDownload();
            using (var target = new MemoryStream())
            {
                var result = await storage.DownloadAsync(what, target, new DownloadOptions { Progress = told });
                Expecting.That(target.ToArray().SequenceEqual(whole) && result.SizeBytes == size, "the content");
                Expecting.That(told.Last.WrittenBytes == size && result.ETag != null, "the progress to the end");
                await ExpectRange(storage, what, whole, 1000, 9000000, result.ETag);
                await ExpectRange(storage, what, whole, size - 1, null, result.ETag);
                await ExpectRange(storage, what, whole, size, null, result.ETag);
            }
            var beyond = await Expecting.Error<StorageException>(() => storage.DownloadBytesAsync(what, new DownloadOptions { Start = size + 2 }));
            Expecting.That(beyond.Code == ErrorCodes.StorageRefused && beyond.Status == 416, "STORAGE_REFUSED, not " + beyond.Code);
            var changed = await Expecting.Error<StorageException>(() => storage.DownloadBytesAsync(what, new DownloadOptions { ETag = "\"another\"" }));
            Expecting.That(changed.Code == ErrorCodes.PreconditionFailed, "PRECONDITION_FAILED, not " + changed.Code);
            var empty = await storage.UploadFileAsync(Content(0, 14), "empty.bin");
            Expecting.That((await storage.DownloadBytesAsync(Downloadable.File(empty))).Length == 0, "no bytes");
            Expecting.That((await storage.DownloadBytesAsync(Downloadable.File(empty.Id))).Length == 0, "no bytes by a signed URL");
            var asset = new AssetUpload { Name = "Harbour", AssetType = GameAssetType.World };
            var uploaded = await storage.UploadAssetAsync(Content(100, 15), asset);
            var version = await storage.DownloadBytesAsync(Downloadable.AssetVersion(uploaded.Asset.Id, 1));
            Expecting.That(version.SequenceEqual(Content(100, 15).ToArray()), "the content of the version");
            var missing = await Expecting.Error<StorageException>(() => storage.DownloadBytesAsync(Downloadable.File("0192f3c4-5d6e-7abc-8def-0123456789ab")));
            Expecting.That(missing.Code == ErrorCodes.FileNotFound, "FILE_NOT_FOUND, not " + missing.Code);
        }
    }

    static async Task ExpectRange(GameStorage storage, Downloadable what, byte[] whole, int start, int? end, string etag)
    {
        var range = new DownloadOptions { Start = start, End = end, ETag = etag };
        var bytes = await storage.DownloadBytesAsync(what, range);
        var expected = whole.Skip(start).Take((end ?? whole.Length) - start);
        Expecting.That(bytes.SequenceEqual(expected), "the bytes from " + start + " on, not " + bytes.Length + " bytes");
    }

    /// <summary>Sends a file through a network that is cut: PATH|NAME, or PATH||UPLOAD_ID to resume.</summary>
    public static async Task Send(Game game)
    {
        var given = game.Argument.Split('|');
        using (var storage = game.Open(Patient()))
        using (var content = File.OpenRead(given[0]))
        {
            var options = given.Length > 2 ? new FileUpload { UploadId = given[2] } : new FileUpload { Name = given[1] };
            options.Started = upload => Print("started " + upload.Id);
            var uploaded = await storage.UploadFileAsync(content, options);
            Print("file " + uploaded.Id);
        }
        PrintMemory();
    }

    /// <summary>Receives a file, going on where the file at the path ends: PATH|FILE_ID.</summary>
    public static async Task Receive(Game game)
    {
        var given = game.Argument.Split('|');
        using (var storage = game.Open(Patient()))
        using (var target = new FileStream(given[0], FileMode.Append))
        {
            Print("from " + target.Length);
            var options = new DownloadOptions { Start = target.Length };
            await storage.DownloadAsync(Downloadable.File(given[1]), target, options);
        }
        Print("received");
        PrintMemory();
    }

    static GameStorageOptions Patient()
    {
        var retry = new RetryOptions
        {
            Attempts = int.MaxValue,
            MinDelay = TimeSpan.FromMilliseconds(20),
            MaxDelay = TimeSpan.FromMilliseconds(200),
        };
        return new GameStorageOptions { Retry = retry };
    }

    static void Print(string line)
    {
        Console.WriteLine(line);
        Console.Out.Flush();
    }

    static void PrintMemory()
    {
        using (var process = Process.GetCurrentProcess()) Print("memory " + process.PeakWorkingSet64);
    }

    /// <summary>The same bytes for the same number, and others for another.</summary>
    static MemoryStream Content(int size, int number)
    {
        var bytes = new byte[size];
        for (var i = 0; i < size; i++) bytes[i] = (byte)(i * 31 + number * 17 + (i >> 8));
        return new MemoryStream(bytes);
    }

    sealed class Told : IProgress<UploadProgress>
    {
        public UploadProgress Last { get; private set; }

        public Action<UploadProgress> Then { get; set; }

        public void Report(UploadProgress progress)
        {
            Expecting.That(progress.SentBytes <= progress.SizeBytes, "no more than there is");
            Last = progress;
            if (Then != null) Then(progress);
        }
    }

    sealed class ToldDownload : IProgress<DownloadProgress>
    {
        public DownloadProgress Last { get; private set; }

        public void Report(DownloadProgress progress)
        {
            Last = progress;
        }
    }
}
