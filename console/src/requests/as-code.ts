import { record } from '../json.ts'
import type { RecordedRequest } from './log.ts'

/** A request as a curl command, with $TOKEN in place of the token. */
export function asCurl({ method, url, body, headers }: RecordedRequest): string {
  const isService = isOfService(url)
  const lines = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} ${quoted(isService ? url : withoutQuery(url))}`,
    ...(isService ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${quoted(body)}`]),
    // The log does not keep content.
    ...(isService && body === undefined && headers['content-type'] !== undefined
      ? ['--data-binary @FILE']
      : []),
  ]
  return lines.join(' \\\n  ')
}

/** A request as a call of the client; undefined when the client has no method for it. */
export function asClientCode(request: RecordedRequest, description: unknown): string | undefined {
  if (!isOfService(request.url)) return undefined
  const { pathname, searchParams } = new URL(request.url)
  const found = operationAt(description, request.method, pathname)
  if (!found) return undefined
  if (found.id === 'readSave' || found.id === 'writeSave') return saveCode(found, request)
  const query = Object.fromEntries([...searchParams].map(([name, value]) => [name, plain(value)]))
  const body: unknown = request.body === undefined ? {} : JSON.parse(request.body)
  const given = { ...found.path, ...query, ...(typeof body === 'object' ? body : {}) }
  const ifMatch = request.headers['if-match']
  if (found.id === 'createContent') return `await client.upload(content, ${literal(given)})`
  if (found.id === 'replaceContent')
    return `await client.upload(content, ${literal({ file_id: found.path.id, ...(ifMatch !== undefined && { ifMatch }) })})`
  const options = ifMatch === undefined ? [] : [`{ ifMatch: ${JSON.stringify(ifMatch)} }`]
  const args = Object.keys(given).length === 0 ? [] : [literal(given)]
  return `await client.${found.id}(${[...args, ...options].join(', ')})`
}

/** A read or a write of a save as a call of the client, which has methods of its own for requests with bytes. */
function saveCode({ id, path }: { id: string; path: Record<string, unknown> }, request: RecordedRequest) {
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

/** Whether a request went to the service, and not to the bucket. */
export function isOfService(url: string): boolean {
  const { origin, pathname } = new URL(url, location.href)
  return origin === location.origin && pathname.startsWith('/v1/')
}

/** The path to show. Leaves out the query of a signed URL, which grants access while it is valid. */
export function shownUrl(url: string): string {
  const { pathname, search, host } = new URL(url, location.href)
  return isOfService(url) ? decodeURI(pathname + search) : `${host}${pathname}`
}

function withoutQuery(url: string): string {
  return `${url.split('?')[0]}?SIGNED`
}

function operationAt(description: unknown, method: string, pathname: string) {
  const paths = Object.entries(record(record(description).paths))
  const byParameters = ([one]: [string, unknown], [other]: [string, unknown]) =>
    one.split('{').length - other.split('{').length
  for (const [path, item] of paths.sort(byParameters)) {
    const id = record(record(item)[method.toLowerCase()]).operationId
    const match = new RegExp(`^${path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`).exec(pathname)
    if (match && typeof id === 'string') {
      const values = Object.entries(match.groups ?? {}).map(([name, value]) => [
        name,
        plain(decodeURIComponent(value)),
      ])
      const path: Record<string, unknown> = Object.fromEntries(values)
      return { id, path }
    }
  }
  return undefined
}

function literal(value: Record<string, unknown>): string {
  const members = Object.entries(value).map(([name, inner]) => `${name}: ${JSON.stringify(inner)}`)
  const line = `{ ${members.join(', ')} }`
  return line.length < 80 ? line : `{\n${members.map((member) => `  ${member},\n`).join('')}}`
}

/** A query parameter as a value of the client's types: number, boolean or string. */
function plain(value: string): unknown {
  if (/^(0|[1-9]\d{0,14})$/.test(value)) return Number(value)
  return value === 'true' ? true : value === 'false' ? false : value
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
