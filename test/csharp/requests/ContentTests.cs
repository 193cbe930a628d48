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
        { "content that has become longer is sent as long as it was", Longer },
    };

    static async Task Unreadable(Users users)
    {
        foreach (var parts in new[] { 0, 2 })
        {
            var service = new UploadService(parts);
            using (var storage = service.Platform.Open())
            {
                var error = await Expecting.Error<IOException>(() => storage.Upload(new FailingStream(), Options()));
                Expecting.Equal("The disk is gone.", error.Message);
            }
            Expecting.Equal(1, service.Puts);
        }
    }

    static async Task Shorter(Users users)
    {
        foreach (var parts in new[] { 0, 2 })
        {
            var content = new MemoryStream(new byte[2 * PartSize]);
            var service = new UploadService(parts) { Started = () => content.SetLength(PartSize / 2) };
            using (var storage = service.Platform.Open()) await Expecting.Error<EndOfStreamException>(() => storage.Upload(content, Options()));
            Expecting.Equal(1, service.Puts);
        }
    }

    static async Task Longer(Users users)
    {
        var content = new MemoryStream();
        content.SetLength(2 * PartSize);
        var service = new UploadService(0) { Started = () => content.SetLength(3 * PartSize) };
        using (var storage = service.Platform.Open()) await Expecting.Code(ErrorCodes.FileNotFound, () => storage.Upload(content, Options()));
        Expecting.Equal(2 * PartSize, service.Received);
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
