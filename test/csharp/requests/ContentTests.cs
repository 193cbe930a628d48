using System;
using System.IO;
using System.Threading.Tasks;
using EdgeGameStorage;

static class ContentTests
{
    const int PartSize = UploadService.PartSize;

    public static readonly Tests All = new Tests
    {
        { "content that can't be read ends an upload with its own error, and nothing is repeated", Unreadable },
        { "content that has become shorter ends an upload, and nothing is repeated", Shorter },
        { "content that has become longer ends an upload, and nothing is repeated", Longer },
        { "a file that is written meanwhile ends an upload, though it has the same length", Written },
        { "a file that the game has just written by the same stream is sent, whenever its time reaches the disk", Unflushed },
    };

    static async Task Unreadable(Users users)
    {
        foreach (var parts in new[] { 0, 2 })
        {
            var service = new UploadService(parts);
            using (var storage = service.Platform.Open())
            {
                var error = await Expecting.Error<IOException>(() => storage.UploadFileAsync(new FailingStream(), Options()));
                Expecting.Equal("The disk is gone.", error.Message);
            }
            // A part is read before it is sent, for its checksum.
            Expecting.Equal(parts == 0 ? 1 : 0, service.Puts);
        }
    }

    static async Task Shorter(Users users)
    {
        await Changes(content => content.SetLength(PartSize / 2));
    }

    static async Task Longer(Users users)
    {
        await Changes(content => content.SetLength(3 * PartSize));
    }

    /// <summary>Content that is changed once its upload has begun, and after a part of it has been sent.</summary>
    static async Task Changes(Action<Stream> change)
    {
        foreach (var parts in new[] { 0, 2 })
        {
            var content = new MemoryStream();
            content.SetLength(2 * PartSize);
            var service = new UploadService(parts) { Started = () => change(content) };
            await Ends(service, content);
            content.SetLength(2 * PartSize);
            service = new UploadService(parts) { Taken = () => change(content) };
            await Ends(service, content);
            Expecting.Equal(1, service.Puts);
        }
    }

    static async Task Written(Users users)
    {
        var path = Path.GetTempFileName();
        try
        {
            File.WriteAllBytes(path, new byte[2 * PartSize]);
            foreach (var parts in new[] { 0, 2 })
                using (var content = File.OpenRead(path))
                {
                    File.SetLastWriteTimeUtc(path, new DateTime(2026, 1, 1, 0, 0, 0, DateTimeKind.Utc));
                    var service = new UploadService(parts)
                    {
                        Taken = () => File.SetLastWriteTimeUtc(path, new DateTime(2026, 1, 1, 0, 0, 1, DateTimeKind.Utc)),
                    };
                    await Ends(service, content);
                    Expecting.Equal(1, service.Puts);
                }
        }
        finally
        {
            File.Delete(path);
        }
    }

    static async Task Unflushed(Users users)
    {
        var path = Path.GetTempFileName();
        try
        {
            foreach (var parts in new[] { 0, 2 })
                using (var content = new FileStream(path, FileMode.Create, FileAccess.ReadWrite))
                {
                    content.Write(new byte[2 * PartSize - 1], 0, 2 * PartSize - 1);
                    content.WriteByte(1);
                    var service = new UploadService(parts)
                    {
                        Started = () => File.SetLastWriteTimeUtc(path, new DateTime(2026, 1, 1, 0, 0, 0, DateTimeKind.Utc)),
                    };
                    using (var storage = service.Platform.Open())
                        await Expecting.Code(ErrorCodes.FileNotFound, () => storage.UploadFileAsync(content, Options()));
                }
        }
        finally
        {
            File.Delete(path);
        }
    }

    static async Task Ends(UploadService service, Stream content)
    {
        using (var storage = service.Platform.Open())
            await Expecting.Code(ErrorCodes.ContentChanged, () => storage.UploadFileAsync(content, Options()));
    }

    static FileUpload Options()
    {
        return new FileUpload { Name = "a", Parallel = 1, ChecksumSha256 = new string('A', 43) + "=" };
    }

    /// <summary>A file on a disk that is taken away.</summary>
    sealed class FailingStream : MemoryStream
    {
        public FailingStream()
            : base(new byte[2 * PartSize])
        {
        }

        public override int Read(byte[] buffer, int offset, int count)
        {
            throw new IOException("The disk is gone.");
        }
    }
}
