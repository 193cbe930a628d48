/** The demo's side of the API: a game client that knows of the service no more than its answers. */
import { styleText } from 'node:util'
import { z } from 'zod'

/** Somebody who is signed in. */
export interface User {
  id: string
  origin: string
  token: string
}

export interface Answer<Body> {
  status: number
  headers: Headers
  body: Body
}

/** What goes with a request. */
interface Sent {
  json?: Record<string, unknown>
  headers?: Record<string, string>
}

/** A request that was refused, by the service with a problem document (RFC 9457) or by the storage. */
export class Refused extends Error {
  readonly request: string
  readonly status: number
  readonly code: string
  readonly request_id: string | undefined

  constructor(request: string, status: number, problem: z.output<typeof Problem>) {
    super(problem.detail)
    this.name = 'Refused'
    this.request = request
    this.status = status
    this.code = problem.code
    this.request_id = problem.request_id
  }
}

const Problem = z.object({ code: z.string(), detail: z.string(), request_id: z.string().optional() })

/** Nothing, as after a deletion. */
export const nothing = z.undefined()

/** Sends one request, prints what became of it, and reads the answer as `schema` says. @throws Refused */
export async function send<Schema extends z.ZodType>(
  user: User,
  method: string,
  path: string,
  schema: Schema,
  { json, headers = {} }: Sent = {},
): Promise<Answer<z.output<Schema>>> {
  const response = await fetch(user.origin + path, {
    method,
    headers: {
      Authorization: `Bearer ${user.token}`,
      ...(json && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(json && { body: JSON.stringify(json) }),
  })
  const text = await response.text()
  if (!response.ok) {
    const refused = new Refused(`${method} ${path}`, response.status, problemIn(text))
    printRequest(method, path, `${response.status} ${refused.code}`)
    throw refused
  }
  printRequest(method, path, String(response.status))
  const body: unknown = text === '' ? undefined : JSON.parse(text)
  return { status: response.status, headers: response.headers, body: schema.parse(body) }
}

/** Sends a request that has to be refused with `code`, and says how it was. */
export async function sendRefused(
  user: User,
  method: string,
  path: string,
  code: string,
  sent?: Sent,
): Promise<void> {
  try {
    await send(user, method, path, z.unknown(), sent)
  } catch (error) {
    if (error instanceof Refused && error.code === code) return printFact('detail', error.message)
    throw error
  }
  throw new Error(`${method} ${path} was to be refused with ${code}, and was not.`)
}

/** What a refusal says: a problem document, or the XML of an S3 address. */
export function problemIn(text: string): z.output<typeof Problem> {
  const xml = {
    code: /<Code>(.*?)<\/Code>/.exec(text)?.[1],
    detail: /<Message>(.*?)<\/Message>/.exec(text)?.[1],
  }
  if (xml.code) return { code: xml.code, detail: xml.detail ?? 'The storage gave no reason.' }
  try {
    return Problem.parse(JSON.parse(text))
  } catch {
    return { code: 'no problem document', detail: text.slice(0, 200) || 'The answer was empty.' }
  }
}

let steps = 0

/** Begins a step of the walk. */
export function printStep(title: string): void {
  steps += 1
  console.log(`\n${styleText('bold', `${String(steps).padStart(2)}. ${title}`)}`)
}

/** One request and its outcome; of a signed URL not the signature, which whoever reads it could use. */
export function printRequest(method: string, target: string, outcome: string): void {
  const shown = target.replace(/\?.*X-Amz-Signature=.*$/, '?(signature)')
  const colour = /^[12]/.test(outcome) ? 'green' : 'yellow'
  console.log(`    ${styleText('cyan', method)} ${shown} → ${styleText(colour, outcome)}`)
}

/** Something worth knowing about an answer. */
export function printFact(name: string, value: string): void {
  console.log(`    ${styleText('dim', name.padEnd(12))} ${value}`)
}

export function bytes(count: number): string {
  return `${count.toLocaleString('en')} bytes`
}

export function clock(seconds: number): string {
  return new Date(seconds * 1000).toLocaleTimeString('en-GB')
}
