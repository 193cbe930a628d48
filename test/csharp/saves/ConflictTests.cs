using System.Linq;
using System.Threading.Tasks;
using EdgeGameStorage;

static class ConflictTests
{
    public static readonly Tests All = new Tests
    {
        { "a conflict has what is there and what was not written, and nothing is replaced", Found },
        { "a conflict is resolved over what is there, with the details of mine, and the next write goes on from there", Resolved },
        { "a conflict ends when the player takes what is there", TakesTheirs },
        { "a conflict is met again when somebody writes before it is resolved", MetAgain },
        { "a conflict keeps what was not written at the service, if that is wanted", Kept },
        { "a conflict with a deleted slot has nothing current, and resolving makes the slot anew", WithDeleted },
        { "a slot that was only listed, or read at an old revision, is not replaced", NotRead },
    };

    /// <summary>Two devices of a user, of which one writes over what the other has written.</summary>
    static async Task<Met> Meet(Users users, bool keep = false)
    {
        var device = new TestDevice(users);
        var met = new Met { Device = device, Phone = device.Open().Saves, Tablet = device.Open().Saves };
        await met.Phone.WriteAsync("auto", Expecting.Bytes("one"));
        await met.Tablet.ReadAsync("auto");
        await met.Tablet.WriteAsync("auto", Expecting.Bytes("theirs"), new SaveWriteOptions { Device = "tablet" });
        var options = new SaveWriteOptions { Device = "phone", Label = "mine", Keep = keep };
        met.Conflict = await Expecting.Error<SaveConflict>(() => met.Phone.WriteAsync("auto", Expecting.Bytes("mine"), options));
        return met;
    }

    static async Task Found(Users users)
    {
        var met = await Meet(users);
        var conflict = met.Conflict;
        Expecting.Equal("auto 2 tablet phone mine mine", string.Join(" ", conflict.Slot, conflict.Current.Revision, conflict.Current.Device,
            conflict.Mine.Device, conflict.Mine.Label, Expecting.Text(conflict.Mine.Bytes)));
        Expecting.Equal("PRECONDITION_FAILED 412 ", conflict.Code + " " + conflict.Status + " " + conflict.KeptRevision);
        Expecting.Equal("The slot \"auto\" is at revision 2, which this client has not read.", conflict.Message);
        Expecting.That(((StorageException)conflict.InnerException).RequestId != null, "the refusal of the service");
        Expecting.Equal("theirs", await met.Device.AtService());
    }

    static async Task Resolved(Users users)
    {
        var met = await Meet(users);
        var merged = await met.Conflict.ResolveAsync(Expecting.Bytes("merged"), new SaveDetails { Label = "both" });
        Expecting.Equal("3 phone both", merged.Revision + " " + merged.Device + " " + merged.Label);
        Expecting.Equal(4, (await met.Phone.WriteAsync("auto", Expecting.Bytes("next"))).Revision);
    }

    static async Task TakesTheirs(Users users)
    {
        var met = await Meet(users);
        Expecting.Equal("theirs", Expecting.Text((await met.Phone.ReadAsync("auto")).Bytes));
        Expecting.Equal(3, (await met.Phone.WriteAsync("auto", Expecting.Bytes("next"))).Revision);
    }

    static async Task MetAgain(Users users)
    {
        var met = await Meet(users);
        await met.Tablet.WriteAsync("auto", Expecting.Bytes("theirs again"));
        var again = await Expecting.Error<SaveConflict>(() => met.Conflict.ResolveAsync(Expecting.Bytes("merged")));
        Expecting.Equal("3 merged mine", again.Current.Revision + " " + Expecting.Text(again.Mine.Bytes) + " " + again.Mine.Label);
        Expecting.Equal(4, (await again.ResolveAsync(again.Mine.Bytes)).Revision);
    }

    static async Task Kept(Users users)
    {
        var met = await Meet(users, true);
        Expecting.Equal(3L, met.Conflict.KeptRevision.Value);
        Expecting.Equal("mine", Expecting.Text((await met.Phone.ReadAsync("auto", 3)).Bytes));
        Expecting.Listed((await met.Phone.ListRevisionsAsync("auto")).Revisions.Where(one => one.IsKept).Select(one => one.Label), "mine");
        Expecting.Equal("theirs", await met.Device.AtService());
    }

    static async Task WithDeleted(Users users)
    {
        var met = await Meet(users);
        await met.Tablet.DeleteAsync("auto");
        var again = await Expecting.Error<SaveConflict>(() => met.Conflict.ResolveAsync(Expecting.Bytes("merged")));
        Expecting.That(again.Current == null, "nothing is there");
        Expecting.Equal("The slot \"auto\" is missing, which this client has not read.", again.Message);
        await again.ResolveAsync(Expecting.Bytes("merged"));
        Expecting.Equal("merged", await met.Device.AtService());
    }

    static async Task NotRead(Users users)
    {
        var device = new TestDevice(users);
        await device.Open().Saves.WriteAsync("auto", Expecting.Bytes("one"));
        var tablet = device.Open().Saves;
        await tablet.ListAsync();
        await tablet.ReadAsync("auto", 1);
        await Expecting.Error<SaveConflict>(() => tablet.WriteAsync("auto", Expecting.Bytes("two")));
    }

    sealed class Met
    {
        public TestDevice Device { get; set; }

        public Saves Phone { get; set; }

        public Saves Tablet { get; set; }

        public SaveConflict Conflict { get; set; }
    }
}
