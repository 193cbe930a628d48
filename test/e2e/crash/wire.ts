import { z } from '@hono/zod-openapi'
import type { Journal } from './journal.ts'
import type { Power } from './power.ts'

/** What came back for a request. */
export interface Answer {
  status: number
  headers: Headers
  body: unknown
}

const Problem = z.object({ code: z.string() })

/** The code of a refusal. */
export function codeOf({ body }: Answer): string | undefined {
  return Problem.safeParse(body).data?.code
}

/** A request, with what the journal is to say of it. */
export interface Request {
  intent: string
  about: string[]
  method: string
  /** Under /v1; a signed URL is given as it is. */
  path: string
  json?: unknown
  body?: Buffer<ArrayBuffer>
  headers?: Record<string, string> | undefined
}

/** A client's line to the server: it may go dead at any moment, and then the client knows no more than its journal. */
export class Wire {
  readonly user: string
  readonly token: string
  readonly power: Power
  readonly journal: Journal

  constructor(user: string, token: string, power: Power, journal: Journal) {
    this.user = user
    this.token = token
    this.power = power
    this.journal = journal
  }

  /** Sends a request that the journal is told of. Undefined when the server was killed before it had answered. */
  async send({ intent, about, ...request }: Request): Promise<Answer | undefined> {
    const line = this.journal.intend(this.user, intent, about)
    const answer = await this.#exchange(request).catch((error: unknown) => {
      if (this.power.isOff) return undefined
      throw new Error(`${intent} failed, and nobody had killed the server`, { cause: error })
    })
    // What falls apart in the middle of a kill may still say that it does: that is no answer.
    const isAnswered = answer !== undefined && !(this.power.isOff && answer.status >= 500)
    line.outcome = isAnswered ? `${answer.status} ${codeOf(answer) ?? ''}`.trim() : 'cut off'
    return isAnswered ? answer : undefined
  }

  /** What the user sees at a path. */
  async read(path: string): Promise<Answer> {
    return this.#exchange({ method: 'GET', path })
  }

  /** What the user sees at a path, which has to be there. */
  async see<Schema extends z.ZodType>(schema: Schema, path: string): Promise<z.output<Schema>> {
    const { status, body } = await this.read(path)
    if (status !== 200) throw new Error(`GET ${path} → ${status} ${JSON.stringify(body)}`)
    return schema.parse(body)
  }

  async #exchange({ method, path, json, body, headers }: Omit<Request, 'intent' | 'about'>): Promise<Answer> {
    const own = { Authorization: `Bearer ${this.token}`, 'Content-Type': 'application/json' }
    const isSigned = path.startsWith('http')
    const response = await fetch(isSigned ? path : `${this.power.origin}/v1${path}`, {
      method,
      headers: isSigned ? { ...headers } : { ...own, ...headers },
      ...(json !== undefined && { body: JSON.stringify(json) }),
      ...(body !== undefined && { body }),
    })
    const text = await response.text()
    const isJson = response.headers.get('Content-Type')?.includes('json')
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text }
  }
}
