import { atEachCall, type Mortal } from '../../support/mortal.ts'

/** A Worker that stops before its `at`th call until it is released. */
export class Gate {
  readonly #at: number
  readonly #reached = Promise.withResolvers<void>()
  readonly #open = Promise.withResolvers<void>()
  #calls = 0

  constructor(at: number) {
    this.#at = at
  }

  /** The context of this Worker. */
  through = <Work extends Mortal>(work: Work): Work =>
    atEachCall(work, (call) => async (...args) => {
      this.#calls++
      if (this.#calls === this.#at) {
        this.#reached.resolve()
        await this.#open.promise
      }
      return call(...args)
    })

  /** Starts `act` and waits until it stops or ends. Returns a function that runs it to its end. */
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

  /** Whether this Worker has reached its `at`th call. */
  get wasReached(): boolean {
    return this.#calls >= this.#at
  }
}
