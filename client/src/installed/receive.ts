import { sha256 } from '@noble/hashes/sha2.js'
import type { ByteArray } from '../bytes.ts'
import { ContentDamagedError, NetworkError, StorageError, unreachableStorage } from '../errors.ts'
import type { RequestOptions } from '../options.ts'
import { abortReason, type Backoff, backoffDelay, wait } from '../retry.ts'
import { Timer } from '../timer.ts'
import { base64 } from '../upload/content.ts'
import { isLost } from '../upload/put.ts'
import type { ContentStore, InstalledVersion } from './store.ts'
import type { UpdateOptions } from './update.ts'

/** How much is written at a time: a cut costs no more when the process ends with it. */
const PIECE_BYTES = 4 * 2 ** 20
/** Content that is damaged is downloaded once more, from the start: its beginning may be what an earlier run has left. */
const ATTEMPTS = 2

/** Where content comes from. */
export interface ContentSource {
  /** A signed URL of the content. */
  url(options: RequestOptions): Promise<string>
  fetch: (request: Request) => Promise<Response>
  readonly backoff: Backoff
  /** Content is requested again when nothing has arrived for so long. */
  readonly timeoutMs: number
}

/**
 * Downloads content into a store, behind what is begun there, and requests again what is cut off.
 *
 * @throws ContentDamagedError when it arrives with another checksum or size, twice; NetworkError, StorageError, ServiceError; the
 * reason of `signal`; what the store throws
 */
export async function receive(
  store: ContentStore,
  expected: InstalledVersion,
  source: ContentSource,
  options: UpdateOptions,
): Promise<void> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const receiver = new Receiver(store, expected, options)
    await receiver.begin()
    await receiver.goOn(source)
    if (receiver.isAsExpected()) return
    await store.discard(expected)
  }
  throw new ContentDamagedError(expected.asset_id)
}

/** Content on its way into a store. */
class Receiver {
  readonly #store: ContentStore
  readonly #expected: InstalledVersion
  readonly #options: UpdateOptions
  readonly #hash = sha256.create()
  /** What has arrived and is not written yet. */
  #waiting: Uint8Array[] = []
  #written = 0
  #received = 0

  constructor(store: ContentStore, expected: InstalledVersion, options: UpdateOptions) {
    this.#store = store
    this.#expected = expected
    this.#options = options
  }

  /** Reads what an earlier run has left. */
  async begin(): Promise<void> {
    const begun = await this.#store.readBegun(this.#expected)
    for (let at = 0; at < begun.size; at += PIECE_BYTES)
      this.#count(new Uint8Array(await begun.slice(at, at + PIECE_BYTES).arrayBuffer()))
    this.#written = this.#received
    this.#tell()
  }

  async goOn(source: ContentSource): Promise<void> {
    const { signal } = this.#options
    for (let failures = 0; this.#received < this.#expected.size_bytes; ) {
      const before = this.#received
      const url = await source.url({ signal }) // the last one may have expired
      try {
        await this.#receive(url, source)
      } catch (error) {
        await this.#flush()
        if (signal?.aborted || !isLost(error)) throw error
        failures = this.#received > before ? 1 : failures + 1
        const delay = backoffDelay(source.backoff, failures)
        if (delay === undefined) throw error
        await wait(delay, signal)
      }
    }
    await this.#flush()
  }

  isAsExpected(): boolean {
    const { size_bytes, checksum_sha256 } = this.#expected
    if (this.#received !== size_bytes) return false
    return checksum_sha256 === null || base64(this.#hash.digest()) === checksum_sha256
  }

  /** Requests what is missing, and takes it as it comes. @throws NetworkError when it ends too early, or stalls; StorageError */
  async #receive(url: string, { fetch, timeoutMs }: ContentSource): Promise<void> {
    const { signal } = this.#options
    const { size_bytes } = this.#expected
    const start = this.#received
    const ended = new AbortController()
    const abort = () => ended.abort()
    signal?.addEventListener('abort', abort)
    if (signal?.aborted) abort()
    const stall = new Timer()
    const stopped = new Promise<never>((_, reject) => {
      ended.signal.addEventListener('abort', () => reject(new Error(`Nothing arrived for ${timeoutMs} ms.`)))
    })
    stopped.catch(() => {})
    /** Waits for the network. Not every body ends when its request is aborted. What the store throws is its own. */
    const arriving = async <T>(next: Promise<T>): Promise<T> => {
      stall.start(timeoutMs, abort)
      try {
        return await Promise.race([next, stopped])
      } catch (cause) {
        throw signal?.aborted ? abortReason(signal) : new NetworkError(unreachableStorage(url), { cause })
      } finally {
        stall.stop()
      }
    }
    try {
      const headers = { Range: `bytes=${start}-${size_bytes - 1}` }
      const response = await arriving(fetch(new Request(url, { headers, signal: ended.signal })))
      if (!response.ok)
        throw new StorageError({ status: response.status, text: await arriving(response.text()) })
      // Something that knows no ranges sends all of it.
      let skipped = response.status === 206 ? 0 : start
      const pieces = piecesOf(response)
      while (this.#received <= size_bytes) {
        const { done, value } = await arriving(pieces.next())
        if (done) break
        const missing = value.subarray(Math.min(skipped, value.length))
        skipped -= value.length - missing.length
        await this.#take(missing)
      }
      if (this.#received < size_bytes) throw new NetworkError('The content ended too early.')
    } finally {
      abort()
      signal?.removeEventListener('abort', abort)
    }
  }

  async #take(bytes: Uint8Array): Promise<void> {
    this.#count(bytes)
    this.#waiting.push(bytes)
    if (this.#received - this.#written >= PIECE_BYTES) await this.#flush()
    this.#tell()
  }

  #count(bytes: Uint8Array): void {
    this.#hash.update(bytes)
    this.#received += bytes.length
  }

  async #flush(): Promise<void> {
    if (this.#received === this.#written) return
    const piece: ByteArray = new Uint8Array(this.#received - this.#written)
    let at = 0
    for (const bytes of this.#waiting) {
      piece.set(bytes, at)
      at += bytes.length
    }
    this.#waiting = []
    await this.#store.write(this.#expected, this.#written, piece)
    this.#written = this.#received
  }

  #tell(): void {
    const { asset_id, size_bytes } = this.#expected
    this.#options.onProgress?.({ asset_id, received_bytes: this.#received, size_bytes })
  }
}

/** The bytes of a body as they come; at once in a runtime whose bodies are no streams, like React Native. */
async function* piecesOf(response: Response): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = response.body?.getReader()
  if (!reader) return yield new Uint8Array(await response.arrayBuffer())
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    yield value
  }
}
