using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using EdgeGameStorage;

static class SaveTests
{
    public static readonly Tests All = new Tests
    {
        { "a save is read as it was written, whatever its bytes and texts are", AsWritten },
        { "a save is what it was when it was written, although the game goes on in the same buffer", CopiesBytes },
        { "writes that the game does not wait for follow each other", InOrder },
        { "a write whose answer is lost is repeated, and done once", Repeated },
        { "a write over anything is repeated, too, and does not go over what has come since", RepeatedOverAnything },
        { "equal bytes of two devices over one revision are a conflict: both had 5 coins, and both found one", EqualBytes },
        { "a write has the key of its repetitions, and each other write a key of its own", Keys },
        { "a text is sent in UTF-8 by each method that takes bytes, and null by none", Texts },
        { "a write without an answer is repeated before a newer one", BeforeNewer },
        { "a write without an answer is done once when the game writes the same again", SameAgain },
        { "a canceled write may be done, and is repeated before a newer one", Canceled },
        { "a write that the service never takes does not hold up the next", NeverTaken },
        { "a text that no request can carry is refused, and does not hold up the next write", BadTexts },
        { "what answers in place of the service is not taken for its answer", OtherAnswers },
        { "a restore and a deletion are guarded by the revision that this client knows, and say what is there", Guarded },
    };

    /// <summary>The service refuses the label.</summary>
    static readonly SaveWriteOptions NoMediaType = new SaveWriteOptions { MimeType = "nonsense" };

    static async Task AsWritten(Users users)
    {
        var saves = new TestDevice(users).Open().Saves;
        var every = Enumerable.Range(0, 256).Select(unit => (byte)unit).ToArray();
        var options = new SaveWriteOptions
        {
            Device = "Ada’s phone", Label = "100 % 漢字 🎮, \"Mühle\"(~!*')", PlayedSeconds = 3600, MimeType = "application/x-level",
        };
        var save = await saves.WriteAsync("auto", every, options);
        Expecting.Equal("auto 1 256 \"1\" " + options.Label, string.Join(" ", save.Slot, save.Revision, save.SizeBytes, save.ETag, save.Label));
        var read = await saves.ReadAsync("auto");
        Expecting.That(read.Bytes.SequenceEqual(every), "the same bytes");
        Expecting.Listed(
            new[] { read.Slot, read.Revision.ToString(), read.MimeType, read.Device, read.Label, read.PlayedSeconds.ToString() },
            "auto", "1", options.MimeType, options.Device, options.Label, "3600");
        await saves.WriteAsync("empty", new byte[0], new SaveWriteOptions { MimeType = "application/json" });
        read = await saves.ReadAsync("empty");
        Expecting.That(read.Bytes.Length == 0 && read.Device == null && read.Label == null && read.PlayedSeconds == null, "an empty save");
    }

    static async Task CopiesBytes(Users users)
    {
        var device = new TestDevice(users);
        var buffer = Expecting.Bytes("before");
        var writing = device.Open().Saves.WriteAsync("auto", buffer);
        Array.Clear(buffer, 0, buffer.Length);
        await writing;
        Expecting.Equal("before", await device.AtService());
    }

    static async Task InOrder(Users users)
    {
        var saves = new TestDevice(users).Open().Saves;
        var writing = new[] { "one", "two", "three" }.Select(text => saves.WriteAsync("auto", Expecting.Bytes(text))).ToArray();
        Expecting.Listed((await Task.WhenAll(writing)).Select(save => save.Revision.ToString()), "1", "2", "3");
    }

    static async Task Repeated(Users users)
    {
        var device = new TestDevice(users);
        device.Network.Lost = 2;
        Expecting.Equal(1, (await device.Open(5).Saves.WriteAsync("auto", Expecting.Bytes("one"))).Revision);
        Expecting.Listed(device.Network.Sent, "* one", "* one", "* one");
    }

    static async Task RepeatedOverAnything(Users users)
    {
        var phone = new TestDevice(users);
        var tablet = new TestDevice(users, phone.Token);
        var over = new SaveWriteOptions { Overwrite = true };
        phone.Network.Lost = 1;
        phone.Network.Arriving = async call =>
        {
            phone.Network.Arriving = null;
            await tablet.Open().Saves.WriteAsync("auto", "theirs", over);
        };
        Expecting.Equal(1, (await phone.Open(5).Saves.WriteAsync("auto", "mine", over)).Revision);
        Expecting.Listed(phone.Network.Sent, "any mine", "any mine");
        Expecting.Equal("theirs", await tablet.AtService());
    }

    static async Task EqualBytes(Users users)
    {
        var device = new TestDevice(users);
        var phone = device.Open().Saves;
        var tablet = device.Open().Saves;
        await phone.WriteAsync("auto", "5 coins");
        await tablet.ReadAsync("auto");
        await phone.WriteAsync("auto", "6 coins");
        var conflict = await Expecting.Error<SaveConflict>(() => tablet.WriteAsync("auto", "6 coins"));
        Expecting.Equal(2, conflict.Current.Revision);
    }

