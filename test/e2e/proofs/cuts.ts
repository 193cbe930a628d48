import type { Moment, Tunnel } from './tunnel.ts'

/** Cuts a tunnel at random moments of uploads, and counts what each has met. */
export class Cuts {
  /** How often each kind of request was cut, with its direction. */
  readonly met = new Map<string, number>()
  count = 0
  readonly #tunnel: Tunnel
  readonly #random: () => number
  readonly #partSize: number
  readonly #most: number

  /** Cuts at most `most` times, by the numbers that `random` draws from 0 to below 1. */
  constructor(tunnel: Tunnel, random: () => number, { most, partSize }: { most: number; partSize: number }) {
    this.#tunnel = tunnel
    this.#random = random
    this.#most = most
    this.#partSize = partSize
  }

  get areDone(): boolean {
    return this.count >= this.#most
  }

  /** Cuts while an upload is under way, at its start and its completion too. Returns its outcome. */
  async during<Outcome>(upload: () => Promise<Outcome>): Promise<Outcome> {
    const isOver = new AbortController()
    for (const request of [/^POST \/v1\/uploads HTTP/, /\/complete HTTP/])
      if (this.#random() < 0.7) void this.#cutAt({ traffic: 'service', ...this.#lostOrUnanswered(), request })
    void this.#cutContent(isOver.signal)
    try {
      return await upload()
    } finally {
      isOver.abort()
      this.#tunnel.disarm()
    }
  }

  async #cutContent(isOver: AbortSignal): Promise<void> {
    while (!isOver.aborted && !this.areDone) await this.#cutAt(this.#moment())
  }

  async #cutAt(moment: Moment): Promise<void> {
    const request = await this.#tunnel.cutAt(moment)
    const kind = `${kindOf(request)}, ${moment.direction === 'up' ? 'on its way' : 'its answer'}`
    this.met.set(kind, (this.met.get(kind) ?? 0) + 1)
    this.count++
    // Now and then the network is not back at once.
    if (this.#random() < 0.3) this.#tunnel.refuse(1 + Math.floor(this.#random() * 4))
  }

  /** Somewhere in the content of a few parts, in the answers to some, or in requests between them. */
  #moment(): Moment {
    const draw = this.#random()
    const within = (bytes: number) => 1 + Math.floor(this.#random() * bytes)
    if (draw < 0.6) return { traffic: 'bucket', direction: 'up', bytes: within(4 * this.#partSize) }
    if (draw < 0.8) return { traffic: 'bucket', direction: 'down', bytes: within(1_500) }
    return { traffic: 'service', ...this.#lostOrUnanswered(), bytes: within(3_000) }
  }

  /** A request that does not arrive, or one that takes effect and whose answer does not arrive. */
  #lostOrUnanswered(): Omit<Moment, 'traffic'> {
    if (this.#random() < 0.5) return { direction: 'up', bytes: 1 }
    return { direction: 'down', bytes: 1, answer: /^HTTP\/1\.1 20/ }
  }

  toString(): string {
    const kinds = [...this.met].sort(([, a], [, b]) => b - a).map(([kind, times]) => `${times} × ${kind}`)
    return `${this.count} cuts: ${kinds.join('; ')}`
  }
}

/** The first line of a request without what differs from upload to upload. */
function kindOf(request: string): string {
  if (request.includes(' /cdn-cgi/')) return 'content'
  return request.replace(/ HTTP.*/, '').replaceAll(/[\da-f]{8}-[\da-f-]{27}/g, '…')
}
