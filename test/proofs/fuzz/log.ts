import { vi } from 'vitest'
import type { Person } from './people.ts'
import type { ResolvedRequest } from './step.ts'

/** What the service writes into its log, which must not hold what clients send (docs/observing.md). */

/** What may be a word of the service's own: short, like `200` or `null`, or letters alone, as in routes and codes. */
const USUAL = /^(.{0,7}|[a-z_-]{8,40})$/is
/** As many requests back a line is looked at for what they sent: some are written when the answer is already on its way. */
const REQUESTS = 5

const lines: string[] = []
let sent: string[][] = []

/** From now on the lines of the log are kept for `wordInLog`, instead of being printed. Ends with `vi.restoreAllMocks`. */
export function listenToLog(): void {
  for (const level of ['log', 'warn', 'error'] as const) {
    const print = console[level].bind(console)
    vi.spyOn(console, level).mockImplementation((...line: unknown[]) => {
      const text = line.map(String).join(' ')
      if (text.startsWith('{')) lines.push(text)
      else print(...line)
    })
  }
}

/**
 * What is wrong with the lines since the last request: one holds a token, a name, a query string, an id or a text that was
 * sent, or none is this request's own. Undefined when nothing is.
 */
export function wordInLog(
  request: ResolvedRequest,
  person: Person | undefined,
  request_id: string | null,
): string | undefined {
  sent = [...sent, wordsOf(request, person)].slice(-REQUESTS)
  const written = lines.splice(0)
  if (!written.some((line) => line.includes(`"request_id":"${request_id}"`)))
    return `a request that is not in the log: ${request_id}`
  const texts = written.flatMap((line) => textsIn(JSON.parse(line)))
  for (const word of sent.flat())
    for (const text of texts)
      if (text.includes(word)) return `a word of a client in the log: ${word} in ${text}`
  return undefined
}

/** Every value of a line that is a text, but the id that the client has given for the log. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) =>
    name === 'client_request_id' ? [] : textsIn(member),
  )
}

/** What a request has sent that no line may hold. */
function wordsOf({ path, headers, body = '' }: ResolvedRequest, person: Person | undefined): string[] {
  const [pathname = '', query = ''] = path.split(/\?(.*)/s)
  const given = Object.entries(headers).flatMap(([name, value]) => (isTold(name) ? [] : [value]))
  const token = person?.user.token ?? ''
  const texts = [
    ...[token, ...token.split('.'), ...given, ...given.flatMap((value) => value.split(/[ .]/))],
    ...[query, ...query.split(/[&=]/), ...pathname.split('/')],
    ...textsOf(body),
  ]
  return [...new Set(texts.flatMap((text) => [text, decoded(text)]))].filter((text) => !USUAL.test(text))
}

/** Headers whose values are the service's own words, or are for the log. */
function isTold(name: string): boolean {
  return /^(content-type|accept|upgrade|origin|x-request-id)$/i.test(name)
}

/** The values in a body that are texts, and the whole when it is no JSON. */
function textsOf(body: string): string[] {
  try {
    return textsIn(JSON.parse(body))
  } catch {
    return [body]
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
