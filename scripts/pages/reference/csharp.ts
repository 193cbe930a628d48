/** Examples with the project's own C# client. test/csharp/client.test.ts compiles all of them. */
import { csharpCall } from '../../../console/src/requests/csharp/call.ts'
import { csharpRequest } from '../../../console/src/requests/csharp/request.ts'
import type { Call } from './call.ts'

/** Operations for which the client has more than a method of their name, and the socket. `CALL` is the call of that method. */
const special: Record<string, string> = {
  startUpload: `// All steps at once, of a stream that can seek
using (var content = File.OpenRead("forest.png"))
{
    var options = new FileUpload
    {
        Name = "forest.png",
        Started = started => File.WriteAllText("upload-id.txt", started.Id), // to resume with
    };
    var file = await storage.UploadFileAsync(content, options);
    Console.WriteLine(file.Id);
}

// This step alone
CALL`,
  getUpload: `// Resumes the upload: sends what is missing.
using (var content = File.OpenRead("forest.png"))
{
    var options = new FileUpload { UploadId = "019a7e2c-6f7a-7000-9d3c-2b9f4e1a5c60" };
    var file = await storage.UploadFileAsync(content, options);
    Console.WriteLine(file.Id);
}

// Its state alone
CALL`,
  presignParts: `// storage.UploadFileAsync does it by itself. This step alone:
CALL`,
  completeUpload: `// storage.UploadFileAsync does it by itself. This step alone:
CALL`,
  getDownloadUrl: `CALL

// Or the content itself
using (var target = File.Create("forest.png"))
    await storage.DownloadAsync(Downloadable.File("019a7e2c-6f7a-7000-9d3c-2b9f4e1a5c60"), target);`,
  getSharedUrl: `CALL

// Or the content itself
using (var target = File.Create("forest.png"))
    await storage.DownloadAsync(Downloadable.Share("019a7e2c-6f7a-7000-9d3c-2b9f4e1a5c60"), target);`,
  getVersionUrl: `CALL

// Or the content itself
using (var target = File.Create("forest.world"))
    await storage.DownloadAsync(Downloadable.AssetVersion("019a7e2c-6f7a-7000-9d3c-2b9f4e1a5c60", 1), target);`,
  listSaves: `var saves = await storage.Saves.ListAsync();`,
  writeSave: `var save = await storage.Saves.WriteAsync(
    "auto",
    File.ReadAllBytes("auto.save"),
    new SaveWriteOptions { Label = "The old mill", PlayedSeconds = 7200 });`,
  readSave: `var save = await storage.Saves.ReadAsync("auto");
File.WriteAllBytes("auto.save", save.Bytes);`,
  deleteSave: `await storage.Saves.DeleteAsync("auto");`,
  listSaveRevisions: `var revisions = await storage.Saves.ListRevisionsAsync("auto");`,
  restoreSave: `var save = await storage.Saves.RestoreAsync("auto", 2);`,
  openSocket: `var socket = new ClientWebSocket();
socket.Options.SetRequestHeader("Authorization", "Bearer " + token);
var address = new Uri("ws://localhost:8787/v1/notifications/ws?after=42");
await socket.ConnectAsync(address, CancellationToken.None);
var bytes = new ArraySegment<byte>(new byte[65536]);
var message = await socket.ReceiveAsync(bytes, CancellationToken.None);
var json = Encoding.UTF8.GetString(bytes.Array, 0, message.Count);`,
}

/** A call of the client; an operators' command as a request. */
export function csharpOf(call: Call): string {
  const { operation, method, url, needsToken, headers, body, bytes, answersBytes } = call
  const content = bytes === undefined ? undefined : `File.ReadAllBytes("${bytes}")`
  const plain =
    csharpCall(operation.id, {
      path: call.inPath,
      query: call.query,
      headers: Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])),
      body,
      ...(content && { content }),
    }) ??
    csharpRequest({
      method,
      url,
      headers: Object.fromEntries(headers),
      needsToken,
      json: body && JSON.stringify(body),
      content,
      answersContent: answersBytes !== undefined,
    })
  return special[operation.id]?.replace('CALL', () => plain) ?? plain
}
