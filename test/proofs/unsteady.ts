import { unavailable } from '../../src/platform/errors.ts'
import type { Around } from '../support/mortal.ts'

/**
 * How likely a call is lost before it takes effect, has its answer lost, comes a second time later, or waits; and how likely one
 * that waits is the end of its Worker.
 */
export interface Odds {
  lost: number
  deaf: number
  repeated: number
  waits: number
  killed: number
}

/** A call that waits, and the work that it is of. */
interface Waiting {
  resume: () => void
  work: Promise<unknown>
}

/**
 * Calls of Workers that are slow, lose calls and answers, or are cut off, in an order that a seed decides. A call that waits is
 * resumed later, or never, as when its Worker is killed.
 */
export class Unsteady {
  readonly #random: () => number
  readonly #odds: Odds
  #waiting: Waiting[] = []
  #late: (() => Promise<unknown>)[] = []
  /** The work that goes on, and what tells that it waits. */
  #work: Promise<unknown> = Promise.resolve()
  #tell: () => void = () => {}

  constructor(random: () => number, odds: Odds) {
    this.#random = random
    this.#odds = odds
  }

  /** For `atEachCall`. */
  readonly around: Around =
    (call) =>
    async (...args) => {
      const { lost, deaf, repeated, waits } = this.#odds
      const drawn = this.#random()
      if (drawn < waits) return this.#afterWaiting(() => call(...args))
      if (drawn < waits + lost) throw unavailable('The call was lost.')
      if (drawn < waits + lost + repeated) this.#late.push(() => call(...args))
      const answer = await call(...args)
      if (this.#random() < deaf) throw unavailable('The answer was lost.')
      return answer
    }

  /** Begins work, and returns when it has ended or waits. */
  async begin(act: () => Promise<unknown>): Promise<void> {
    await this.#untilItWaits(() => {
      this.#work = act()
    })
  }

  /** How many calls wait or come again. */
  get pending(): number {
    return this.#waiting.length + this.#late.length
  }

  /**
   * Lets one of the calls that wait take effect, and its Worker go on until it ends or waits again; or kills the Worker; or lets a
   * call come again.
   */
  async resume(): Promise<void> {
    const at = Math.floor(this.#random() * this.pending)
    const [late] = at < this.#late.length ? this.#late.splice(at, 1) : []
    if (late) {
      await late().catch(() => {})
      return
    }
    const [next] = this.#waiting.splice(Math.max(0, at - this.#late.length), 1)
    if (!next) return
    if (this.#random() < this.#odds.killed) {
      this.#waiting = this.#waiting.filter(({ work }) => work !== next.work)
      return
    }
    await this.#untilItWaits(() => {
      this.#work = next.work
      next.resume()
    })
  }

  /** Kills the Workers whose calls wait, and forgets the calls that would come again. */
  kill(): void {
    this.#waiting = []
    this.#late = []
  }

  async #untilItWaits(goOn: () => void): Promise<void> {
    const waits = new Promise<void>((resolve) => {
      this.#tell = resolve
    })
    goOn()
    await Promise.race([this.#work, waits])
  }

  async #afterWaiting<Answer>(call: () => Promise<Answer>): Promise<Answer> {
    await this.#wait()
    try {
      return await call()
    } finally {
      // Work that makes several calls at a time goes on when all have taken effect.
      if (this.#waiting.some(({ work }) => work === this.#work)) this.#tell()
    }
  }

  #wait(): Promise<void> {
    return new Promise((resume) => {
      // The call may be the first of its work, which is not known before it returns.
      queueMicrotask(() => {
        this.#waiting.push({ resume, work: this.#work })
        this.#tell()
      })
    })
  }
}