    static async Task Keys(Users users)
    {
        var device = new TestDevice(users);
        var keys = new List<string>();
        device.Network.Arriving = call =>
        {
            keys.Add(call.Headers.Single(header => header.Key == "Idempotency-Key").Value);
            return Task.FromResult(true);
        };
        device.Network.Lost = 2;
        var saves = device.Open(2).Saves;
        var keep = new SaveWriteOptions { Keep = true };
        await Expecting.Code(ErrorCodes.NetworkError, () => saves.WriteAsync("auto", "one", keep));
        Expecting.Equal(1, (await saves.WriteAsync("auto", "one", keep)).Revision);
        Expecting.Equal(2, (await saves.WriteAsync("auto", "one", keep)).Revision);
        Expecting.Equal("4 2 1", keys.Count + " " + keys.Distinct().Count() + " " + keys.Take(3).Distinct().Count());
    }

    static async Task Texts(Users users)
    {
        const string Text = "{\"of\":\"Müller 🎮\"}";
        var device = new TestDevice(users);
        var storage = device.Open();
        await storage.Saves.WriteAsync("auto", Text);
        Expecting.Equal(Text, await device.AtService());
        var other = device.Open().Saves;
        var conflict = await Expecting.Error<SaveConflict>(() => other.WriteAsync("auto", "other"));
        await conflict.ResolveAsync(Text + "2");
        Expecting.Equal(Text + "2", await device.AtService());
        var started = device.Start();
        await started.Saves.WriteAsync("offline", Text);
        await started.Saves.FlushAsync();
        Expecting.Equal(Text, await device.AtService("offline"));
        var file = await storage.CreateContentAsync(Text, "text/plain", new CreateContentQuery { Name = "a.txt" });
        Expecting.Equal(Text, Expecting.Text((await storage.GetContentAsync(file.Id)).Bytes));
        await storage.ReplaceContentAsync(file.Id, Expecting.Bytes("bytes"), "text/plain");
        Expecting.Equal("bytes", Expecting.Text((await storage.GetContentAsync(file.Id)).Bytes));

        var sent = device.Network.Sent.Count;
        string nothing = null;
        byte[] none = null;
        foreach (var act in new Func<Task>[]
        {
            () => storage.Saves.WriteAsync("auto", nothing), () => storage.Saves.WriteAsync("auto", none), () => started.Saves.WriteAsync("auto", nothing),
            () => conflict.ResolveAsync(nothing), () => storage.CreateContentAsync(nothing, "text/plain", new CreateContentQuery { Name = "a" }),
            () => storage.ReplaceContentAsync(file.Id, none, "text/plain"), () => storage.Saves.WriteAsync("auto", "a\ud800"),
        })
            await Expecting.Error<ArgumentException>(act);
        Expecting.Equal(sent, device.Network.Sent.Count);
    }

    static async Task BeforeNewer(Users users)
    {
        var device = new TestDevice(users);
        device.Network.Lost = 1;
        var saves = device.Open().Saves;
        await Expecting.Code(ErrorCodes.NetworkError, () => saves.WriteAsync("auto", Expecting.Bytes("one")));
        Expecting.Equal(2, (await saves.WriteAsync("auto", Expecting.Bytes("two"))).Revision);
        Expecting.Listed(device.Network.Sent, "* one", "* one", "\"1\" two");
    }

    static async Task SameAgain(Users users)
    {
        var device = new TestDevice(users);
        device.Network.Lost = 1;
        var saves = device.Open().Saves;
        await Expecting.Code(ErrorCodes.NetworkError, () => saves.WriteAsync("auto", Expecting.Bytes("one")));
        Expecting.Equal(1, (await saves.WriteAsync("auto", Expecting.Bytes("one"))).Revision);
    }

    static async Task Canceled(Users users)
    {
        var device = new TestDevice(users);
        var saves = device.Open(5).Saves;
        var cancel = new CancellationTokenSource();
        device.Network.Arriving = call =>
        {
            device.Network.Arriving = null;
            cancel.Cancel();
            return Task.FromResult(true);
        };
        await Expecting.Error<OperationCanceledException>(() => saves.WriteAsync("auto", Expecting.Bytes("one"), null, cancel.Token));
        Expecting.Equal(2, (await saves.WriteAsync("auto", Expecting.Bytes("two"))).Revision);
        Expecting.Listed(device.Network.Sent, "* one", "* one", "\"1\" two");
    }

    static async Task NeverTaken(Users users)
    {
        var device = new TestDevice(users);
        var saves = device.Open().Saves;
        device.Network.IsOnline = false;
        await Expecting.Code(ErrorCodes.NetworkError, () => saves.WriteAsync("auto", new byte[1], NoMediaType));
        device.Network.IsOnline = true;
        Expecting.Equal(1, (await saves.WriteAsync("auto", Expecting.Bytes("two"))).Revision);
        Expecting.Equal(2, device.Network.Sent.Count);
    }

