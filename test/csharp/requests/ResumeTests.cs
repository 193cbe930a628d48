using System;
using System.IO;
using System.Linq;
using System.Security.Cryptography;
using System.Threading.Tasks;
using EdgeGameStorage;

static class ResumeTests
{
    public static readonly Tests All = new Tests
    {
        { "a recorded part that storage no longer has is sent again, after those of this run", Overwritten },
        { "an upload is completed with the numbers and ETags of its parts alone: a body of 1 MiB has to hold 10,000", Completion },
        { "content that has changed before a part is sent again ends the upload, though it has the same length", Changed },
    };

    static async Task Overwritten(Users users)
    {
        var service = new UploadService(2) { Recorded = Part("lost"), Overwritten = "lost" };
        using (var storage = service.Platform.Open())
        {
            var options = new FileUpload { UploadId = "u", Parallel = 1 };
            var content = new MemoryStream(new byte[2 * UploadService.PartSize]);
            await Expecting.Code(ErrorCodes.FileNotFound, () => storage.UploadFileAsync(content, options));
        }
        var puts = service.Platform.Sent.Where(call => call.Method == "PUT").Select(call => call.Url);
        Expecting.Listed(puts, "http://storage/2", "http://storage/2", "http://storage/1");
    }

    static async Task Completion(Users users)
    {
        var service = new UploadService(2) { Recorded = Part("first") };
        using (var storage = service.Platform.Open())
        {
            var content = new MemoryStream(new byte[2 * UploadService.PartSize]);
            await Expecting.Code(ErrorCodes.FileNotFound, () => storage.UploadFileAsync(content, new FileUpload { UploadId = "u" }));
        }
        using (var body = service.Platform.Sent.Last().Body.Open())
        using (var reader = new StreamReader(body))
        {
            var part2 = "{\"part_number\":2,\"etag\":\"\\\"e\\\"\"}";
            var parts = reader.ReadToEnd();
            Expecting.That(parts.Contains(part2) && parts.Contains("{\"part_number\":1,\"etag\":\"first\"}"), "ETags alone, not " + parts);
        }
    }

    static async Task Changed(Users users)
    {
        var content = new byte[2 * UploadService.PartSize];
        var service = new UploadService(2) { Recorded = Part("lost"), Overwritten = "lost" };
        service.Completing = () => content[UploadService.PartSize] = 1;
        using (var storage = service.Platform.Open())
        {
            var options = new FileUpload { UploadId = "u", Parallel = 1 };
            await Expecting.Code(ErrorCodes.ContentChanged, () => storage.UploadFileAsync(new MemoryStream(content), options));
        }
        Expecting.Equal(1, service.Puts);
    }

    /// <summary>The first part, recorded with this ETag.</summary>
    static string Part(string etag)
    {
        using (var hash = SHA256.Create())
        {
            var checksum = Convert.ToBase64String(hash.ComputeHash(new byte[UploadService.PartSize]));
            return "{\"part_number\":1,\"etag\":\"" + etag + "\",\"checksum_sha256\":\"" + checksum + "\"}";
        }
    }
}
