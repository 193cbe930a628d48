/** Examples with the project's own C# client. test/csharp/client.test.ts compiles all of them. */
import { csharpCall } from '../../../console/src/requests/csharp/call.ts'
import { csharpRequest } from '../../../console/src/requests/csharp/request.ts'
import type { Call } from './call.ts'

/** Operations for which the client has more than a method of their name, and the socket. */
const special: Record<string, string> = {
  listSaves: `var saves = await storage.Saves.List();`,
  writeSave: `var save = await storage.Saves.Write(
    "auto",
    File.ReadAllBytes("auto.save"),
    new SaveWriteOptions { Label = "The old mill", PlayedSeconds = 7200 });`,
  readSave: `var save = await storage.Saves.Read("auto");
File.WriteAllBytes("auto.save", save.Bytes);`,
  deleteSave: `await storage.Saves.Delete("auto");`,
  listSaveRevisions: `var revisions = await storage.Saves.Revisions("auto");`,
  restoreSave: `var save = await storage.Saves.Restore("auto", 2);`,
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
  return (
    special[operation.id] ??
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
  )
}
