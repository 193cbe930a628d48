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

    public virtual Task<HttpAnswer> SendAsync(HttpCall call, CancellationToken cancel)
    {
        return inner.SendAsync(call, cancel);
    }

    public virtual Task<ISocket> ConnectAsync(SocketCall call, CancellationToken cancel)
    {
        return inner.ConnectAsync(call, cancel);
    }

    public Task DelayAsync(TimeSpan time, CancellationToken cancel)
    {
        return inner.DelayAsync(time, cancel);
    }

    public Task ComputeAsync(Action work)
    {
        return inner.ComputeAsync(work);
    }

    public void Dispose()
    {
        inner.Dispose();
    }
}
