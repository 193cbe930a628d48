using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

namespace EdgeGameStorage.Tests
{
    /// <summary>A platform without a network: it answers each request with one JSON.</summary>
    sealed class AnsweringPlatform : IPlatform
    {
        readonly string json;

        public AnsweringPlatform(string json)
        {
            this.json = json;
        }

        /// <summary>The latest request.</summary>
        public HttpCall Sent { get; private set; }

        public TimeSpan Elapsed
        {
            get { return TimeSpan.Zero; }
        }

        public GameStorage Open()
        {
            return new GameStorage("https://storage.example", (renew, cancel) => Task.FromResult("token"), new GameStorageOptions { Platform = this });
        }

        /// <summary>The value of a header of the latest request.</summary>
        public string Header(string name)
        {
            return Sent.Headers.Where(header => header.Key == name).Select(header => header.Value).SingleOrDefault();
        }

        public Task<HttpAnswer> SendAsync(HttpCall call, CancellationToken cancel)
        {
            Sent = call;
            var headers = new Dictionary<string, string> { { "Content-Type", "application/json" }, { "ETag", "\"1\"" } };
            return Task.FromResult(new HttpAnswer(200, headers, Encoding.UTF8.GetBytes(json)));
        }

        public Task<ISocket> ConnectAsync(SocketCall call, CancellationToken cancel)
        {
            throw new NotSupportedException();
        }

        /// <summary>No time passes here, so a wait ends only when it is canceled.</summary>
        public Task DelayAsync(TimeSpan time, CancellationToken cancel)
        {
            var ended = new TaskCompletionSource<bool>();
            cancel.Register(() => ended.TrySetCanceled());
            return ended.Task;
        }

        public Task ComputeAsync(Action work)
        {
            work();
            return Task.FromResult(true);
        }

        public void Dispose()
        {
        }
    }
}
