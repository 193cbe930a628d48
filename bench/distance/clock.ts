/** The machine's own timer, which `bench/distance-worker.ts` replaces for the service. */
const machineTimeout = globalThis.setTimeout.bind(globalThis)

/** Lets a macrotask pass, so that everything that goes on at this moment can. */
const turn = () => new Promise<void>((go) => machineTimeout(go, 0))

/** A timer that `setTimeout` of the model has set. */
interface Timer {
  at_ms: number
  run: () => void
}

/**
 * The time of a model. It passes only while something waits for it: never for what the machine takes. Of several waits at once the
 * earliest ends first. So the same requests take the same times on every machine.
 */
export class Clock {
  #now_ms: number
  readonly #onPass: (now_ms: number) => void
  readonly #waits = new Set<{ end_ms: number }>()
  readonly #timers = new Set<Timer>()
  #working = 0

  /** `onPass` is called whenever time has passed. */
  constructor(now_ms: number, onPass: (now_ms: number) => void = () => {}) {
    this.#now_ms = now_ms
    this.#onPass = onPass
  }

  get now_ms(): number {
    return this.#now_ms
  }

  /** Ends when this time has passed. */
  async wait(ms: number): Promise<void> {
    const wait = { end_ms: this.#now_ms + ms }
    this.#waits.add(wait)
    do await turn()
    while (this.#working > 0 || !this.#isNext(wait))
    this.#waits.delete(wait)
    this.#pass(wait.end_ms)
  }

  /** Does work that takes no time of the model: time stands still meanwhile. */
  async during<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#working++
    try {
      return await work()
    } finally {
      this.#working--
    }
  }

  /** Sets a timer, which runs before a wait that ends later. A timer alone lets no time pass. Returns what takes it back. */
  setTimer(run: () => void, ms: number): () => void {
    const timer = { at_ms: this.#now_ms + ms, run }
    this.#timers.add(timer)
    return () => this.#timers.delete(timer)
  }

  /** Whether a wait is the earliest. A timer that is earlier runs, and the wait has to look again. */
  #isNext(wait: { end_ms: number }): boolean {
    for (const { end_ms } of this.#waits) if (end_ms < wait.end_ms) return false
    const [timer] = [...this.#timers].sort((one, other) => one.at_ms - other.at_ms)
    if (timer === undefined || timer.at_ms >= wait.end_ms) return true
    this.#timers.delete(timer)
    this.#pass(timer.at_ms)
    timer.run()
    return false
  }

  #pass(now_ms: number): void {
    this.#now_ms = Math.max(this.#now_ms, now_ms)
    this.#onPass(this.#now_ms)
  }
}
