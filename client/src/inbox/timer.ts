/** Calls back once, after a time. A new start takes the place of the earlier one. */
export class Timer {
  #stop = () => {}

  start(delay_ms: number, callback: () => void): void {
    this.#stop()
    const timer = setTimeout(callback, delay_ms)
    this.#stop = () => clearTimeout(timer)
  }

  stop(): void {
    this.#stop()
  }
}
