import { isUploaded } from './content.ts'
import { codeOf } from './coverage.ts'
import type { Exchange } from './learn.ts'
import { countsOf, isSecretFrom, knowledgeOf, tokensIn } from './oracle.ts'
import type { Person } from './people.ts'
import type { SentContents } from './sent.ts'
import type { Snapshot } from './snapshot.ts'

/** What must hold of every answer beside being described. */

/** Words of the inside: no client has any business to see them. */
const INSIDE =
  /SQL|D1_|SELECT .* FROM|INSERT INTO|constraint failed|no such (?:table|column)|json_each|at (?:async )?[\w$.]+ \(|at Object\.|\.ts\b|src\/|node_modules|(?:Type|Range|Reference|Syntax)Error|\[object|Cannot read|is not a function|[Zz]od|BUCKET|INBOX|\bSAVES\b|\bDB\b|workerd|miniflare|Durable|refused:|object_key|trashed_at|purging|request_hash|made_id|\bstack\b|JWT_SECRET|LosslessNumber|secret-key/

/** Words of the inside that operators are told: the binding of the first database, and the member `object_key`. */
const FOR_OPERATORS = /\bDB\b|object_key/g

/** Members that hold what users have written, or where it stands in a signed URL. */
const written = new Set([
  'name',
  'from_display_name',
  'owner_id',
  'grantee_id',
  'url',
  'headers',
  'reason',
  'device',
  'label',
  'description',
  'metadata',
  'notes',
  // A JSON object of the game's own.
  'data',
])

/** What is wrong with an answer; undefined when nothing is. */
export function faultOf(
  exchange: Exchange,
  person: Person | undefined,
  sent: SentContents,
  before: Snapshot,
  after: Snapshot,
): string | undefined {
  return (
    echoedRequestId(exchange) ??
    insideWord(exchange) ??
    leak(exchange, person, sent, before, after) ??
    wrongCount(exchange, person, isLook(exchange) ? before : after)
  )
}

/** A request's id is the service's own: a client that chose it could make lines of the log look like others'. */
function echoedRequestId({ request, answer }: Exchange): string | undefined {
  const given = new Headers(request.headers).get('X-Request-Id')
  const own = answer.headers.get('X-Request-Id') ?? ''
  return own === '' || own === given ? `an echo: the request's id is ${own || 'none'}` : undefined
}

function insideWord({ operation, request, answer }: Exchange): string | undefined {
  const sent = JSON.stringify(request).toLowerCase()
  // The detail is what the checker has said.
  const isRejection = codeOf(answer.body) === 'UPLOAD_REJECTED'
  const isContent = answer.status === 200 && (operation?.id === 'getContent' || operation?.id === 'readSave')
  const said = [...answer.headers, ...(isRejection || isContent ? [] : stringsIn(answer.body))]
  for (const text of said.flat()) {
    const word = INSIDE.exec(operation?.isForOperators ? text.replaceAll(FOR_OPERATORS, '') : text)?.[0]
    if (word !== undefined && !sent.includes(JSON.stringify(word).slice(1, -1).toLowerCase()))
      return `an inside word: ${word} in ${text}`
  }
  return undefined
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(stringsIn)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => [
    name,
    ...(written.has(name) ? [] : stringsIn(member)),
  ])
}

/**
 * Whether the answer holds an id or a marker that the caller may not know, and did not bring. A publisher is told what
 * it has published, which is the recipient's from then on. Operators are told of everybody's: the events that were not
 * delivered, and the rows and objects that do not agree.
 */
function leak(
  { operation, request, answer }: Exchange,
  person: Person | undefined,
  sent: SentContents,
  ...states: Snapshot[]
): string | undefined {
  const { headers, text } = answer
  if (/^publishNotifications?$/.test(operation?.id ?? '') && answer.status < 300) return undefined
  if (operation?.isForOperators && answer.status === 200) return undefined
  const request_id = headers.get('X-Request-Id') ?? ''
  // A reason is what a moderator has once sent, and told to moderators only, whatever marker stands in it.
  const withoutReasons =
    operation?.id === 'listBlocked' ? text.replaceAll(/"reason":"(?:[^"\\]|\\.)*"/g, '') : text
  // Content may hold any marker that the file's owner has once sent.
  const file = request.path.split('/')[3] ?? ''
  const isSent = sent.hasText(file, text) || states.some((state) => isUploaded(file, text, state))
  const isContent = operation?.id === 'getContent' && isSent
  const body = isContent ? '' : withoutReasons
  const told = tokensIn([...headers, decoded(body)].flat().join('\n'))
  const brought = tokensIn(
    [decoded(request.path), request.body, ...Object.values(request.headers)].join('\n'),
  )
  for (const token of told) {
    if (token === request_id || brought.has(token)) continue
    if (person && states.some((state) => knowledgeOf(person, state).has(token))) continue
    return `a leak: ${token}, told to ${person?.user.id ?? 'nobody'}`
  }
  return undefined
}

/** The same for what came on a socket, which may repeat what the person's inbox once had: `received`. */
export function leakOnSocket(
  message: string,
  person: Person,
  received: ReadonlySet<string>,
  ...states: Snapshot[]
): string | undefined {
  for (const token of tokensIn(message))
    if (!received.has(token) && states.every((state) => isSecretFrom(token, person, state)))
      return `a leak on a socket: ${token}, told to ${person.user.id}`
  return undefined
}

/** Percent-encoded or not, so that a name in a signed URL is found. */
function decoded(text: string): string {
  try {
    return `${text}\n${decodeURIComponent(text)}`
  } catch {
    return text
  }
}

/**
 * Whether the caller looks at their inbox. An isolate that has read no announcements answers with the inbox as it is, and has
 * it take them in after that; each request of a round comes to another isolate.
 */
export function isLook({ operation }: Pick<Exchange, 'operation'>): boolean {
  return ['listNotifications', 'countUnread', 'openSocket'].includes(operation?.id ?? '')
}

/** Whether a number in the answer is not the one of the caller's own things. */
function wrongCount(
  { operation, answer }: Exchange,
  person: Person | undefined,
  state: Snapshot,
): string | undefined {
  if (answer.status !== 200 || !person || typeof answer.body !== 'object' || answer.body === null)
    return undefined
  const { used_bytes, bytes_of_saves, total, unread } = countsOf(person, state)
  const expected = {
    getQuota: { used_bytes },
    getQuotaBreakdown: { used_bytes },
    listSaves: { used_bytes: bytes_of_saves },
    listNotifications: { total, unread },
    countUnread: { count: unread },
  }[operation?.id ?? '']
  for (const [name, count] of Object.entries(expected ?? {})) {
    const said = new Map<string, unknown>(Object.entries(answer.body)).get(name)
    if (said !== count) return `a wrong count: ${name} is ${said}, and ${count} of ${person.user.id}`
  }
  return undefined
}
