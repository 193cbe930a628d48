/** The demo's HTTP client. Like a game client, it uses nothing but the service's answers. */
import { styleText } from 'node:util'
import { z } from 'zod'

/** A user with a token. */
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

/** The options of a request. */
interface Sent {
  json?: Record<string, unknown>
  headers?: Record<string, string>
}

/** An error response of the service (a problem document, RFC 9457) or of the storage. */
export class RequestError extends Error {
  readonly request: string
  readonly status: number
  readonly code: string
  readonly request_id: string | undefined

  constructor(request: string, status: number, problem: z.output<typeof Problem>) {
    super(problem.detail)
    this.name = 'RequestError'
    this.request = request
    this.status = status
    this.code = problem.code
    this.request_id = problem.request_id
  }
}

const Problem = z.object({ code: z.string(), detail: z.string(), request_id: z.string().optional() })

/** The schema of an empty answer. */
export const nothing = z.undefined()

/** Sends a request, prints its outcome, and parses the answer with `schema`. @throws RequestError */
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
    const error = new RequestError(`${method} ${path}`, response.status, problemIn(text))
    printRequest(method, path, `${response.status} ${error.code}`)
    throw error
  }
  printRequest(method, path, String(response.status))
  const body: unknown = text === '' ? undefined : JSON.parse(text)
  return { status: response.status, headers: response.headers, body: schema.parse(body) }
}

/** Sends a request that has to fail with `code`, and prints the detail of the error. */
export async function sendRejected(
  user: User,
  method: string,
  path: string,
  code: string,
  sent?: Sent,
): Promise<void> {
  try {
    await send(user, method, path, z.unknown(), sent)
  } catch (error) {
    if (error instanceof RequestError && error.code === code) return printFact('detail', error.message)
    throw error
  }
  throw new Error(`${method} ${path} should have failed with ${code}, and did not.`)
}

/** The body of an error response: a problem document, or the XML of the storage. */
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

/** Prints the heading of a step. */
export function printStep(title: string): void {
  steps += 1
  console.log(`\n${styleText('bold', `${String(steps).padStart(2)}. ${title}`)}`)
}

/** Prints a request and its outcome. The signature of a signed URL is left out, because it grants access. */
export function printRequest(method: string, target: string, outcome: string): void {
  const shown = target.replace(/\?.*X-Amz-Signature=.*$/, '?(signature)')
  const colour = /^[12]/.test(outcome) ? 'green' : 'yellow'
  console.log(`    ${styleText('cyan', method)} ${shown} → ${styleText(colour, outcome)}`)
}

/** Prints a fact about an answer. */
export function printFact(name: string, value: string): void {
  console.log(`    ${styleText('dim', name.padEnd(12))} ${value}`)
}

export function bytes(count: number): string {
  return `${count.toLocaleString('en')} bytes`
}

export function clock(seconds: number): string {
  return new Date(seconds * 1000).toLocaleTimeString('en-GB')
}
