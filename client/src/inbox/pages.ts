import type { Item } from './messages.ts'
import type { InboxReplica } from './replica.ts'
import type { InboxService } from './service.ts'

interface Hooks {
  /** A page has been added to the replica. */
  onPage: () => void
  onError: (error: unknown) => void
  /** The inbox is older than this client's copy: events no longer fit, so the connection has to be replaced. */
  onBehind: () => void
}

/** Reads the pages that a replica needs, one at a time. */
export class InboxPages<One extends Item> {
  readonly #service: InboxService<One>
  readonly #replica: InboxReplica<One>
  readonly #signal: AbortSignal
  readonly #hooks: Hooks
  #isReading = false
  #waiting: { resolve: () => void; reject: (error: unknown) => void; isDone: () => boolean }[] = []
  #wake = () => {}
  #closed: { readonly error: unknown } | undefined

  constructor(service: InboxService<One>, replica: InboxReplica<One>, signal: AbortSignal, hooks: Hooks) {
    this.#service = service
    this.#replica = replica
    this.#signal = signal
    this.#hooks = hooks
  }

  /** Resolves once `isDone()`, which is asked again after each page and message. @throws the error of a page's request */
  until(isDone: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(this.#closed.error)
      this.#waiting.push({ resolve, reject, isDone })
      this.advance()
    })
  }

  /** Call after each change to the replica: retries a page that was ahead of it, and requests the next page that it needs. */
  advance(): void {
    this.#wake()
    this.#waiting = this.#waiting.filter(({ isDone, resolve }) => {
      if (!isDone()) return true
      resolve()
      return false
    })
    if (!this.#isReading && !this.#closed && this.#replica.needsPage) void this.#read()
  }

  /** Stops reading, and rejects pending `until()` calls with `error`. */
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
      while (this.#replica.needsPage && !this.#closed && (await this.#readPage()));
      this.#isReading = false
    } catch (error) {
      this.#isReading = false
      if (this.#closed) return
      this.#fail(error)
      this.#hooks.onError(error)
    }
  }

  /** Returns whether to go on: a list that is behind is read again with the next connection, so after a delay. */
  async #readPage(): Promise<boolean> {
    const request = this.#replica.requestPage()
    const page = await this.#service.list(request, { signal: this.#signal })
    for (;;) {
      if (this.#closed) return false
      const outcome = this.#replica.acceptPage(request, page)
      if (outcome === 'behind') this.#hooks.onBehind()
      if (outcome === 'added') this.#hooks.onPage()
      if (outcome !== 'ahead') return outcome !== 'behind'
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }
}
