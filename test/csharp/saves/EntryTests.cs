using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using EdgeGameStorage;

static class EntryTests
{
    public static readonly Tests All = new Tests
    {
        { "any order of writes, losses, late requests, restarts and another device keeps what the game wrote last", AnyOrder },
        { "an entry is packed and unpacked with every member, also of texts beyond ASCII", Packing },
        { "bytes that are no entry are none", OtherBytes },
    };

    static async Task AnyOrder(Users users)
    {
        var states = new HashSet<string>();
        for (var seed = 0; seed < 300; seed++)
        {
            var random = new Random(seed);
            var simulation = new SaveSimulation();
            for (var steps = random.Next(61); steps > 0; steps--)
            {
                await Step(simulation, random.Next(25), random.Next(6));
                await simulation.Check();
                var entry = await simulation.Entry();
                states.Add(entry == null ? "none" : entry.State.ToString());
            }
            await simulation.Finish();
        }
        Expecting.Listed(states.OrderBy(state => state), "Conflict", "none", "Saved", "Waiting");
    }

    static async Task Step(SaveSimulation simulation, int weight, int index)
    {
        if (weight < 4) await simulation.Write();
        else if (weight < 10) await simulation.Send();
        else if (weight < 15) simulation.Arrive(index);
        else if (weight < 20) await simulation.Take();
        else if (weight < 23) simulation.Lose();
        else if (weight < 24) simulation.WriteElsewhere();
        else await simulation.Resolve();
    }

    static Task Packing(Users users)
    {
        var details = new SaveDetails { Device = "Ada’s phone", Label = "100 % 漢字 🎮 \"Mühle\"\n", PlayedSeconds = 3600, MimeType = "text/plain" };
        var every = Enumerable.Range(0, 256).Select(unit => (byte)unit).ToArray();
        var first = new Entry(EntryState.Waiting, new KeptWrite(new SaveContent(every, details), true, 7, "key"), 3);
        var sent = first.Sending();
        var newer = Entry.Written(sent, new SaveContent(new byte[0], null), false);
        var save = new Save
        {
            Slot = "auto", Revision = 4, SizeBytes = 1, MimeType = "a/b", ChecksumSha256 = "c", Device = "Ж", PlayedSeconds = 1,
            CreatedAt = DateTimeOffset.FromUnixTimeSeconds(2), UpdatedAt = DateTimeOffset.FromUnixTimeSeconds(253402300799), ETag = "\"4\"",
        };
        foreach (var entry in new[] { first, sent, newer, newer.Refused(save, 9), newer.Refused(null, null), sent.Acknowledged(save) })
        {
            var again = EntryPacking.Unpacked(EntryPacking.Packed(entry));
            Expecting.Equal(Described(entry), Described(again));
        }
        return Task.FromResult(true);
    }

    static Task OtherBytes(Users users)
    {
        var packed = EntryPacking.Packed(new Entry(EntryState.Waiting, new KeptWrite(new SaveContent(new byte[9], null), false, 1, null), null));
        var others = Enumerable.Range(0, packed.Length).Select(length => packed.Take(length).ToArray()).ToList();
        others.Add(packed.Concat(new byte[1]).ToArray());
        others.Add(Enumerable.Repeat((byte)255, 100).ToArray());
        foreach (var other in others)
            try
            {
                EntryPacking.Unpacked(other);
                throw new InvalidOperationException("Expected: no entry of " + other.Length + " bytes");
            }
            catch (FormatException)
            {
                // Refused, as it should be.
            }
        return Task.FromResult(true);
    }

    static string Described(Entry entry)
    {
        return string.Join(" ", entry.State, entry.Base, Described(entry.Latest), Described(entry.Sent), Described(entry.Save),
            Described(entry.Current), entry.KeptRevision);
    }

    static string Described(KeptWrite write)
    {
        if (write == null) return "none";
        var content = write.Content;
        return string.Join(" ", write.Number, write.Keep, content.Device ?? "null", content.Label ?? "null", content.PlayedSeconds,
            content.MimeType ?? "null", Convert.ToBase64String(content.Bytes));
    }

    static string Described(Save save)
    {
        if (save == null) return "none";
        return string.Join(" ", save.Slot, save.Revision, save.SizeBytes, save.MimeType, save.ChecksumSha256, save.Device, save.Label ?? "null",
            save.PlayedSeconds, save.CreatedAt, save.UpdatedAt, save.ETag);
    }
}
