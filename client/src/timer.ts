/** A timeout that `start()` replaces. */
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
