import type { Operations } from '../operations.ts'
import type { components } from '../schema.d.ts'
import type { Target } from './put.ts'

/** A part that storage has, with the ETag from the answer to its PUT, and the SHA-256 of its bytes. */
export type UploadedPart = components['schemas']['UploadedPart']

/** How many URLs are requested ahead, beyond those that are needed now. */
const AHEAD = 16

/** The shortest time between two recordings: the rate limit is 120 writes a minute for all requests of a user. */
const RECORD_INTERVAL_MS = 1_000

/** Fetches the URLs of parts and records uploaded parts, batched into one request at a time. */
export class PartRequests {
  /** Rejects when parts cannot be recorded. */
  readonly failure: Promise<never>
  readonly #operations: Operations
  readonly #upload_id: string
  /** The parts that have not been started, in order. The caller removes them. */
  readonly #missing: readonly number[]
  readonly #signal: AbortSignal
  readonly #urls = new Map<number, Target>()
  readonly #wanted = new Set<number>()
  #uploaded: UploadedPart[] = []
  #exchange: Promise<void> | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  /** When parts were recorded last. */
  #recorded_at = 0
  #fail: (error: unknown) => void = () => {}

  constructor(operations: Operations, upload_id: string, missing: readonly number[], signal: AbortSignal) {
    this.#operations = operations
    this.#upload_id = upload_id
    this.#missing = missing
    this.#signal = signal
    this.failure = new Promise((_, reject) => {
      this.#fail = reject
    })
  }

  /** The URL and headers to send a part with. */
  async urlOf(part_number: number): Promise<Target> {
    for (;;) {
      const target = this.#urls.get(part_number)
      if (target) return target
      this.#wanted.add(part_number)
      await this.#exchanged()
    }
  }

  /** Drops a URL, so that `urlOf` requests a new one. */
  forgetUrl(part_number: number): void {
    this.#urls.delete(part_number)
  }

  /** Records a part with the next request. */
  record(part: UploadedPart): void {
    this.#uploaded.push(part)
    const delay = Math.max(0, this.#recorded_at + RECORD_INTERVAL_MS - Date.now())
    this.#timer ??= setTimeout(() => this.#recordNow().catch(this.#fail), delay)
  }

  /** A request that is under way has not taken along what arrived after it. Its failure is told to who has begun it. */
  async #recordNow(): Promise<void> {
    await this.#exchange?.catch(() => {})
    if (this.#uploaded.length > 0) await this.#exchanged()
  }

  /** Waits until every uploaded part is recorded. */
  async finish(): Promise<void> {
    while (this.#exchange || this.#uploaded.length > 0) await this.#exchanged()
  }

  close(): void {
    if (this.#timer !== undefined) clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #exchanged(): Promise<void> {
    this.#exchange ??= this.#request().finally(() => {
      this.#exchange = undefined
    })
    return this.#exchange
  }

  async #request(): Promise<void> {
    await undefined // collects the calls of this turn into one request
    const ahead = this.#missing.slice(0, AHEAD).filter((part_number) => !this.#urls.has(part_number))
    const part_numbers = this.#wanted.size > 0 ? [...new Set([...this.#wanted, ...ahead])] : []
    const uploaded = this.#uploaded
    this.#wanted.clear()
    this.#uploaded = []
    if (uploaded.length > 0) this.#recorded_at = Date.now()
    this.close()
    const { parts } = await this.#operations
      .presignParts({ id: this.#upload_id, part_numbers, uploaded }, { signal: this.#signal })
      .catch((error: unknown) => {
        this.#uploaded = [...uploaded, ...this.#uploaded]
        throw error
      })
    for (const { part_number, url, headers } of parts) this.#urls.set(part_number, { url, headers })
  }
}
