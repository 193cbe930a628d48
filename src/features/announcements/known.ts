import type { Config } from '../../platform/config/variables.ts'
import { type LaterContext, seconds } from '../../platform/context.ts'
import { type Announcements, listOf, wholeList } from './row.ts'

/** How long an isolate uses a list that it has read, in milliseconds. */
const KNOWN_MS = 60_000
/**
 * The age at which a request reads the list again after its answer, in milliseconds. It is below KNOWN_MS, so that an isolate
 * with steady requests always has a list.
 */
const READ_AGAIN_MS = 30_000
/** How long a reading may take before another request begins one. */
const READING_MS = 5_000

interface Known {
  list: Announcements | undefined
  read_ms: number
  /** When the last reading began or ended. */
  tried_ms: number
  /** How long after `tried_ms` no other reading begins. */
  pause_ms: number
}

/** The lists of this isolate, by configuration. */
const known = new WeakMap<Config, Known>()

/** The announcements that an isolate knows. */
export interface KnownAnnouncements {
  /** Undefined when the isolate has read none for a minute. */
  list: Announcements | undefined
  /** Whether the caller is to read the list after the answer, because it is old and no other request reads it. */
  isDue: boolean
}

/** The announcements that this isolate knows. */
export function knownAnnouncements({
  config,
  now_ms,
}: Pick<LaterContext, 'config' | 'now_ms'>): KnownAnnouncements {
  const entry = known.get(config) ?? { list: undefined, read_ms: 0, tried_ms: 0, pause_ms: 0 }
  const list = isWithin(KNOWN_MS, entry.read_ms, now_ms) ? entry.list : undefined
  if (isWithin(entry.pause_ms, entry.tried_ms, now_ms)) return { list, isDue: false }
  known.set(config, { ...entry, tried_ms: now_ms, pause_ms: READING_MS })
  return { list, isDue: true }
}

/**
 * Keeps a list that was read at `now_ms`. A lower version than the known one is dropped: it was read before a change and arrived
 * after it. Once the known list is old, any version is kept, because the database may have been restored to an earlier state.
 */
export function keepAnnouncements(
  { config, now_ms }: Pick<LaterContext, 'config' | 'now_ms'>,
  list: Announcements,
): void {
  const entry = known.get(config)
  const newest = entry && Math.abs(now_ms - entry.read_ms) < KNOWN_MS ? entry.list : undefined
  if (newest && list.version < newest.version) return
  known.set(config, { list, read_ms: now_ms, tried_ms: now_ms, pause_ms: READ_AGAIN_MS })
}

/** Whether `now_ms` is in the `length_ms` from `start_ms` on. A clock that was set back is not. */
function isWithin(length_ms: number, start_ms: number, now_ms: number): boolean {
  return start_ms <= now_ms && now_ms < start_ms + length_ms
}

/** Reads the list, and keeps it. @throws UNAVAILABLE */
export async function readAnnouncements(ctx: LaterContext): Promise<Announcements> {
  const [version, rows] = await ctx.databases.first.send(wholeList(seconds(ctx)))
  const list = listOf(version, rows)
  keepAnnouncements(ctx, list)
  return list
}
