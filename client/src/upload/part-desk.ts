import type { Operations } from '../operations.ts'
import type { Target } from './put.ts'

/** A part that has arrived, with the ETag of the answer to its PUT. */
interface UploadedPart {
  part_number: number
  etag: string
}

/** How many URLs beyond those that are needed at once are asked for in a request. */
const AHEAD = 16

/** How often parts are recorded at most: a user has 120 writes a minute for everything. */
const RECORD_INTERVAL_MS = 1_000

/** Gets the URLs of parts and records parts, many in a request. One request is under way at a time. */
export class PartDesk {
  /** Rejects when parts cannot be recorded. */
  readonly failure: Promise<never>
  readonly #operations: Operations
  readonly #upload_id: string
  /** Parts that nobody has begun to send, in order. */
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

  async urlOf(part_number: number): Promise<Target> {
    for (;;) {
      const target = this.#urls.get(part_number)
      if (target) return target
      this.#wanted.add(part_number)
      await this.#exchanged()
    }
  }

  /** Has a new URL signed when the next one is asked for. */
  forgetUrl(part_number: number): void {
    this.#urls.delete(part_number)
  }

  /** Has a part recorded, soon. */
  record(part: UploadedPart): void {
    this.#uploaded.push(part)
    const delay = Math.max(0, this.#recorded_at + RECORD_INTERVAL_MS - Date.now())
    this.#timer ??= setTimeout(() => this.#exchanged().catch(this.#fail), delay)
  }

  /** Waits until every part that has arrived is recorded. */
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
    await undefined // what is asked for at the same time goes into one request
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
