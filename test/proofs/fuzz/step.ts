import type { Pool } from './pool.ts'

/** One request of a round, with references in place of what only a run knows. */
export interface RequestStep {
  number: number
  /** The index of the person whose token is sent; undefined: none is. */
  who: number | undefined
  method: string
  /** With its query. */
  path: string
  headers: Record<string, string>
  body?: string
  /** What was intended, for the reader. */
  intent: string
}

/** Something else that happens in a round: what a client does with a signed URL, or what time does. */
export interface Event {
  number: number
  event:
    | 'content is sent'
    | 'a part is sent'
    | 'a share expires'
    | 'an upload expires'
    | 'the job runs'
    | 'events are parked'
  /** The reference of what it happens to. */
  to: string
  /** What is sent along with content, or in place of what was signed. */
  headers?: Record<string, string>
}

export type Step = RequestStep | Event

export function isRequest(step: Step): step is RequestStep {
  return 'method' in step
}

/** A request as it is sent. */
export interface ResolvedRequest {
  method: string
  path: string
  headers: Record<string, string>
  body: string | undefined
}

const names = /~[ut]?\d+(?:\.\d+)?~/g

/** What the names in a step stand for: persons and tokens by their place, the rest by what answers have given. */
export interface Cast {
  people: string[]
  tokens: string[]
}

/** The request with everything that it refers to. */
export function resolve(step: RequestStep, pool: Pool, cast: Cast): ResolvedRequest {
  const put = (text: string, written: (value: string) => string) =>
    text.replaceAll(names, (name) => written(resolveName(name, pool, cast)))
  return {
    method: step.method,
    path: put(step.path, encodeURIComponent),
    headers: Object.fromEntries(
      Object.entries(step.headers).map(([name, value]) => [name, put(value, (found) => found)]),
    ),
    body: step.body && put(step.body, (value) => JSON.stringify(value).slice(1, -1)),
  }
}

/** What one name stands for. */
function resolveName(name: string, pool: Pool, { people, tokens }: Cast): string {
  const place = Number(name.slice(2, -1))
  if (name.startsWith('~u')) return people[place] ?? 'nobody'
  return name.startsWith('~t') ? (tokens[place % tokens.length] ?? 'none') : pool.resolve(name)
}

/** The headers of an event with everything that they refer to. */
export function resolveHeaders(headers: Record<string, string>, pool: Pool): Record<string, string> {
  const entries = Object.entries(headers)
  return Object.fromEntries(
    entries.map(([name, value]) => [name, value.replaceAll(names, (found) => pool.resolve(found))]),
  )
}

/** A step as a line for the reader, cut short where it is long. */
export function told(step: Step): string {
  if (!isRequest(step))
    return `#${step.number} ${step.event}: ${step.to}${step.headers ? ` ${JSON.stringify(step.headers)}` : ''}`
  const { number, who, method, path, headers, body, intent } = step
  const sent = Object.keys(headers).length > 0 ? ` ${JSON.stringify(headers)}` : ''
  const line = `#${number} ${who === undefined ? 'nobody' : `~u${who}~`}: ${method} ${path}${sent}${body === undefined ? '' : ` ${body}`}`
  return `${line.length > 600 ? `${line.slice(0, 600)}… (${line.length})` : line}   (${intent})`
}
