import type { Moment, Tunnel } from '../tunnel.ts'

/** Cuts the network of an inbox at random moments, in every way that a network fails, and counts the cuts. */
export class Cutter {
  /** How many cuts have ended or deadened connections. */
  count = 0
  /** How many of each kind. */
  readonly met = new Map<string, number>()
  readonly #tunnel: Tunnel
  readonly #random: () => number

  constructor(tunnel: Tunnel, random: () => number) {
    this.#tunnel = tunnel
    this.#random = random
  }

  /** Cuts once, more often than not in the midst of messages. */
  async cut(): Promise<void> {
    if (this.#random() < 0.7) await this.#reachMessages()
    const draw = this.#random()
    if (draw < 0.4) await this.#cutAt('in messages', { direction: 'down', bytes: this.#upTo(3_000) })
    else if (draw < 0.5) await this.#cutAt('in a ping or an opening', { direction: 'up', bytes: 1 })
    else if (draw < 0.6)
      await this.#cutAt('before the first messages', { direction: 'down', bytes: 1, answer: /^HTTP/ })
    else if (draw < 0.7)
      await this.#cutAt('in a request', { traffic: 'service', direction: 'down', bytes: 1 })
    else if (draw < 0.8) await this.#deaden()
    else if (draw < 0.9) await this.#takeDown()
    else {
      await this.#pause(100)
      this.#count('at any time', this.#tunnel.cut())
    }
    if (this.#random() < 0.3) this.#tunnel.refuse(this.#upTo(4))
  }

  /** Ends all that a cut may have left behind. */
  restore(): void {
    this.#tunnel.disarm()
    this.#tunnel.refuse(0)
    this.#tunnel.restore()
  }

  toString(): string {
    return [...this.met].map(([kind, times]) => `${times} × ${kind}`).join(', ')
  }

  /** Cuts when the traffic comes to a moment, or somewhat later when it does not. */
  async #cutAt(kind: string, moment: Omit<Moment, 'traffic'> & Partial<Moment>): Promise<void> {
    const cut = this.#tunnel.cutAt({ traffic: 'socket', ...moment }).then(() => 1)
    const lines = await Promise.race([cut, this.#pause(1_500).then(() => 0)])
    this.#tunnel.disarm()
    if (lines > 0) this.#count(kind, lines)
    else this.#count('at any time', this.#tunnel.cut())
  }

  /** Until the client is told something, so that it is connected. */
  async #reachMessages(): Promise<void> {
    const moment: Moment = { traffic: 'socket', direction: 'down', bytes: 300 }
    await Promise.race([this.#tunnel.reach(moment), this.#pause(3_000)])
    this.#tunnel.disarm()
  }

  /** The connections carry nothing more. The next one that a client opens is a new one. */
  async #deaden(): Promise<void> {
    this.#count('silently', this.#tunnel.deaden())
    await Promise.race([
      this.#tunnel.reach({ traffic: 'socket', direction: 'up', bytes: 1 }),
      this.#pause(3_000),
    ])
    this.#tunnel.disarm()
  }

  async #takeDown(): Promise<void> {
    this.#count('for a while', 1)
    this.#tunnel.takeDown()
    await this.#pause(300)
    this.#tunnel.restore()
  }

  /** Not a wait for anything: the moment of a cut is drawn. */
  #pause(most_ms: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, this.#random() * most_ms))
  }

  #upTo(most: number): number {
    return 1 + Math.floor(this.#random() * most)
  }

  #count(kind: string, lines: number): void {
    if (lines === 0) return
    this.met.set(kind, (this.met.get(kind) ?? 0) + 1)
    this.count++
  }
}
