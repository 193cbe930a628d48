using System.Linq;
using System.Threading.Tasks;
using EdgeGameStorage.Samples;

static class SlotConflictTests
{
    public static readonly Tests All = new Tests
    {
        { "a conflict that ends with this device's save leaves the other one in the history", ConflictMine },
        { "a conflict that ends with the other device's save drops this device's", ConflictTheirs },
        { "a conflict that ends with both leaves two slots", ConflictBoth },
        { "a conflict with a deleted slot can be decided for either side", ConflictDeleted },
        { "who chooses while a third device saves gets to choose again, and loses nothing", ConflictAgain },
        { "a choice without a network is kept, and sent later", ConflictOffline },
    };

    static Task ConflictMine(Users users)
    {
        return Conflict(users, ConflictChoice.Mine, "2 towers, 2 towers*, 5 towers, 1 tower");
    }

    static Task ConflictTheirs(Users users)
    {
        return Conflict(users, ConflictChoice.Theirs, "5 towers, 2 towers*, 1 tower");
    }

    static Task ConflictBoth(Users users)
    {
        return Conflict(users, ConflictChoice.Both, "2 towers; 5 towers, 2 towers*, 1 tower");
    }

    static async Task Conflict(Users users, ConflictChoice choice, string left)
    {
        var token = users.Take();
        using (var phone = new MenuDevice(users, token, "Phone"))
        using (var desk = new MenuDevice(users, token, "Desk"))
        {
            await Collide(phone, desk);
            var conflict = phone.Slots.Conflict;
            Expecting.Equal("2 towers Phone Conflict", phone.Lines());
            Expecting.Equal("2 towers Phone", conflict.Mine.Label + " " + conflict.Mine.Device);
            Expecting.Equal("5 towers Desk", conflict.Theirs.Label + " " + conflict.Theirs.Device);
            await phone.Choose(choice);
            if (choice == ConflictChoice.Both) await phone.Send();
            Expecting.Equal(left, await phone.AtService());
            var isDecided = phone.Slots.Conflict == null && phone.Slots.Lines.All(line => line.State == SlotState.Saved);
            Expecting.That(isDecided, "nothing is left to decide");
            await phone.Load(phone.Slots.Lines.First(line => line.Label == (choice == ConflictChoice.Theirs ? "5 towers" : "2 towers")));
            Expecting.Equal(choice == ConflictChoice.Theirs ? 5L : 2L, phone.Game.Towers);
        }
    }

    static async Task ConflictDeleted(Users users)
    {
        foreach (var choice in new[] { ConflictChoice.Mine, ConflictChoice.Theirs })
        {
            var token = users.Take();
            using (var phone = new MenuDevice(users, token, "Phone").With(1))
            using (var desk = new MenuDevice(users, token, "Desk"))
            {
                await phone.SaveAndSend();
                phone.Network.IsCut = true;
                await phone.With(2).Overwrite(phone.Slots.Lines.Single());
                await desk.Refresh();
                await desk.Delete(desk.Slots.Lines.Single());
                phone.Network.IsCut = false;
                await phone.Send();
                Expecting.That(phone.Slots.Conflict != null && phone.Slots.Conflict.Theirs == null, "a conflict with nothing");
                await phone.Choose(choice);
                Expecting.That(phone.Slots.Conflict == null, "no conflict");
                Expecting.Equal(choice == ConflictChoice.Mine ? "2 towers" : "", (await phone.AtService()).Split(',')[0]);
            }
        }
    }

    static async Task ConflictAgain(Users users)
    {
        var token = users.Take();
        using (var phone = new MenuDevice(users, token, "Phone"))
        using (var desk = new MenuDevice(users, token, "Desk"))
        {
            await Collide(phone, desk);
            await desk.Refresh();
            await desk.With(6).Overwrite(desk.Slots.Lines.Single());
            await desk.Send();
            await Expecting.Error<PlayerProblem>(() => phone.Choose(ConflictChoice.Mine));
            Expecting.Equal("6 towers", phone.Slots.Conflict.Theirs.Label);
            await phone.Choose(ConflictChoice.Mine);
            Expecting.Equal("2 towers, 6 towers, 2 towers*, 5 towers, 1 tower", await phone.AtService());
        }
    }

    static async Task ConflictOffline(Users users)
    {
        var token = users.Take();
        using (var phone = new MenuDevice(users, token, "Phone"))
        using (var desk = new MenuDevice(users, token, "Desk"))
        {
            await Collide(phone, desk);
            phone.Network.IsCut = true;
            await phone.Choose(ConflictChoice.Mine);
            Expecting.Equal("2 towers Phone Waiting", phone.Lines());
            phone.Network.IsCut = false;
            await phone.Send();
            Expecting.Equal("2 towers, 2 towers*, 5 towers, 1 tower", await phone.AtService());
        }
    }

    /// <summary>Both devices save over 1 tower: the desk 5, and the phone, without a network, 2.</summary>
    static async Task Collide(MenuDevice phone, MenuDevice desk)
    {
        await phone.With(1).SaveAndSend();
        await desk.Refresh();
        phone.Network.IsCut = true;
        await phone.With(2).Overwrite(phone.Slots.Lines.Single());
        await desk.With(5).Overwrite(desk.Slots.Lines.Single());
        await desk.Send();
        phone.Network.IsCut = false;
        await phone.Send();
        await Expecting.Eventually(() => phone.Slots.Conflict != null, "a conflict");
    }
}
