/** What the checks of a deployment share: whom they are, how they ask, and what they have to remove. */
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { type Need, Wrong } from './given.ts'

/** Someone who asks. */
export interface Person {
  id: string
  token: string
}

/** An answer, read to its end. */
export interface Answer {
  status: number
  headers: Headers
  text: string
}

export const Target = z.object({ url: z.string(), headers: z.record(z.string(), z.string()) })
export type Target = z.output<typeof Target>

const Started = z.object({
  id: z.string(),
  file: z.object({ id: z.string() }).nullish(),
  url: z.string().nullish(),
  headers: z.record(z.string(), z.string()).nullish(),
  multipart: z.object({ part_size: z.number(), part_count: z.number() }).nullish(),
})
export type Started = z.output<typeof Started>

const Parts = z.object({ parts: z.array(Target.extend({ part_number: z.number() })) })

/** How long an answer may take. */
const PATIENCE_MS = 120_000

/** Headers that fetch sets by itself. */
const OF_FETCH = ['content-length', 'host']

export class Deployment {
  readonly origin: string
  /** Whether it is the development server. */
  readonly isLocal: boolean
  readonly user: Person
  readonly other: Person
  /** How large an upload has to be to be sent in parts. */
  readonly multipartBytes: number
  readonly #given: Partial<Record<Need, string>>
  readonly #cleanUps: (() => Promise<unknown>)[] = []

  constructor(
    origin: string,
    isLocal: boolean,
    people: { user: Person; other: Person },
    { given, multipartBytes }: { given: Partial<Record<Need, string>>; multipartBytes: number },
  ) {
    this.origin = origin
    this.isLocal = isLocal
    this.user = people.user
    this.other = people.other
    this.multipartBytes = multipartBytes
    this.#given = given
  }

  has(need: Need): boolean {
    return this.#given[need] !== undefined
  }

  given(need: Need): string {
    const value = this.#given[need]
    if (value === undefined) throw new Error(`${need} is not set`)
    return value
  }

  /** Asks the service as the user, unless `init` has another Authorization, and reads the answer. */
  async ask(path: string, init: RequestInit = {}): Promise<Answer> {
    const headers = new Headers(init.headers)
    if (!headers.has('Authorization')) headers.set('Authorization', `Bearer ${this.user.token}`)
    if (init.body) headers.set('Content-Type', 'application/json')
    return read(
      await fetch(this.origin + path, { ...init, headers, signal: AbortSignal.timeout(PATIENCE_MS) }),
    )
  }

  /** Asks, and needs this status. @throws Wrong */
  async need(status: number, path: string, init: RequestInit = {}): Promise<Answer> {
    const answer = await this.ask(path, init)
    if (answer.status === status) return answer
    throw new Wrong(`${init.method ?? 'GET'} ${path} answered ${answer.status}: ${answer.text.slice(0, 300)}`)
  }

  /** Starts the upload of a file. It is removed at the end of the check, whatever became of it. */
  async start(size_bytes: number, more: object = {}): Promise<Started> {
    const body = { upload_type: 'file', name: `staging-${crypto.randomUUID()}.bin`, size_bytes, ...more }
    const declared = JSON.stringify({ mime_type: 'application/octet-stream', ...body })
    const answer = await this.need(201, '/v1/uploads', { method: 'POST', body: declared })
    const started = Started.parse(JSON.parse(answer.text))
    this.later(async () => {
      await this.ask(`/v1/uploads/${started.id}`, { method: 'DELETE' })
      if (started.file) {
        await this.ask(`/v1/files/${started.file.id}`, { method: 'DELETE' })
        await this.ask(`/v1/trash/${started.file.id}`, { method: 'DELETE' })
      }
    })
    return started
  }

  /** Starts an upload of these bytes that has one PUT. */
  async startPut(content: Uint8Array<ArrayBuffer>, more: object = {}): Promise<Started & { put: Target }> {
    const started = await this.start(content.length, more)
    return { ...started, put: Target.parse(started) }
  }

  async parts(id: string, part_numbers: number[]) {
    const body = JSON.stringify({ part_numbers })
    const answer = await this.need(200, `/v1/uploads/${id}/parts`, { method: 'POST', body })
    return Parts.parse(JSON.parse(answer.text)).parts
  }

  complete(id: string, body: object = {}): Promise<Answer> {
    return this.ask(`/v1/uploads/${id}/complete`, { method: 'POST', body: JSON.stringify(body) })
  }

  /** A ready file with this content. Returns its id. */
  async file(content: Uint8Array<ArrayBuffer>, more: object = {}): Promise<string> {
    const { id, put, file } = await this.startPut(content, more)
    const sent = await send(put, content)
    if (sent.status !== 200) throw new Wrong(`the PUT answered ${sent.status}: ${sent.text.slice(0, 300)}`)
    const completed = await this.complete(id)
    if (completed.status !== 200 || !file)
      throw new Wrong(`the completion answered ${completed.status}: ${completed.text.slice(0, 300)}`)
    return file.id
  }

  async urlOf(file_id: string): Promise<string> {
    const { text } = await this.need(200, `/v1/files/${file_id}/url`)
    return z.object({ url: z.string() }).parse(JSON.parse(text)).url
  }

  /** Does something at the end of the check, also when it fails. */
  later(cleanUp: () => Promise<unknown>): void {
    this.#cleanUps.push(cleanUp)
  }

  async cleanUp(): Promise<void> {
    for (const cleanUp of this.#cleanUps.splice(0).reverse()) await cleanUp().catch(() => {})
  }
}

/** Random bytes. */
export function bytes(size: number): Uint8Array<ArrayBuffer> {
  const content = new Uint8Array(size)
  for (let at = 0; at < size; at += 65_536) crypto.getRandomValues(content.subarray(at, at + 65_536))
  return content
}

/** The SHA-256 as uploads declare it. */
export const checksumOf = (content: Uint8Array) => createHash('sha256').update(content).digest('base64')

/** Sends content to a signed URL. `different` headers come on top; one that is null is left out. */
export async function send(
  { url, headers }: Target,
  content: Uint8Array<ArrayBuffer>,
  different: Record<string, string | null> = {},
): Promise<Answer> {
  const sent = new Headers()
  for (const [name, value] of Object.entries({ ...headers, ...different }))
    if (value !== null && !OF_FETCH.includes(name.toLowerCase())) sent.set(name, value)
  const signal = AbortSignal.timeout(PATIENCE_MS)
  return read(await fetch(url, { method: 'PUT', headers: sent, body: content, signal }))
}

export async function read(response: Response): Promise<Answer> {
  return { status: response.status, headers: response.headers, text: await response.text() }
}

/** The statuses of several answers, in short: `200 × 1, 412 × 9`. */
export function tally(answers: readonly Answer[]): string {
  const groups = Map.groupBy(answers, ({ status }) => status)
  return [...groups]
    .map(([status, all]) => `${status} × ${all.length}`)
    .sort()
    .join(', ')
}
