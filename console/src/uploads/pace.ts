const WINDOW_MS = 10_000
/** A longer time is no use to anybody. */
const MOST_SECONDS = 24 * 3_600

/** How fast bytes were sent in the last ten seconds. */
export class Pace {
  #sent: { at: number; bytes: number }[] = []

  add(bytes: number): void {
    const at = performance.now()
    this.#sent = [...this.#sent.filter((one) => one.at > at - WINDOW_MS), { at, bytes }]
  }

  /** The seconds that as many bytes take; undefined before a second has been measured, or when it is days. */
  secondsFor(bytes: number): number | undefined {
    const now = performance.now()
    const sent = this.#sent.filter(({ at }) => at > now - WINDOW_MS)
    const [first] = sent
    const sum = sent.reduce((total, one) => total + one.bytes, 0)
    if (!first || now - first.at < 1_000 || sum <= 0) return undefined
    const seconds = Math.ceil((bytes * (now - first.at)) / 1_000 / sum)
    return seconds > MOST_SECONDS ? undefined : seconds
  }
}
