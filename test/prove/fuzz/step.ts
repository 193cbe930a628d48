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
  event: 'content is sent' | 'a part is sent' | 'a share expires' | 'an upload expires' | 'the job runs'
  /** The reference of what it happens to. */
  to: string
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

const names = /~u?\d+(?:\.\d+)?~/g

/** The request with everything that it refers to. `people`: the ids of the persons, in order. */
export function resolve(step: RequestStep, pool: Pool, people: string[]): ResolvedRequest {
  const put = (text: string, written: (value: string) => string) =>
    text.replaceAll(names, (name) => written(resolveName(name, pool, people)))
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
function resolveName(name: string, pool: Pool, people: string[]): string {
  return name.startsWith('~u') ? (people[Number(name.slice(2, -1))] ?? 'nobody') : pool.resolve(name)
}

/** A step as a line for the reader, cut short where it is long. */
export function told(step: Step): string {
  if (!isRequest(step)) return `#${step.number} ${step.event}: ${step.to}`
  const { number, who, method, path, headers, body, intent } = step
  const sent = Object.keys(headers).length > 0 ? ` ${JSON.stringify(headers)}` : ''
  const line = `#${number} ${who === undefined ? 'nobody' : `~u${who}~`}: ${method} ${path}${sent}${body === undefined ? '' : ` ${body}`}`
  return `${line.length > 600 ? `${line.slice(0, 600)}… (${line.length})` : line}   (${intent})`
}
