using System;
using System.IO;
using System.Threading;
using System.Threading.Tasks;
using EdgeGameStorage;

/// <summary>A platform whose network can be cut.</summary>
sealed class CutPlatform : IPlatform
{
    readonly IPlatform inner;

    public CutPlatform(IPlatform inner)
    {
        this.inner = inner;
    }

    public bool IsCut { get; set; }

    /// <summary>The method of the requests that a cut stops. Null: of all.</summary>
    public string CutMethod { get; set; }

    public TimeSpan Elapsed
    {
        get { return inner.Elapsed; }
    }

    public Task<HttpAnswer> Send(HttpCall call, CancellationToken cancel)
    {
        if (IsCut && (CutMethod ?? call.Method) == call.Method) throw new IOException("The network is cut.");
        return inner.Send(call, cancel);
    }

    public Task<ISocket> Connect(SocketCall call, CancellationToken cancel)
    {
        if (IsCut) throw new IOException("The network is cut.");
        return inner.Connect(call, cancel);
    }

    public Task Delay(TimeSpan time, CancellationToken cancel)
    {
        return inner.Delay(time, cancel);
    }

    public Task Compute(Action work)
    {
        return inner.Compute(work);
    }

    public void Dispose()
    {
        inner.Dispose();
    }
}
