import type { InboxReplica } from './replica.ts'
import type { InboxService } from './service.ts'

interface Hooks {
  /** A page has been added. */
  onPage: () => void
  onError: (error: unknown) => void
  /** The service knows less than this client: the connection is of no use. */
  onBehind: () => void
}

/** Reads the pages that a replica needs, one at a time. */
export class InboxPages {
  readonly #service: InboxService
  readonly #replica: InboxReplica
  readonly #signal: AbortSignal
  readonly #hooks: Hooks
  #isReading = false
  #waiting: { resolve: () => void; reject: (error: unknown) => void; isDone: () => boolean }[] = []
  #wake = () => {}
  #closed: { readonly error: unknown } | undefined

  constructor(service: InboxService, replica: InboxReplica, signal: AbortSignal, hooks: Hooks) {
    this.#service = service
    this.#replica = replica
    this.#signal = signal
    this.#hooks = hooks
  }

  /** Resolves when the condition holds, after pages or messages. @throws what a request for a page has thrown */
  until(isDone: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(this.#closed.error)
      this.#waiting.push({ resolve, reject, isDone })
      this.advance()
    })
  }

  /** Tells that something has changed: a page that waits for it is added, and a page that is needed is asked for. */
  advance(): void {
    this.#wake()
    this.#waiting = this.#waiting.filter(({ isDone, resolve }) => {
      if (!isDone()) return true
      resolve()
      return false
    })
    if (!this.#isReading && !this.#closed && this.#replica.needsPage) void this.#read()
  }

  /** Reads no more pages, and rejects what waits for them. */
  close(error: unknown): void {
    this.#closed = { error }
    this.#wake()
    this.#fail(error)
  }

  #fail(error: unknown): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const { reject } of waiting) reject(error)
  }

  async #read(): Promise<void> {
    this.#isReading = true
    try {
      while (this.#replica.needsPage && !this.#closed) await this.#readPage()
      this.#isReading = false
    } catch (error) {
      this.#isReading = false
      if (this.#closed) return
      this.#fail(error)
      this.#hooks.onError(error)
    }
  }

  async #readPage(): Promise<void> {
    const request = this.#replica.requestPage()
    const page = await this.#service.list(request, { signal: this.#signal })
    for (;;) {
      if (this.#closed) return
      const outcome = this.#replica.acceptPage(request, page)
      if (outcome === 'behind') this.#hooks.onBehind()
      if (outcome === 'added') this.#hooks.onPage()
      if (outcome !== 'ahead') return
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }
}
