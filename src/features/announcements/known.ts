import type { Config } from '../../platform/config/variables.ts'
import { type RequestContext, seconds } from '../../platform/context.ts'
import { type Announcements, listOf, wholeList } from './row.ts'

/** How long an isolate tells inboxes of a list that it has read, in milliseconds. */
const KNOWN_MS = 60_000
/** The age at which a request reads the list again, after its answer: so requests in a row never lack one. */
const READ_AGAIN_MS = 30_000
/** How long a reading may take before another request begins one. */
const READING_MS = 5_000

interface Known {
  list: Announcements | undefined
  read_ms: number
  /** When the next reading may begin. */
  next_ms: number
}

/** What this isolate knows, by its configuration. */
const known = new WeakMap<Config, Known>()

type Context = Pick<RequestContext, 'config' | 'databases' | 'now_ms'>

/** The announcements that an isolate knows. */
export interface KnownAnnouncements {
  /** Undefined when the isolate has read none for a minute. */
  list: Announcements | undefined
  /** The reading that this request has begun, because the list is old. No answer waits for it. */
  learned: Promise<Announcements> | undefined
}

/** The announcements that this isolate knows. Begins to read them again when they are old. */
export function knownAnnouncements(ctx: Context): KnownAnnouncements {
  const { config, now_ms } = ctx
  const entry = known.get(config) ?? { list: undefined, read_ms: 0, next_ms: 0 }
  const list = now_ms - entry.read_ms < KNOWN_MS ? entry.list : undefined
  if (now_ms < entry.next_ms) return { list, learned: undefined }
  known.set(config, { ...entry, next_ms: now_ms + READING_MS })
  return { list, learned: read(ctx) }
}

/** Keeps a list that was read at `now_ms`. */
export function knowAnnouncements(
  { config, now_ms }: Pick<Context, 'config' | 'now_ms'>,
  list: Announcements,
): void {
  known.set(config, { list, read_ms: now_ms, next_ms: now_ms + READ_AGAIN_MS })
}

async function read(ctx: Context): Promise<Announcements> {
  const [version, rows] = await ctx.databases.first.send(wholeList(seconds(ctx)))
  const list = listOf(version, rows)
  knowAnnouncements(ctx, list)
  return list
}
