using System;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using EdgeGameStorage;
using UnityEngine;
using UnityEngine.Scripting;

static class PlatformTests
{
    public static readonly Tests All = new Tests
    {
        { "a game that names no type of the part for Unity has it in its build", IsLinked },
        { "a game has the platform before its first scene, and an editor's tool that of .NET", BecomesDefault },
        { "the time is told on any thread", OnAnyThread },
        { "what a disposed platform waited for ends", Disposed },
        { "a wait that was canceled before its platform was disposed is a canceled one", CanceledFirst },
        { "an answer that is cut is none, although its status has arrived", CutAnswer },
        { "a redirect is an answer, which nothing follows", Redirect },
        { "the platform of .NET keeps no cookie", NoCookie },
        { "a game that may not use http is told where that is decided", Insecure },
        { "a body without bytes is sent, with its type", EmptyBody },
    };

    static Task IsLinked(Users users)
    {
        Expecting.That(
            typeof(UnityPlatform).Assembly.IsDefined(typeof(AlwaysLinkAssemblyAttribute), false), "the attribute that the linker heeds");
        return Task.FromResult(true);
    }

    static async Task BecomesDefault(Users users)
    {
        var before = DefaultPlatform.Make;
        var methods = typeof(UnityPlatform).GetMethods(System.Reflection.BindingFlags.Static | System.Reflection.BindingFlags.NonPublic);
        var first = methods.Single(method => method.IsDefined(typeof(RuntimeInitializeOnLoadMethodAttribute), false));
        var attribute = (RuntimeInitializeOnLoadMethodAttribute)first.GetCustomAttributes(typeof(RuntimeInitializeOnLoadMethodAttribute), false)[0];
        Expecting.Equal(RuntimeInitializeLoadType.AfterAssembliesLoaded, attribute.loadType);
        first.Invoke(null, null);
        using (var platform = DefaultPlatform.Make()) Expecting.Equal(typeof(UnityPlatform), platform.GetType());
        Player.IsRunning = false;
        using (var platform = DefaultPlatform.Make()) Expecting.Equal(typeof(DotnetPlatform), platform.GetType());
        Player.IsRunning = true;
        DefaultPlatform.Make = before;
        await Task.Yield();
    }

    static async Task OnAnyThread(Users users)
    {
        using (var platform = new UnityPlatform())
        {
            var before = platform.Elapsed;
            Expecting.That(await Task.Run(() => platform.Elapsed) >= before, "the time of another thread");
        }
    }

    static async Task Disposed(Users users)
    {
        using (var server = new Server(null))
        using (var cancel = new CancellationTokenSource())
        {
            var platform = new UnityPlatform();
            var waits = new[]
            {
                platform.DelayAsync(TimeSpan.FromDays(1), CancellationToken.None),
                platform.DelayAsync(TimeSpan.FromDays(1), cancel.Token),
                platform.SendAsync(new HttpCall("GET", server.Url), CancellationToken.None),
            };
            await Expecting.Eventually(() => server.Requests.Count == 1, "a request");
            platform.Dispose();
            foreach (var wait in waits) await Expecting.Error<ObjectDisposedException>(() => wait);
            await Expecting.Error<ObjectDisposedException>(() => platform.DelayAsync(TimeSpan.Zero, CancellationToken.None));
        }
    }

    static async Task CanceledFirst(Users users)
    {
        using (var cancel = new CancellationTokenSource())
        {
            var platform = new UnityPlatform();
            var wait = platform.DelayAsync(TimeSpan.FromDays(1), cancel.Token);
            cancel.Cancel();
            platform.Dispose();
            await Expecting.Error<OperationCanceledException>(() => wait);
        }
    }

    static async Task CutAnswer(Users users)
    {
        using (var server = new Server("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345"))
        using (var platform = new UnityPlatform())
            await Expecting.Error<IOException>(() => platform.SendAsync(new HttpCall("GET", server.Url), CancellationToken.None));
    }

    static async Task Redirect(Users users)
    {
        foreach (var make in new Func<IPlatform>[] { () => new UnityPlatform(), () => new DotnetPlatform() })
            using (var other = new Server("HTTP/1.1 204 No Content\r\n\r\n"))
            using (var server = new Server("HTTP/1.1 302 Found\r\nLocation: " + other.Url + "/\r\nContent-Length: 0\r\n\r\n"))
            using (var platform = make())
            {
                var call = new HttpCall("GET", server.Url);
                call.Add("Authorization", "Bearer token");
                var answer = await platform.SendAsync(call, CancellationToken.None);
                Expecting.Listed(new[] { answer.Status.ToString(), answer.Header("Location") }, "302", other.Url + "/");
                Expecting.Equal(0, other.Requests.Count);
            }
    }

    static async Task NoCookie(Users users)
    {
        using (var server = new Server("HTTP/1.1 204 No Content\r\nSet-Cookie: a=b; Path=/\r\n\r\n"))
        using (var platform = new DotnetPlatform())
        {
            for (var request = 1; request <= 2; request++) await platform.SendAsync(new HttpCall("GET", server.Url), CancellationToken.None);
            Expecting.That(server.Requests.All(request => !request.Contains("Cookie")), "no cookie");
        }
    }

    static async Task Insecure(Users users)
    {
        UnityEngine.Networking.UnityWebRequest.IsInsecureAllowed = false;
        using (var platform = new UnityPlatform())
        {
            var error = await Expecting.Error<NotSupportedException>(
                () => platform.SendAsync(new HttpCall("GET", "http://localhost:1"), CancellationToken.None));
            Expecting.That(error.Message.Contains("Allow downloads over HTTP"), "the setting");
        }
        UnityEngine.Networking.UnityWebRequest.IsInsecureAllowed = true;
    }

    static async Task EmptyBody(Users users)
    {
        using (var server = new Server("HTTP/1.1 204 No Content\r\n\r\n"))
        using (var platform = new UnityPlatform())
        {
            var call = new HttpCall("PUT", server.Url) { Body = new HttpBody(new byte[0]) };
            call.Add("Content-Type", "text/plain");
            Expecting.Equal(204, (await platform.SendAsync(call, CancellationToken.None)).Status);
            Expecting.That(server.Requests.Single().Contains("Content-Type: text/plain"), "the type");
        }
    }
}
