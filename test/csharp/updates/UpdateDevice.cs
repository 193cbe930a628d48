using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using EdgeGameStorage;

/// <summary>A device with a folder of installed content, and a network whose answers of storage the test sees and changes.</summary>
sealed class UpdateDevice : IDisposable
{
    readonly string token;
    readonly string url;

    public UpdateDevice(Users users)
    {
        url = users.Url;
        token = users.Take();
        Folder = Path.Combine(Path.GetTempPath(), "installed-" + Guid.NewGuid().ToString("N"));
    }

    public string Folder { get; }

    /// <summary>The first bytes that storage was asked for, a request each.</summary>
    public List<string> Ranges { get; } = new List<string>();

    /// <summary>What becomes of an answer of storage. Null: the network is cut.</summary>
    public Func<HttpAnswer, HttpAnswer> Passing { get; set; } = answer => answer;

    /// <summary>A client, as of a game that has started.</summary>
    public GameStorage Open(int attempts = 5)
    {
        var options = new GameStorageOptions
        {
            Platform = new Network(this),
            Retry = new RetryOptions { Attempts = attempts, MinDelay = TimeSpan.FromMilliseconds(1), MaxDelay = TimeSpan.FromMilliseconds(20) },
        };
        return new GameStorage(url, (renew, cancel) => Task.FromResult(token), options);
    }

    /// <summary>What is installed, as a game sees it that has started.</summary>
    public InstalledContent Installed()
    {
        return new InstalledContent(Folder);
    }

    /// <summary>Reads the bytes of an asset that is installed.</summary>
    public async Task<byte[]> BytesAsync(string assetId)
    {
        var installed = Installed();
        var version = (await installed.ListAsync()).Single(one => one.AssetId == assetId);
        using (var storage = Open()) return File.ReadAllBytes(await storage.GetInstalledPathAsync(installed, version));
    }

    public async Task<UpdateResult> UpdateAsync(params string[] wanted)
    {
        using (var storage = Open()) return await storage.UpdateAssetsAsync(Installed(), Wanting(wanted));
    }

    public static UpdateOptions Wanting(params string[] wanted)
    {
        return new UpdateOptions { Assets = wanted.Select(id => new WantedAsset(id)).ToList() };
    }

    /// <summary>Uploads a version of an asset, or a new asset, and returns its id.</summary>
    public async Task<string> UploadAsync(byte[] content, string assetId = null)
    {
        var upload = assetId == null
            ? new AssetUpload { Name = "World " + Guid.NewGuid(), AssetType = GameAssetType.World }
            : new AssetUpload { AssetId = assetId };
        using (var storage = Open()) return (await storage.UploadAssetAsync(new MemoryStream(content), upload)).Asset.Id;
    }

    public void Dispose()
    {
        if (Directory.Exists(Folder)) Directory.Delete(Folder, true);
    }

    sealed class Network : PlatformOver
    {
        readonly UpdateDevice device;

        public Network(UpdateDevice device)
            : base(new DotnetPlatform())
        {
            this.device = device;
        }

        public override async Task<HttpAnswer> SendAsync(HttpCall call, CancellationToken cancel)
        {
            var range = call.Headers.FirstOrDefault(header => header.Key == "Range").Value;
            if (range == null) return await base.SendAsync(call, cancel);
            lock (device.Ranges) device.Ranges.Add(range.Substring(0, range.IndexOf('-')));
            var answer = device.Passing(await base.SendAsync(call, cancel));
            if (answer == null) throw new IOException("The network is cut.");
            return answer;
        }
    }
}
