using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading.Tasks;
using EdgeGameStorage;

static class UpdateTests
{
    public static readonly Tests All = new Tests
    {
        { "an update says what is newer than a list, and downloads nothing", Found },
        { "an update installs what is wanted with its progress, and a second one downloads nothing", Installed },
        { "an update that was cut goes on where it was, also after a restart", Resumed },
        { "content with a wrong byte is downloaded once more, from the start", WrongByte },
        { "content that stays wrong is never installed: the old version stays, and the next asset is updated", StaysWrong },
        { "the same bytes of two assets are downloaded once, and stay for the one when the other has changed", Shared },
        { "two clients that update one folder at the same time download once", TwoClients },
        { "content that the disk has damaged is never given out, and a folder that is gone is filled again", DamagedOnDisk },
        { "what says what is installed is passed over where it is damaged, and the next update installs it again", DamagedList },
        { "what is removed leaves nothing in the folder but its locks", Removed },
        { "a player gets what was released, what fits the build and the platform, and with its key what a channel has", Released },
    };

    /// <summary>A download takes three pieces.</summary>
    const int LargeBytes = 17 * 1024 * 1024;

    static async Task Found(Users users)
    {
        using (var device = new UpdateDevice(users))
        using (var storage = device.Open())
        {
            var id = await device.UploadAsync(Expecting.Bytes("one"));
            await device.UploadAsync(Expecting.Bytes("three"), id);
            const string unknown = "0192f3c4-5d6e-7abc-8def-0123456789ab";
            var list = new[] { id, unknown }.Select(one => new InstalledVersion { AssetId = one, Version = 1 }).ToList();
            var found = await storage.FindUpdatesAsync(list, new UpdateOptions { Platform = "windows" });
            var update = found.Updates.Single();
            Expecting.Equal(id + " 2 5", update.AssetId + " " + update.Version + " " + update.SizeBytes);
            Expecting.That(update.Platform == null && update.ChecksumSha256 != null, "content for all, with a checksum");
            Expecting.Equal(unknown + " ASSET_NOT_FOUND", found.Refused.Single().AssetId + " " + found.Refused.Single().Code);
            var many = Enumerable.Range(0, 101).Select(number => new InstalledVersion { AssetId = Guid.NewGuid().ToString(), Version = 1 }).ToList();
            Expecting.Equal(101, (await storage.FindUpdatesAsync(many)).Refused.Count);
            Expecting.Equal(0, device.Ranges.Count);
        }
    }

    static async Task Installed(Users users)
    {
        using (var device = new UpdateDevice(users))
        using (var storage = device.Open())
        {
            var id = await device.UploadAsync(Expecting.Bytes("one tower"));
            var told = new List<string>();
            var options = UpdateDevice.Wanting(id);
            options.Progress = new Watch(progress => told.Add(progress.AssetId + " " + progress.ReceivedBytes + "/" + progress.SizeBytes));
            var found = await storage.UpdateAssetsAsync(device.Installed(), options);
            Expecting.Equal("1 0", found.Updates.Count + " " + found.Refused.Count);
            Expecting.That(told.Contains(id + " 0/9") && told.Contains(id + " 9/9"), "progress, not " + string.Join(", ", told));
            Expecting.Equal("one tower", Expecting.Text(await device.BytesAsync(id)));
            found = await device.UpdateAsync(id);
            Expecting.Equal("0 0", found.Updates.Count + " " + found.Refused.Count);
            Expecting.Listed(device.Ranges, "bytes=0");
        }
    }

    static async Task Resumed(Users users)
    {
        using (var device = new UpdateDevice(users))
        {
            var old = await device.UploadAsync(Expecting.Bytes("old"));
            await device.UpdateAsync(old);
            var content = new byte[LargeBytes];
            new Random(7).NextBytes(content);
            await device.UploadAsync(content, old);
            File.WriteAllText(Path.Combine(device.Folder, "another.content"), "of a process that was killed");
            device.Ranges.Clear();
            device.Passing = answer => device.Ranges.Count == 2 ? null : answer;
            using (var storage = device.Open(1))
                await Expecting.Code(ErrorCodes.NetworkError, () => storage.UpdateAssetsAsync(device.Installed()));
            Expecting.Equal("old", Expecting.Text(await device.BytesAsync(old)));
            device.Ranges.Clear();
            device.Passing = answer => answer;
            Expecting.Equal(2L, (await device.UpdateAsync()).Updates.Single().Version);
            // The byte before the first is asked for, too.
            Expecting.Equal("bytes=" + (8 * 1024 * 1024 - 1), device.Ranges[0]);
            Expecting.That((await device.BytesAsync(old)).SequenceEqual(content), "the bytes that were uploaded");
            Expecting.Equal(1, Directory.GetFiles(device.Folder, "*.content").Length);
            Expecting.Equal(0, Directory.GetFiles(device.Folder, "*.part").Length);
        }
    }

