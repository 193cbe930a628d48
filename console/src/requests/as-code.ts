import { callOf } from '../../../scripts/describe/client/names.ts'
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
  const named = callOf(id)
  if (!named || request.body?.is_cut) return undefined
  const { searchParams } = new URL(request.url)
  const query = Object.fromEntries(
    [...new Set(searchParams.keys())].map((name) => [name, valueIn(id, name, searchParams.getAll(name))]),
  )
  const bytes = bytesOf(id)
  const body = bytes ? { ...bytes, ...saidIn(id, request) } : record(jsonIn(request.body))
  const { id: file_id, ...others } = path
  const { asset_type, ...inBody } = body
  const given = {
    ...(id === 'replaceContent' ? { ...others, file_id } : path),
    ...query,
    ...(id === 'createFolder' ? inBody : body),
  }
  const { 'if-match': ifMatch, 'audit-reason': reason } = request.headers
  const options = [
    ...(ifMatch !== undefined && id !== 'writeSave' ? [`ifMatch: ${JSON.stringify(ifMatch)}`] : []),
    ...(reason === undefined ? [] : [`auditReason: ${JSON.stringify(decodeURIComponent(reason))}`]),
  ]
  const args = Object.keys(given).length === 0 ? (options.length > 0 ? ['{}'] : []) : [literal(given)]
  if (options.length > 0) args.push(`{ ${options.join(', ')} }`)
  return `await ${named.isStudio ? 'studio' : 'client'}.${named.call}(${args.join(', ')})`
}

/** The parameters of a query that may be repeated. */
const lists = ['tag', 'exclude_tag']

function valueIn(id: string, name: string, values: string[]): unknown {
  const [first = ''] = values
  return id === 'browseAssets' && lists.includes(name) ? values : plain(first)
}

/** A value that stands for a variable of the program. */
class Variable {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/** The content that a request sends, which the log does not keep; undefined for JSON. */
function bytesOf(id: string): Record<string, Variable> | undefined {
  if (id === 'writeSave') return { bytes: new Variable('bytes') }
  return ['createContent', 'replaceContent', 'setPreview'].includes(id)
    ? { content: new Variable('content') }
    : undefined
}

/** What headers say of the bytes of a save, or of content. */
function saidIn(id: string, { headers }: RecordedRequest): Record<string, unknown> {
  if (id === 'setPreview') return { mime_type: headers['content-type'] }
  if (id !== 'writeSave') return {}
  const text = (name: string) => {
    const header = headers[name]
    return header === undefined ? undefined : decodeURIComponent(header)
  }
  const played = headers['save-played-seconds']
  const said = {
    device: text('save-device'),
    label: text('save-label'),
    played_seconds: played === undefined ? undefined : Number(played),
    mime_type: headers['content-type'],
  }
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined))
}

/** The path to show, for the bucket with its host. */
export function shownUrl({ url, is_of_service }: RecordedRequest): string {
  const { pathname, search, host } = new URL(url)
  return is_of_service ? decodeURI(pathname + search) : `${host}${pathname}`
}

function literal(value: Record<string, unknown>): string {
  const members = Object.entries(value).map(([name, inner]) => {
    if (inner instanceof Variable) return inner.name === name ? name : `${name}: ${inner.name}`
    return `${name}: ${JSON.stringify(inner)}`
  })
  const line = `{ ${members.join(', ')} }`
  return line.length < 80 ? line : `{\n${members.map((member) => `  ${member},\n`).join('')}}`
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