    static async Task BadTexts(Users users)
    {
        var saves = new TestDevice(users).Open().Saves;
        foreach (var options in new[]
        {
            new SaveWriteOptions { Label = "\ud800" }, new SaveWriteOptions { Device = "a\udc00" }, new SaveWriteOptions { MimeType = "a\nb" },
            new SaveWriteOptions { Label = "a\0" }, new SaveWriteOptions { Label = "\u202eexe" }, new SaveWriteOptions { Device = " " },
            new SaveWriteOptions { Label = string.Concat(Enumerable.Repeat("😀", 256)) }, new SaveWriteOptions { Device = new string('a', 65) },
            new SaveWriteOptions { Label = "\u200b\u2060 \U000e0001" },
        })
            await Expecting.Error<ArgumentException>(() => saves.WriteAsync("auto", new byte[1], options));
        await Expecting.Error<ArgumentException>(() => saves.WriteAsync("..", new byte[1]));
        var longest = new SaveWriteOptions { Label = string.Concat(Enumerable.Repeat("😀", 255)), Device = "\U000e0001a" };
        Expecting.Equal(1, (await saves.WriteAsync("auto", Expecting.Bytes("one"), longest)).Revision);
    }

    static async Task OtherAnswers(Users users)
    {
        var device = new TestDevice(users);
        var template = "{{\"slot\":\"{0}\",\"revision\":{1},\"size_bytes\":{2},\"mime_type\":\"a/b\",\"checksum_sha256\":\"\",\"device\":null,"
            + "\"label\":null,\"played_seconds\":null,\"created_at\":1,\"updated_at\":1}}";
        foreach (var body in new[] { "{}", "[]", Format(template, "b", 1, 3), Format(template, "auto", 1, 0), Format(template, "auto", "\"1\"", 3) })
        {
            device.Network.Proxy = call => Answer("application/json", body);
            await Expecting.Code(ErrorCodes.NetworkError, () => device.Open().Saves.WriteAsync("auto", Expecting.Bytes("one")));
        }
        device.Network.Proxy = call => Answer("text/plain", "one", null, "id");
        await Expecting.Code(ErrorCodes.ETagStripped, () => device.Open().Saves.ReadAsync("auto"));
        foreach (var tag in new[] { "\"page\"", "\"\"", "1", "W/\"-1\"" })
        {
            device.Network.Proxy = call => Answer("text/html", "<html>", tag, "id");
            await Expecting.Code(ErrorCodes.NetworkError, () => device.Open().Saves.ReadAsync("auto"));
        }
        device.Network.Proxy = call => Answer("text/html", "<html>", "\"1\"");
        await Expecting.Code(ErrorCodes.NetworkError, () => device.Open().Saves.ReadAsync("auto"));
        device.Network.Proxy = call => Answer("text/plain", "one", "W/\"12\"", "id");
        Expecting.Equal(12, (await device.Open().Saves.ReadAsync("auto")).Revision);
    }

    static async Task Guarded(Users users)
    {
        var device = new TestDevice(users);
        var phone = device.Open().Saves;
        var tablet = device.Open().Saves;
        await phone.WriteAsync("auto", Expecting.Bytes("one"));
        await tablet.WriteAsync("auto", Expecting.Bytes("two"), new SaveWriteOptions { Overwrite = true });
        foreach (var change in new Func<Task>[] { () => phone.RestoreAsync("auto", 1), () => phone.DeleteAsync("auto") })
        {
            var refusal = await Expecting.Error<StorageException>(change);
            Expecting.Equal("PRECONDITION_FAILED 2", refusal.Code + " " + refusal.Current.Revision);
        }
        var over = new SaveChangeOptions { Overwrite = true };
        await Expecting.Code(ErrorCodes.PreconditionFailed, () => phone.DeleteAsync("auto", new SaveChangeOptions { Revision = 1 }));
        Expecting.Equal(3, (await phone.RestoreAsync("auto", 1, new SaveChangeOptions { Revision = 2 })).Revision);
        Expecting.Equal(4, (await phone.WriteAsync("auto", Expecting.Bytes("four"))).Revision);
        await tablet.DeleteAsync("auto", over);
        Expecting.Equal(0, (await phone.ListAsync()).Saves.Count);
        Expecting.Listed((await phone.ListAsync(true)).Saves.Select(save => save.Slot + " " + save.Revision), "auto 4");
        Expecting.Equal(5, (await tablet.RestoreAsync("auto")).Revision);
        Expecting.Equal("one", Expecting.Text((await phone.ReadAsync("auto", 1)).Bytes));
        Expecting.Equal(4, (await phone.ListRevisionsAsync("auto")).Revisions.Count(revision => !revision.IsCurrent));
    }

    static string Format(string template, params object[] values)
    {
        return string.Format(CultureInfo.InvariantCulture, template, values);
    }

    static HttpAnswer Answer(string type, string body, string tag = null, string request = null)
    {
        var headers = new Dictionary<string, string> { { "Content-Type", type } };
        if (tag != null) headers.Add("ETag", tag);
        if (request != null) headers.Add("X-Request-Id", request);
        return new HttpAnswer(200, headers, Encoding.UTF8.GetBytes(body));
    }
}