    static async Task WrongByte(Users users)
    {
        using (var device = new UpdateDevice(users))
        {
            var id = await device.UploadAsync(Expecting.Bytes("one tower"));
            device.Passing = answer => device.Ranges.Count == 1 ? Wrong(answer) : answer;
            await device.UpdateAsync(id);
            Expecting.Listed(device.Ranges, "bytes=0", "bytes=0");
            Expecting.Equal("one tower", Expecting.Text(await device.BytesAsync(id)));
        }
    }

    static async Task StaysWrong(Users users)
    {
        using (var device = new UpdateDevice(users))
        {
            var id = await device.UploadAsync(Expecting.Bytes("old"));
            await device.UpdateAsync(id);
            await device.UploadAsync(Expecting.Bytes("the new one"), id);
            var next = await device.UploadAsync(Expecting.Bytes("next"));
            device.Passing = answer => answer.Body.Length == 4 ? answer : Wrong(answer);
            var found = await device.UpdateAsync(next);
            Expecting.Equal(next, found.Updates.Single().AssetId);
            Expecting.Equal(id + " CONTENT_DAMAGED", found.Refused.Single().AssetId + " " + found.Refused.Single().Code);
            Expecting.Equal("old", Expecting.Text(await device.BytesAsync(id)));
            Expecting.Equal("next", Expecting.Text(await device.BytesAsync(next)));
        }
    }

    static async Task Shared(Users users)
    {
        using (var device = new UpdateDevice(users))
        {
            var one = await device.UploadAsync(Expecting.Bytes("the same"));
            var other = await device.UploadAsync(Expecting.Bytes("the same"));
            await device.UpdateAsync(one, other);
            Expecting.Listed(device.Ranges, "bytes=0");
            await device.UploadAsync(Expecting.Bytes("another"), one);
            await device.UpdateAsync();
            Expecting.Equal("another", Expecting.Text(await device.BytesAsync(one)));
            Expecting.Equal("the same", Expecting.Text(await device.BytesAsync(other)));
        }
    }

    static async Task TwoClients(Users users)
    {
        using (var device = new UpdateDevice(users))
        {
            var id = await device.UploadAsync(Expecting.Bytes("one tower"));
            var both = await Task.WhenAll(device.UpdateAsync(id), device.UpdateAsync(id));
            Expecting.That(both.All(found => found.Updates.Single().Version == 1), "both are up to date");
            Expecting.Listed(device.Ranges, "bytes=0");
            Expecting.Equal("one tower", Expecting.Text(await device.BytesAsync(id)));
        }
    }

    static async Task DamagedOnDisk(Users users)
    {
        using (var device = new UpdateDevice(users))
        using (var storage = device.Open())
        {
            var id = await device.UploadAsync(Expecting.Bytes("one tower"));
            await device.UpdateAsync(id);
            File.WriteAllText(Directory.GetFiles(device.Folder, "*.content").Single(), "one t0wer");
            var installed = device.Installed();
            var version = (await installed.ListAsync()).Single();
            await Expecting.Code(ErrorCodes.ContentDamaged, () => storage.GetInstalledPathAsync(installed, version));
            Expecting.Equal(0, (await installed.ListAsync()).Count);
            await device.UpdateAsync();
            Expecting.Equal("one tower", Expecting.Text(await device.BytesAsync(id)));

            Directory.Delete(device.Folder, true);
            Expecting.Equal(0, (await installed.ListAsync()).Count);
            await storage.UpdateAssetsAsync(installed, UpdateDevice.Wanting(id));
            Expecting.Equal("one tower", Expecting.Text(await device.BytesAsync(id)));
        }
    }

