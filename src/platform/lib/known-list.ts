/** How long an isolate uses a list that it has read, in milliseconds. */
const KNOWN_MS = 60_000
/**
 * The age at which a request reads the list again after its answer, in milliseconds. It is below KNOWN_MS, so that an isolate
 * with steady requests always has a list.
 */
const READ_AGAIN_MS = 30_000
/** How long a reading may take before another request begins one. */
const READING_MS = 5_000

/** What a list is looked up with: each configuration has a list of its own. */
interface KnownContext {
  config: object
  now_ms: number
}

interface Known<List> {
  list: List | undefined
  read_ms: number
  /** When the last reading began or ended. */
  tried_ms: number
  /** How long after `tried_ms` no other reading begins. */
  pause_ms: number
}

/**
 * A small list of the first database that every isolate knows, so that no request waits for it: announcements, and recalls of saves.
 * Each change of a list gives it a higher version.
 */
export class KnownList<Ctx extends KnownContext, List extends { version: number }> {
  readonly #readList: (ctx: Ctx) => Promise<List>
  /** The lists of this isolate, by configuration. */
  readonly #known = new WeakMap<object, Known<List>>()

  constructor(readList: (ctx: Ctx) => Promise<List>) {
    this.#readList = readList
  }

  /**
   * The list that this isolate knows; undefined when it has read none for a minute. `isDue`: the caller is to read the list after
   * its answer, because it is old and no other request reads it.
   */
  look({ config, now_ms }: KnownContext): { list: List | undefined; isDue: boolean } {
    const entry = this.#known.get(config) ?? { list: undefined, read_ms: 0, tried_ms: 0, pause_ms: 0 }
    const list = isWithin(KNOWN_MS, entry.read_ms, now_ms) ? entry.list : undefined
    if (isWithin(entry.pause_ms, entry.tried_ms, now_ms)) return { list, isDue: false }
    this.#known.set(config, { ...entry, tried_ms: now_ms, pause_ms: READING_MS })
    return { list, isDue: true }
  }

  /**
   * Keeps a list that was read at `now_ms`. A lower version than the known one is dropped: it was read before a change and arrived
   * after it. Once the known list is old, any version is kept, because the database may have been restored to an earlier state.
   */
  keep({ config, now_ms }: KnownContext, list: List): void {
    const entry = this.#known.get(config)
    const newest = entry && Math.abs(now_ms - entry.read_ms) < KNOWN_MS ? entry.list : undefined
    if (newest && list.version < newest.version) return
    this.#known.set(config, { list, read_ms: now_ms, tried_ms: now_ms, pause_ms: READ_AGAIN_MS })
  }

  /** Reads the list, and keeps it. @throws UNAVAILABLE */
  async read(ctx: Ctx): Promise<List> {
    const list = await this.#readList(ctx)
    this.keep(ctx, list)
    return list
  }
}

/** Whether `now_ms` is in the `length_ms` from `start_ms` on. A clock that was set back is not. */
function isWithin(length_ms: number, start_ms: number, now_ms: number): boolean {
  return start_ms <= now_ms && now_ms < start_ms + length_ms
}
