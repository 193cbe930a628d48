import { csharpCall, instance } from './csharp/call.ts'
import { text } from './csharp/names.ts'
import { csharpRequest } from './csharp/request.ts'
import type { Operation } from './operation.ts'
import { jsonIn, type RecordedRequest } from './recorded.ts'

/**
 * A request as a call of the C# client, with `content` for bytes that the log does not keep; one that is no operation of the
 * service as C# 7 for an `HttpClient http`.
 */
export function asCSharp(request: RecordedRequest, operation?: Operation): string {
  const call = operation && asCall(request, operation)
  if (call !== undefined) return call
  const { 'x-d1-bookmark': _, ...headers } = request.headers
  const json = jsonIn(request.body)
  const { answer } = request
  return csharpRequest({
    method: request.method,
    url: request.url,
    headers,
    needsToken: request.is_of_service,
    json: json === undefined ? undefined : JSON.stringify(json),
    content: request.body && json === undefined ? 'content' : undefined,
    answersContent: answer?.body !== undefined && answer.body.text === undefined,
  })
}

function asCall({ url, headers, body }: RecordedRequest, { id, path }: Operation): string | undefined {
  if (body?.is_cut) return undefined
  if (new URL(url).pathname.startsWith('/v1/saves'))
    return saveCall(id, String(path.slot), url, headers, body)
  const { searchParams } = new URL(url)
  const query = Object.fromEntries(
    [...searchParams.keys()].map((name) => {
      const [value, ...others] = searchParams.getAll(name)
      return [name, others.length > 0 ? [value, ...others] : value]
    }),
  )
  return csharpCall(id, { path, query, headers, body: jsonIn(body) })
}

/** A request about saves: the client has methods of its own for them, which keep to the revision that it knows. */
function saveCall(
  id: string,
  slot: string,
  url: string,
  headers: RecordedRequest['headers'],
  body: RecordedRequest['body'],
): string {
  const { searchParams } = new URL(url)
  const revision = searchParams.get('revision')
  if (id === 'readSave')
    return `var save = await storage.Saves.ReadAsync(${[text(slot), ...(revision === null ? [] : [revision])].join(', ')});`
  if (id === 'listSaves')
    return `var saveList = await storage.Saves.ListAsync(${searchParams.get('deleted') === 'true' ? 'true' : ''});`
  if (id === 'listSaveRevisions')
    return `var history = await storage.Saves.ListRevisionsAsync(${text(slot)});`
  if (id === 'deleteSave') return `await storage.Saves.DeleteAsync(${text(slot)});`
  if (id === 'restoreSave') {
    const { revision: restored } = Object(jsonIn(body))
    return `var save = await storage.Saves.RestoreAsync(${[text(slot), ...(restored ? [String(restored)] : [])].join(', ')});`
  }
  const decoded = (name: string) => text(decodeURIComponent(headers[name] ?? ''))
  const type = headers['content-type'] ?? ''
  const options = [
    'save-device' in headers && `Device = ${decoded('save-device')}`,
    'save-label' in headers && `Label = ${decoded('save-label')}`,
    'save-played-seconds' in headers && `PlayedSeconds = ${headers['save-played-seconds']}`,
    type !== '' && type !== 'application/octet-stream' && `MimeType = ${text(type)}`,
    searchParams.get('keep') === 'true' && 'Keep = true',
  ].filter((option) => option !== false)
  const given = [text(slot), 'content', instance('SaveWriteOptions', options)].filter(
    (one) => one !== undefined,
  )
  return `var save = await storage.Saves.WriteAsync(${given.join(', ')});`
}