    static async Task DamagedList(Users users)
    {
        using (var device = new UpdateDevice(users))
        {
            var id = await device.UploadAsync(Expecting.Bytes("one tower"));
            await device.UpdateAsync(id);
            var folder = Path.Combine(device.Folder, "installed");
            var list = new FileSaveStore(folder);
            var whole = Expecting.Text(await list.GetAsync("installed"));
            var lists = new[]
            {
                "", "{", "[]", "5", "null", "{}", "{\"installed\":5}", "{\"installed\":[5,null,{}]}",
                whole.Replace("\"version\":1", "\"version\":\"1\""), whole.Replace(id, "/").Replace("\"checksum_sha256\":", "\"checksum\":"),
            };
            foreach (var damaged in lists)
            {
                await list.SetAsync("installed", Expecting.Bytes(damaged));
                Expecting.Equal(0, (await device.Installed().ListAsync()).Count);
                await device.UpdateAsync();
                await device.UpdateAsync(id);
                Expecting.Equal("one tower", Expecting.Text(await device.BytesAsync(id)));
            }
            await list.SetAsync("installed", Expecting.Bytes(whole.Replace("[", "[{\"asset_id\":1},")));
            Expecting.Equal("one tower", Expecting.Text(await device.BytesAsync(id)));
            File.WriteAllText(Directory.GetFiles(folder).Single(), "damaged");
            Expecting.Equal(0, (await device.Installed().ListAsync()).Count);
            await device.UpdateAsync(id);
            Expecting.Equal("one tower", Expecting.Text(await device.BytesAsync(id)));
        }
    }

    static async Task Removed(Users users)
    {
        using (var device = new UpdateDevice(users))
        using (var storage = device.Open())
        {
            var id = await device.UploadAsync(Expecting.Bytes("one tower"));
            await device.UpdateAsync(id);
            await storage.RemoveInstalledAsync(device.Installed(), id);
            Expecting.Equal(0, (await device.Installed().ListAsync()).Count);
            Expecting.That(Directory.GetFiles(device.Folder).All(path => path.EndsWith(".lock", StringComparison.Ordinal)), "no content");
        }
    }

    static async Task Released(Users users)
    {
        using (var creator = new UpdateDevice(users))
        using (var player = new UpdateDevice(users))
        using (var storage = creator.Open())
        using (var game = player.Open())
        {
            var id = await creator.UploadAsync(Expecting.Bytes("one"));
            await Upload(storage, new AssetUpload { AssetId = id, MinBuild = 200 }, "two");
            await Upload(storage, new AssetUpload { AssetId = id }, "three");
            await Upload(storage, new AssetUpload { AssetId = id, Version = 2, Platform = "android" }, "two for android");
            var asset = await storage.EditAssetAsync(id, new EditAsset { Visibility = Visibility.Public });
            var live = await storage.ReleaseAsync(id, 2, new ChangeOptions { IfMatch = asset.ETag });
            Expecting.Equal("live 2", live.Channel + " " + live.Version);
            var beta = await storage.SetChannelAsync(id, "beta", new SetChannel { Version = 3 });
            Func<UpdateOptions, string, Task<string>> get = async (options, key) =>
            {
                options.Assets = new[] { new WantedAsset(id, key) };
                await game.RemoveInstalledAsync(player.Installed(), id);
                await game.UpdateAssetsAsync(player.Installed(), options);
                return Expecting.Text(await player.BytesAsync(id));
            };
            Expecting.Equal("two", await get(new UpdateOptions(), null));
            Expecting.Equal("one", await get(new UpdateOptions { Build = 100 }, null));
            Expecting.Equal("two for android", await get(new UpdateOptions { Platform = "android", Build = 300 }, null));
            Expecting.Equal("three", await get(new UpdateOptions(), beta.Key));
        }
    }

    static Task Upload(GameStorage storage, AssetUpload upload, string content)
    {
        return storage.UploadAssetAsync(new MemoryStream(Expecting.Bytes(content)), upload);
    }

    static HttpAnswer Wrong(HttpAnswer answer)
    {
        answer.Body[0] ^= 1;
        return answer;
    }

    sealed class Watch : IProgress<UpdateProgress>
    {
        readonly Action<UpdateProgress> told;

        public Watch(Action<UpdateProgress> told)
        {
            this.told = told;
        }

        public void Report(UpdateProgress value)
        {
            told(value);
        }
    }
}
