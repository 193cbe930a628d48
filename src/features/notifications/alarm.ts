import { logError } from '../../platform/lib/log.ts'
/** An object's one alarm. It knows when it is set, so that it is set again only for an earlier time: each is a row written. */
export class Alarm {
  readonly #storage: DurableObjectStorage
  /** When it is set, in Unix seconds; undefined when it is not. */
  #time: number | undefined

  /** Reads when the alarm is set, before the object gets its first call. */
  constructor(ctx: DurableObjectState) {
    this.#storage = ctx.storage
    void ctx.blockConcurrencyWhile(async () => {
      const time_ms = await ctx.storage.getAlarm()
      this.#time = time_ms === null ? undefined : time_ms / 1_000
    })
  }

  get isSet(): boolean {
    return this.#time !== undefined
  }

  /** The alarm rings: it is no longer set. */
  begin(): void {
    this.#time = undefined
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
