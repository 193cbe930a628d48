using System;
using System.IO;
using System.Text;
using System.Threading.Tasks;
using EdgeGameStorage;

static class SaveScenarios
{
    public static async Task Saves(Game game)
    {
        using (var phone = game.Open())
        using (var desk = game.Open())
        {
            await phone.Saves.WriteAsync("auto", Bytes("1"), new SaveWriteOptions { Label = "The harbour ⚓", Device = "Ada’s phone", PlayedSeconds = 60 });
            var read = await desk.Saves.ReadAsync("auto");
            Expecting.That(Text(read.Bytes) == "1" && read.Label == "The harbour ⚓" && read.PlayedSeconds == 60, "the save of the phone");
            await desk.Saves.WriteAsync("auto", Bytes("2"));
            try
            {
                await phone.Saves.WriteAsync("auto", Bytes("3"), new SaveWriteOptions { Keep = true });
                throw new InvalidOperationException("Expected: a conflict");
            }
            catch (SaveConflict conflict)
            {
                Expecting.That(conflict.Current.Revision == 2 && conflict.KeptRevision == 3, "the save of the desk, and a kept revision");
                await conflict.ResolveAsync(Bytes("2 and 3"), new SaveDetails { Label = "Both" });
            }
            await phone.Saves.RestoreAsync("auto", 1);
            await phone.Saves.WriteAsync("old", Bytes("old"));
            await phone.Saves.DeleteAsync("old");
            await phone.Saves.RestoreAsync("old");
            await phone.Saves.WriteAsync("gone", Bytes("gone"));
            await phone.Saves.DeleteAsync("gone");
            Expecting.That((await phone.Saves.ListAsync()).Saves.Count == 2, "two slots");
            Expecting.That((await phone.Saves.ListRevisionsAsync("auto")).Revisions.Count == 5, "five revisions");
            var missing = await Expecting.Error<StorageException>(() => phone.Saves.ReadAsync("never"));
            Expecting.That(missing.Code == ErrorCodes.SaveNotFound, "SAVE_NOT_FOUND, not " + missing.Code);
        }
    }

    public static async Task Offline(Game game)
    {
        var network = new CutPlatform(DefaultPlatform.Make());
        using (network)
        using (var storage = game.Open(new GameStorageOptions { Platform = network, Retry = new RetryOptions { Attempts = 1 } }))
        {
            network.IsCut = true;
            var saves = storage.Saves.Offline(new MemorySaveStore());
            await saves.WriteAsync("auto", Bytes("second"));
            await saves.WriteAsync("other", Bytes("third"), new OfflineWriteOptions { Label = "Without a network" });
            Expecting.That(Text((await saves.ReadAsync("auto")).Bytes) == "second", "what waits here");
            Expecting.That((await saves.ListWaitingAsync()).Count == 2, "two slots that wait");
            network.IsCut = false;
            await saves.FlushAsync();
            Expecting.That((await saves.ListWaitingAsync()).Count == 0, "nothing that waits");
        }
    }

    /// <summary>Writes until it is killed, without a network. The argument is the folder of the store.</summary>
    public static async Task OfflineKilled(Game game)
    {
        var network = new CutPlatform(DefaultPlatform.Make()) { IsCut = true };
        using (var storage = game.Open(new GameStorageOptions { Platform = network, Retry = new RetryOptions { Attempts = 1 } }))
        {
            var saves = storage.Saves.Offline(new FileSaveStore(game.Argument));
            for (var number = 1;; number++)
            {
                await saves.WriteAsync("auto", Bytes(number.ToString().PadRight(20000, '.')));
                Console.WriteLine("written " + number + ".");
            }
        }
    }

    public static async Task AfterTheKill(Game game)
    {
        using (var storage = game.Open())
        {
            var saves = storage.Saves.Offline(new FileSaveStore(game.Argument));
            await saves.FlushAsync();
            Console.WriteLine("sent " + Text((await saves.ReadAsync("auto")).Bytes).TrimEnd('.') + ".");
        }
    }

    static byte[] Bytes(string text)
    {
        return Encoding.UTF8.GetBytes(text);
    }

    static string Text(byte[] bytes)
    {
        return Encoding.UTF8.GetString(bytes);
    }
}
