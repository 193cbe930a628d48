using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using EdgeGameStorage;

/// <summary>A socket whose other end is the test.</summary>
sealed class FakeSocket : ISocket
{
    readonly Queue<string> messages = new Queue<string>();
    TaskCompletionSource<bool> awaited;

    public FakeSocket(SocketCall call)
    {
        Call = call;
    }

    public SocketCall Call { get; }

    public List<string> Sent { get; } = new List<string>();

    public bool IsDisposed { get; private set; }

    public int CloseCode { get; private set; }

    /// <summary>The seq of its address; null when it has none.</summary>
    public long? After
    {
        get
        {
            var parts = Call.Url.Split('=');
            return parts.Length < 2 ? (long?)null : long.Parse(parts[1]);
        }
    }

    public void Arrive(string message)
    {
        messages.Enqueue(message);
        Wake();
    }

    public void ClosedWith(int code)
    {
        CloseCode = code;
        Wake();
    }

    public async Task<string> ReceiveAsync(CancellationToken cancel)
    {
        while (messages.Count == 0 && CloseCode == 0)
        {
            awaited = new TaskCompletionSource<bool>();
            var mine = awaited;
            using (cancel.Register(() => mine.TrySetCanceled())) await mine.Task;
        }
        return messages.Count > 0 ? messages.Dequeue() : null;
    }

    public Task SendAsync(string text, CancellationToken cancel)
    {
        Sent.Add(text);
        return Task.FromResult(true);
    }

    public void Dispose()
    {
        IsDisposed = true;
    }

    void Wake()
    {
        if (awaited != null) awaited.TrySetResult(true);
    }
}
