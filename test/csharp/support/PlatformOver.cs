using System;
using System.Threading;
using System.Threading.Tasks;
using EdgeGameStorage;

/// <summary>A platform over another one, of which it does something else.</summary>
abstract class PlatformOver : IPlatform
{
    readonly IPlatform inner;

    protected PlatformOver(IPlatform inner)
    {
        this.inner = inner;
    }

    public TimeSpan Elapsed
    {
        get { return inner.Elapsed; }
    }

    public virtual Task<HttpAnswer> Send(HttpCall call, CancellationToken cancel)
    {
        return inner.Send(call, cancel);
    }

    public virtual Task<ISocket> Connect(SocketCall call, CancellationToken cancel)
    {
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
