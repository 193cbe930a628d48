import { record } from '../json.ts'
import { type Operation, plain } from './operation.ts'
import { jsonIn, type RecordedRequest } from './recorded.ts'

/** A request as a curl command, with $TOKEN in place of the token. */
export function asCurl(request: RecordedRequest): string {
  const { method, url, headers, is_of_service } = request
  const lines = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} ${quoted(url)}`,
    ...(is_of_service ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...dataOf(request),
  ]
  return lines.join(' \\\n  ')
}

function dataOf({ body }: RecordedRequest): string[] {
  if (!body) return []
  const json = jsonIn(body)
  // The log does not keep content, nor all of a long body.
  return json === undefined ? ['--data-binary @FILE'] : [`-d ${quoted(JSON.stringify(json))}`]
}

/** A request as a call of the client; undefined when the log has not all of its body. */
export function asClientCode(request: RecordedRequest, operation: Operation): string | undefined {
  const { id, path } = operation
  if (request.body?.is_cut) return undefined
  if (id === 'readSave' || id === 'writeSave') return saveCode(operation, request)
  const { searchParams } = new URL(request.url)
  const query = Object.fromEntries([...searchParams].map(([name, value]) => [name, plain(value)]))
  const given = { ...path, ...query, ...record(jsonIn(request.body)) }
  const ifMatch = request.headers['if-match']
  if (id === 'createContent') return `await client.upload(content, ${literal(given)})`
  if (id === 'replaceContent')
    return `await client.upload(content, ${literal({ file_id: path.id, ...(ifMatch !== undefined && { ifMatch }) })})`
  const options = ifMatch === undefined ? [] : [`{ ifMatch: ${JSON.stringify(ifMatch)} }`]
  const args = Object.keys(given).length === 0 ? [] : [literal(given)]
  return `await client.${id}(${[...args, ...options].join(', ')})`
}

/** A read or a write of a save as a call of the client, which has methods of its own for requests with bytes. */
function saveCode({ id, path }: Operation, request: RecordedRequest) {
  const { searchParams } = new URL(request.url)
  const text = (name: string) => {
    const header = request.headers[name]
    return header === undefined ? undefined : decodeURIComponent(header)
  }
  const revision = searchParams.get('revision')
  const played = request.headers['save-played-seconds']
  const details = {
    ...(revision !== null && { revision: Number(revision) }),
    device: text('save-device'),
    label: text('save-label'),
    ...(played !== undefined && { playedSeconds: Number(played) }),
    mimeType: id === 'writeSave' ? request.headers['content-type'] : undefined,
    ...(searchParams.has('keep') && { keep: true }),
  }
  const given = Object.entries(details).filter(([, value]) => value !== undefined)
  const args = [JSON.stringify(String(path.slot)), ...(id === 'writeSave' ? ['bytes'] : [])]
  if (given.length > 0) args.push(literal(Object.fromEntries(given)))
  return `await client.saves.${id === 'writeSave' ? 'write' : 'read'}(${args.join(', ')})`
}

/** The path to show, for the bucket with its host. */
export function shownUrl({ url, is_of_service }: RecordedRequest): string {
  const { pathname, search, host } = new URL(url)
  return is_of_service ? decodeURI(pathname + search) : `${host}${pathname}`
}

function literal(value: Record<string, unknown>): string {
  const members = Object.entries(value).map(([name, inner]) => `${name}: ${JSON.stringify(inner)}`)
  const line = `{ ${members.join(', ')} }`
  return line.length < 80 ? line : `{\n${members.map((member) => `  ${member},\n`).join('')}}`
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
