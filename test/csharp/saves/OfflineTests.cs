using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading.Tasks;
using EdgeGameStorage;

/// <summary>As test/client/offline-saves.test.ts.</summary>
static class OfflineTests
{
    public static readonly Tests All = new Tests
    {
        { "a save without a network waits, and is sent when the network is back, as all that it is", Waits },
        { "a save that waits is sent by itself", ByItself },
        { "a save that waits is sent after a restart", AfterRestart },
        { "a save that waits is replaced by the next, which keeps the revision that both replace", ReplacedByNext },
        { "what waits can be read, as can what was sent or read last", CanBeRead },
        { "a device without a network lists what it can read, and says what of it waits", OnDevice },
        { "an older save that is read does not replace what was written meanwhile", OlderRead },
        { "a save without an answer is repeated before a newer one is sent, also after a restart", LostAnswer },
        { "a save that the service refuses stays, is told, and holds up no other slot", RefusedSave },
        { "a save for a slot that has become the studio's is given to the game, and stays until it is", BecomesReadOnly },
        { "what can be no slot or text is never kept", NeverKept },
        { "nobody gets the saves of another, and nothing is sent with the token of another", OtherUser },
        { "a token without a user asks for the option", NoUser },
        { "a deleted slot is forgotten when it is read", DeletedSlot },
    };

    static async Task Waits(Users users)
    {
        var device = new TestDevice(users);
        device.Network.IsOnline = false;
        var game = device.Start();
        var options = new OfflineWriteOptions { Device = "Ada’s phone", PlayedSeconds = 60, MimeType = "text/plain" };
        await game.Saves.WriteAsync("auto", Expecting.Bytes("one"), options);
        Expecting.Equal("auto", await game.Waiting());
        await Expecting.Code(ErrorCodes.NetworkError, () => game.Saves.FlushAsync());
        device.Network.IsOnline = true;
        await game.Saves.FlushAsync();
        Expecting.Equal("", await game.Waiting());
        var read = await device.Open().Saves.ReadAsync("auto");
        Expecting.Equal("1 Ada’s phone 60 text/plain", string.Join(" ", read.Revision, read.Device, read.PlayedSeconds, read.MimeType));
    }

    static async Task ByItself(Users users)
    {
        var device = new TestDevice(users);
        device.Network.IsOnline = false;
        var game = device.Start();
        await game.Write("auto", "one");
        await Expecting.Eventually(() => game.Errors.Count > 2, "attempts");
        device.Network.IsOnline = true;
        await Expecting.Eventually(() => game.Saved.Count == 1, "a save");
        Expecting.Equal("auto 1", game.Saved[0].Slot + " " + game.Saved[0].Revision);
    }

    static async Task AfterRestart(Users users)
    {
        var device = new TestDevice(users) { Store = new FileSaveStore(Path.Combine(Path.GetTempPath(), "csharp-saves-" + Guid.NewGuid())) };
        device.Network.IsOnline = false;
        var first = device.Start();
        await first.Write("auto", "one");
        await first.Write("manual", "two");
        first.Saves.Dispose();
        device.Network.IsOnline = true;
        var second = device.Start();
        await Expecting.Eventually(() => second.Saved.Count == 2, "two saves");
        Expecting.Equal("", await second.Waiting());
        Expecting.Equal("one two", await device.AtService() + " " + await device.AtService("manual"));
    }

    static async Task ReplacedByNext(Users users)
    {
        var device = new TestDevice(users);
        var game = device.Start(null, true);
        await game.WriteAndFlush("auto", "one");
        game.Saves.Dispose(); // so that nothing is tried
        foreach (var text in new[] { "two", "three", "four" }) await game.Write("auto", text);
        await device.Start().Saves.FlushAsync();
        Expecting.Listed(device.Network.Sent, "* one", "\"1\" four");
    }

