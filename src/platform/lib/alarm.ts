import { logError } from './log.ts'

/** The alarm of a Durable Object. It is set again only for an earlier time, because each setting writes a row. */
export class Alarm {
  readonly #storage: DurableObjectStorage
  /** The time of the alarm, in Unix seconds; undefined when it is not set. */
  #time: number | undefined

  /** Reads the time of the alarm before the object gets its first call. */
  constructor(ctx: DurableObjectState) {
    this.#storage = ctx.storage
    void ctx.blockConcurrencyWhile(async () => {
      const time_ms = await ctx.storage.getAlarm()
      this.#time = time_ms === null ? undefined : time_ms / 1_000
    })
  }

  /** Whether the alarm is set. */
  get isSet(): boolean {
    return this.#time !== undefined
  }

  /** Call it first in `alarm()`: the alarm is no longer set. */
  begin(): void {
    this.#time = undefined
  }

  /** Takes the alarm back. */
  cancel(): void {
    if (this.#time === undefined) return
    this.#time = undefined
    this.#storage.deleteAlarm().catch((error: unknown) => {
      logError('the alarm was not taken back', { error: String(error) })
    })
  }

  /**
   * Sets the alarm to a time (Unix seconds), unless it is set to an earlier one. Nothing is awaited, so the alarm is stored
   * together with what the caller has just written.
   */
  schedule(time: number): void {
    if (this.#time !== undefined && this.#time <= time) return
    this.#time = time
    this.#storage.setAlarm(time * 1_000).catch((error: unknown) => {
      this.#time = undefined // The next call tries again.
      logError('the alarm was not set', { error: String(error) })
    })
  }
}
