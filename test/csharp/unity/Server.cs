using System;
using System.Collections.Generic;
using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Threading.Tasks;

/// <summary>A server that sends the same bytes to each request, and then closes the connection.</summary>
sealed class Server : IDisposable
{
    readonly TcpListener listener = new TcpListener(IPAddress.Loopback, 0);
    readonly byte[] answer;

    /// <param name="answer">Null: nothing is answered.</param>
    public Server(string answer)
    {
        this.answer = answer == null ? null : Encoding.ASCII.GetBytes(answer);
        listener.Start();
        Url = "http://localhost:" + ((IPEndPoint)listener.LocalEndpoint).Port;
        Accepting = Accept();
    }

    public string Url { get; }

    /// <summary>The requests that have come, as they were sent.</summary>
    public List<string> Requests { get; } = new List<string>();

    Task Accepting { get; }

    public void Dispose()
    {
        listener.Stop();
    }

    async Task Accept()
    {
        for (;;)
        {
            TcpClient client;
            try
            {
                client = await listener.AcceptTcpClientAsync();
            }
            catch (ObjectDisposedException)
            {
                return;
            }
            await Serve(client);
        }
    }

    async Task Serve(TcpClient client)
    {
        var stream = client.GetStream();
        var buffer = new byte[65536];
        var request = "";
        while (!request.Contains("\r\n\r\n"))
        {
            var count = await stream.ReadAsync(buffer, 0, buffer.Length);
            if (count == 0) break;
            request += Encoding.ASCII.GetString(buffer, 0, count);
        }
        Requests.Add(request);
        if (answer == null) return; // The connection stays open.
        await stream.WriteAsync(answer, 0, answer.Length);
        client.Close();
    }
}
