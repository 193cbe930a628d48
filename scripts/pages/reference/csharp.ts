import type { Call } from './call.ts'

const socket = `var socket = new ClientWebSocket();
socket.Options.SetRequestHeader("Authorization", "Bearer " + token);
var address = new Uri("ws://localhost:8787/v1/notifications/ws?after=42");
await socket.ConnectAsync(address, CancellationToken.None);
var bytes = new ArraySegment<byte>(new byte[65536]);
var message = await socket.ReceiveAsync(bytes, CancellationToken.None);
var json = Encoding.UTF8.GetString(bytes.Array, 0, message.Count);`

/** A request in C# 7 with the `HttpClient http` of the introduction. */
export function csharpOf(call: Call): string {
  const { method, path, headers, body, bytes, answersBytes } = call
  if (call.operation.id === 'openSocket') return socket
  const url = text(path)
  if (method === 'GET' && headers.length === 0)
    return answersBytes
      ? `var bytes = await http.GetByteArrayAsync(${url});`
      : `var json = await http.GetStringAsync(${url});`
  const lines = [`var request = new HttpRequestMessage(${methodOf(method)}, ${url});`]
  if (body !== undefined)
    lines.push(
      `request.Content = new StringContent(${verbatim(JSON.stringify(body, null, 2))}, Encoding.UTF8, "application/json");`,
    )
  if (bytes) lines.push(`request.Content = new ByteArrayContent(File.ReadAllBytes(${text(bytes)}));`)
  for (const [name, value] of headers)
    lines.push(
      name === 'Content-Type'
        ? `request.Content.Headers.ContentType = new MediaTypeHeaderValue(${text(value)});`
        : `request.Headers.TryAddWithoutValidation(${text(name)}, ${text(value)});`,
    )
  lines.push('var answer = await http.SendAsync(request);', 'answer.EnsureSuccessStatusCode();')
  if (call.answersJson) lines.push('var json = await answer.Content.ReadAsStringAsync();')
  return lines.join('\n')
}

const methodOf = (method: string) =>
  method === 'PATCH'
    ? 'new HttpMethod("PATCH")'
    : `HttpMethod.${method.charAt(0)}${method.slice(1).toLowerCase()}`

const text = (value: string) => `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`

/** A text of several lines, in which a quotation mark is doubled. */
const verbatim = (value: string) => `@"${value.replaceAll('"', '""')}"`