    static async Task CanBeRead(Users users)
    {
        var device = new TestDevice(users);
        var game = device.Start(null, true);
        await device.Open().Saves.WriteAsync("manual", Expecting.Bytes("theirs"), new SaveWriteOptions { Label = "L" });
        await game.Saves.ReadAsync("manual");
        device.Network.IsOnline = false;
        var read = await game.Saves.ReadAsync("manual");
        Expecting.Equal("1 L theirs False", string.Join(" ", read.Revision, read.Label, Expecting.Text(read.Bytes), read.IsWaiting));
        await game.Write("auto", "one");
        read = await game.Saves.ReadAsync("auto");
        Expecting.That(read.Revision == null && read.Device == null && read.IsWaiting && Expecting.Text(read.Bytes) == "one", "what waits");
        await Expecting.Code(ErrorCodes.NetworkError, () => game.Saves.ReadAsync("other"));
    }

    static async Task OnDevice(Users users)
    {
        var device = new TestDevice(users);
        var game = device.Start(null, true);
        var other = device.Open();
        foreach (var slot in new[] { "read", "unread" }) await other.Saves.WriteAsync(slot, Expecting.Bytes("theirs"));
        await game.Saves.ReadAsync("read");
        await game.WriteAndFlush("sent", "one");
        device.Network.IsOnline = false;
        await game.Write("waiting", "two");
        var saves = await device.Start(null, true).Saves.ListOnDeviceAsync();
        Expecting.Listed(
            saves.Select(save => save.Slot + " " + Expecting.Text(save.Bytes) + " " + save.IsWaiting),
            "read theirs False", "sent one False", "waiting two True");
    }

    static async Task OlderRead(Users users)
    {
        foreach (var isSent in new[] { false, true })
        {
            var device = new TestDevice(users);
            var game = device.Start(null, true);
            await game.WriteAndFlush("auto", "one");
            var held = new TaskCompletionSource<bool>();
            var isReading = false;
            device.Network.Arriving = call =>
            {
                isReading = isReading || call.Method == "GET";
                return call.Method == "GET" ? held.Task : Task.FromResult(true);
            };
            var reading = game.Read("auto");
            await Expecting.Eventually(() => isReading, "a request");
            device.Network.IsOnline = isSent;
            await game.Write("auto", "two");
            if (isSent) await game.Saves.FlushAsync();
            held.SetResult(true);
            Expecting.Equal("two", await reading);
            device.Network.IsOnline = true;
            await game.WriteAndFlush("auto", "three");
            Expecting.Equal(0, game.Conflicts.Count);
            Expecting.Equal("three", await device.AtService());
        }
    }

    static async Task LostAnswer(Users users)
    {
        var device = new TestDevice(users);
        device.Network.Lost = 1;
        var first = device.Start(null, true);
        await first.Write("auto", "one");
        await Expecting.Eventually(() => first.Errors.Count == 1, "an error");
        device.Network.IsOnline = false;
        first.Saves.Dispose();
        var second = device.Start();
        await second.Write("auto", "two");
        second.Saves.Dispose();
        device.Network.IsOnline = true;
        var third = device.Start();
        await third.Saves.FlushAsync();
        Expecting.Listed(device.Network.Sent, "* one", "* one", "\"1\" two");
        Expecting.Equal(0, third.Conflicts.Count);
        Expecting.Equal(2, (await device.Open().Saves.ListRevisionsAsync("auto")).Revisions.Count);
    }

    static async Task RefusedSave(Users users)
    {
        var device = new TestDevice(users);
        device.Network.Lost = 1;
        var game = device.Start(null, true);
        await game.Saves.WriteAsync("auto", new byte[1], new OfflineWriteOptions { MimeType = "nonsense" });
        await Expecting.Eventually(() => game.Errors.Count == 1, "a lost answer");
        await game.Write("manual", "two");
        await Expecting.Code(ErrorCodes.ValidationFailed, () => game.Saves.FlushAsync());
        Expecting.Equal("auto", await game.Waiting());
        Expecting.Equal("two", await device.AtService("manual"));
        await game.WriteAndFlush("auto", "one");
        Expecting.Equal("one", await device.AtService());
    }

