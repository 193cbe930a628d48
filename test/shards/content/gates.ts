import { atEachCall, type Mortal } from '../../support/mortal.ts'

/** A Worker that stops before its `at`th call, until it is let go on. */
export class Gate {
  readonly #at: number
  readonly #reached = Promise.withResolvers<void>()
  readonly #open = Promise.withResolvers<void>()
  #calls = 0

  constructor(at: number) {
    this.#at = at
  }

  /** The work of that Worker. */
  through = <Work extends Mortal>(work: Work): Work =>
    atEachCall(work, (call) => async (...args) => {
      this.#calls++
      if (this.#calls === this.#at) {
        this.#reached.resolve()
        await this.#open.promise
      }
      return call(...args)
    })

  /** Begins something, and waits until it stops or has ended. Returns how to go on: to its end. */
  async begin(act: () => Promise<unknown>): Promise<() => Promise<void>> {
    const ended = act().then(
      () => {},
      () => {},
    )
    await Promise.race([this.#reached.promise, ended])
    return () => {
      this.#open.resolve()
      return ended
    }
  }

  /** Whether that Worker made as many calls. */
  get wasReached(): boolean {
    return this.#calls >= this.#at
  }
}
