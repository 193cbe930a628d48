using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using EdgeGameStorage;

/// <summary>
/// A device with a queue, another device that writes to the same slot, and a network that delays, reorders and loses: as
/// test/client/saves/simulation.ts.
/// </summary>
sealed class SaveSimulation
{
    const string Slot = "auto";

    readonly List<Revision> revisions = new List<Revision>();
    readonly Entries entries = new Entries(new MemorySaveStore(), "device", null);
    readonly List<Sent> network = new List<Sent>();
    /// <summary>The revisions of the other device that the game has been shown in a conflict.</summary>
    readonly HashSet<long> seen = new HashSet<long>();
    /// <summary>The request whose answer the device waits for.</summary>
    Sent awaited;
    int writes;
    string last = "";

    public Task<Entry> Entry()
    {
        return entries.GetAsync(Slot);
    }

    public Task Write()
    {
        var content = Content();
        return Change(entry => EdgeGameStorage.Entry.Written(entry, content, false));
    }

    /// <summary>The device sends, if it waits for nothing.</summary>
    public async Task Send()
    {
        if (awaited != null) return;
        var entry = await Change(now => now == null ? null : now.Sending());
        if (entry == null || entry.State != EntryState.Waiting || entry.Sent == null) return;
        awaited = new Sent { Write = entry.Sent, Over = entry.Base };
        network.Add(awaited);
    }

    /// <summary>A request arrives at the service: the oldest, or a later one.</summary>
    public void Arrive(int index)
    {
        if (network.Count == 0) return;
        var request = network[index % network.Count];
        network.RemoveAt(index % network.Count);
        var before = Current;
        request.Done = WriteAtService(Text(request.Write), "device", request.Over, request.Write.Key);
        if (Current != before && before != null && before.Author == "other")
            Expecting.That(seen.Contains(before.Number), "only what the game has seen is replaced");
        request.Current = Current;
        request.IsAnswered = true;
    }

    /// <summary>The answer arrives at the device, if it still waits for it.</summary>
    public async Task Take()
    {
        var answer = awaited;
        if (answer == null || !answer.IsAnswered) return;
        awaited = null;
        if (answer.Done == null)
            Expecting.That(revisions.Any(one => one.Author == "other" && one.Number > (answer.Over ?? 0)), "a conflict is with others only");
        await Change(entry =>
        {
            Expecting.That(entry.IsSent(answer.Write), "the answer is to what was sent");
            return answer.Done != null ? entry.Acknowledged(Record(answer.Done)) : entry.Refused(Record(answer.Current), null);
        });
    }

    /// <summary>The answer is lost, or the device is killed and starts again: only its store survives.</summary>
    public void Lose()
    {
        awaited = null;
    }

    /// <summary>The other device writes the same as this one, which is a write of its own.</summary>
    public void WriteElsewhere()
    {
        WriteAtService(last, "other", Current == null ? (long?)null : Current.Number, "other " + writes++);
    }

    public async Task Resolve()
    {
        var entry = await Entry();
        if (entry == null || entry.State != EntryState.Conflict) return;
        if (entry.Current != null) seen.Add(entry.Current.Revision);
        var content = Content();
        await Change(now => now.Resolved(content));
    }

    /// <summary>What holds after each step: this device has what the game wrote last.</summary>
    public async Task Check()
    {
        var entry = await Entry();
        Expecting.Equal(last, entry == null ? "" : Text(entry.Latest));
        if (entry == null || entry.State != EntryState.Saved) return;
        var revision = revisions.Single(one => one.Number == entry.Base);
        Expecting.Equal(last + " device", revision.Text + " " + revision.Author);
    }

    /// <summary>The network is back, and the game resolves each conflict, until nothing waits.</summary>
    public async Task Finish()
    {
        for (var step = 0; step < 50; step++)
        {
            var entry = await Entry();
            if (entry == null || entry.State == EntryState.Saved) return;
            await Resolve();
            await Send();
            while (network.Count > 0) Arrive(0);
            await Take();
            await Check();
        }
        throw new InvalidOperationException("The device never came to rest.");
    }

    Revision Current
    {
        get { return revisions.LastOrDefault(); }
    }

    Task<Entry> Change(Func<Entry, Entry> step)
    {
        return entries.ChangeAsync(Slot, step, CancellationToken.None);
    }

    /// <summary>The contract of the service, with the rule of the key. It forgets no revision.</summary>
    Revision WriteAtService(string text, string author, long? over, string key)
    {
        var known = revisions.Find(one => one.Key == key);
        if (known != null)
        {
            Expecting.Equal(text + " " + author + " " + over, known.Text + " " + known.Author + " " + known.Over);
            return known;
        }
        if ((Current == null ? (long?)null : Current.Number) != over) return null;
        revisions.Add(new Revision { Number = (over ?? 0) + 1, Text = text, Author = author, Over = over, Key = key });
        return Current;
    }

    SaveContent Content()
    {
        last = "device " + writes++;
        return new SaveContent(Expecting.Bytes(last), new SaveDetails { Label = "“" + writes + "”" });
    }

    static string Text(KeptWrite write)
    {
        return Expecting.Text(write.Content.Bytes);
    }

    static Save Record(Revision revision)
    {
        return revision == null ? null : new Save { Slot = Slot, Revision = revision.Number, Device = revision.Author };
    }

    sealed class Revision
    {
        public long Number { get; set; }

        public string Text { get; set; }

        public string Author { get; set; }

        public long? Over { get; set; }

        public string Key { get; set; }
    }

    /// <summary>A request under way. It may arrive long after its sender has stopped waiting.</summary>
    sealed class Sent
    {
        public KeptWrite Write { get; set; }

        public long? Over { get; set; }

        public bool IsAnswered { get; set; }

        public Revision Done { get; set; }

        public Revision Current { get; set; }
    }
}