    static async Task BecomesReadOnly(Users users)
    {
        var device = new TestDevice(users);
        var problem = Expecting.Bytes("{ \"type\": \"x\", \"title\": \"x\", \"status\": 403, \"detail\": \"x\", \"code\": \"SAVE_READ_ONLY\", \"request_id\": \"x\" }");
        var headers = new Dictionary<string, string> { { "Content-Type", "application/problem+json" } };
        device.Network.Proxy = call => new HttpAnswer(403, headers, problem);
        var first = device.Start(null, true);
        await first.Write("auto", "mine");
        await Expecting.Code(ErrorCodes.SaveReadOnly, () => first.Saves.FlushAsync());
        Expecting.Equal("auto", await first.Waiting());
        first.Saves.Dispose();
        var again = device.Start(null, true);
        var refused = new List<RefusedSave>();
        again.Saves.Refused += refused.Add;
        await again.Saves.FlushAsync();
        await again.Saves.FlushAsync();
        Expecting.Equal("auto mine SAVE_READ_ONLY", string.Join(" ", refused.Select(one =>
            one.Slot + " " + Expecting.Text(one.Mine.Bytes) + " " + one.Error.Code)));
        Expecting.Equal("", await again.Waiting());
        Expecting.Equal("0", again.Errors.Count.ToString());
    }

    static async Task NeverKept(Users users)
    {
        var game = new TestDevice(users).Start();
        foreach (var slot in new[] { null, "", ".", "..", "a/b", "ä", new string('x', 65), "server.bag" })
            await Expecting.Error<ArgumentException>(() => game.Write(slot, "one"));
        var options = new OfflineWriteOptions { Label = "\ud800" };
        await Expecting.Error<ArgumentException>(() => game.Saves.WriteAsync("auto", new byte[1], options));
        Expecting.Equal("", await game.Waiting());
    }

    static async Task OtherUser(Users users)
    {
        var ada = users.Take();
        var bob = users.Take();
        var device = new TestDevice(users, ada);
        device.Network.IsOnline = false;
        var first = device.Start(Claims.UserOf(ada));
        await first.Write("auto", "of Ada");
        device.Token = bob;
        device.Network.IsOnline = true;
        var refused = await Expecting.Error<InvalidOperationException>(() => first.Saves.FlushAsync());
        Expecting.Equal("The token is of another user than the saves.", refused.Message);
        first.Saves.Dispose();
        Expecting.Equal(0, device.Network.Sent.Count);
        var second = device.Start();
        Expecting.Equal("", await second.Waiting());
        await second.WriteAndFlush("auto", "of Bob");
        Expecting.Listed(device.Network.Sent, "* of Bob");
        device.Token = ada;
        await device.Start().Saves.FlushAsync();
        Expecting.Listed(device.Network.Sent, "* of Bob", "* of Ada");
    }

    static async Task NoUser(Users users)
    {
        var device = new TestDevice(users, "no token");
        var error = await Expecting.Error<InvalidOperationException>(() => device.Start().Write("auto", "one"));
        Expecting.Equal("The token names no user: give the option User.", error.Message);
        await device.Start("ada").Write("auto", "one");
    }

    static async Task DeletedSlot(Users users)
    {
        var device = new TestDevice(users);
        var game = device.Start();
        await game.WriteAndFlush("auto", "one");
        await device.Open().Saves.DeleteAsync("auto", new SaveChangeOptions { Overwrite = true });
        await Expecting.Code(ErrorCodes.SaveNotFound, () => game.Read("auto"));
        device.Network.IsOnline = false;
        await Expecting.Code(ErrorCodes.NetworkError, () => game.Read("auto"));
    }
}
