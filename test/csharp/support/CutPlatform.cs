using System.IO;
using System.Threading;
using System.Threading.Tasks;
using EdgeGameStorage;

/// <summary>A platform whose network can be cut.</summary>
sealed class CutPlatform : PlatformOver
{
    public CutPlatform(IPlatform inner)
        : base(inner)
    {
    }

    public bool IsCut { get; set; }

    /// <summary>The method of the requests that a cut stops. Null: of all.</summary>
    public string CutMethod { get; set; }

    public override Task<HttpAnswer> SendAsync(HttpCall call, CancellationToken cancel)
    {
        if (IsCut && (CutMethod ?? call.Method) == call.Method) throw new IOException("The network is cut.");
        return base.SendAsync(call, cancel);
    }

    public override Task<ISocket> ConnectAsync(SocketCall call, CancellationToken cancel)
    {
        if (IsCut) throw new IOException("The network is cut.");
        return base.ConnectAsync(call, cancel);
    }
}
