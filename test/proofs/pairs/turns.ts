/**
 * Lets several tasks go at once, but only one call of theirs at a time: at each of its calls a task waits until all others
 * wait, too, or have ended; then one is chosen to go on. So the order of calls is the choices', and nothing else's.
 */
export class Turns {
  readonly #random: (end: number) => number
  /** How likely each task is to go on: some are held up by others again and again. */
  readonly #weights: number[]
  #running: number
  readonly #waiting: { task: number; go: () => void }[] = []
  /** The tasks whose calls went out, in order. */
  readonly order: number[] = []

  constructor(tasks: number, random: (end: number) => number) {
    this.#running = tasks
    this.#random = random
    this.#weights = Array.from({ length: tasks }, () => [1, 4, 16][random(3)] ?? 1)
  }

  /** Waits for the task's turn. */
  async wait(task: number): Promise<void> {
    const turn = Promise.withResolvers<void>()
    this.#waiting.push({ task, go: turn.resolve })
    this.#rest()
    await turn.promise
  }

  /** Does all of a task. */
  async of<Answer>(task: () => Promise<Answer>): Promise<Answer> {
    try {
      return await task()
    } finally {
      this.#rest()
    }
  }

  /** One task fewer is running; when none is, one of those that wait goes on. */
  #rest(): void {
    this.#running--
    if (this.#running > 0 || this.#waiting.length === 0) return
    this.#waiting.sort((one, other) => one.task - other.task)
    const chances = this.#waiting.flatMap((one) =>
      Array.from({ length: this.#weights[one.task] ?? 1 }, () => one),
    )
    const next = chances[this.#random(chances.length)]
    if (!next) return
    this.#waiting.splice(this.#waiting.indexOf(next), 1)
    this.#running++
    this.order.push(next.task)
    next.go()
  }
}
