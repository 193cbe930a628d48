/** Reads pages of the catalogue from the nearest replica. They are behind by LAG_MS at most (docs/catalogue.md). */
import { sql } from 'drizzle-orm'
import type { Config } from '../../platform/config/variables.ts'
import type { LaterContext, RequestContext } from '../../platform/context.ts'
import type { Session } from '../../platform/db/session.ts'
import { statement } from '../../platform/db/sql.ts'
import { logWarning } from '../../platform/lib/log.ts'

/** The context of a page. */
export type CatalogueContext = Pick<RequestContext, 'databases' | 'config' | 'now_ms' | 'afterwards'>

/** The age at which an isolate asks for a newer position, in milliseconds. */
const ASK_AGAIN_MS = 5_000
/** The age at which most replicas have a position, in milliseconds: one that lacks it waits for it. */
const ARRIVED_MS = 8_000
/** The most that a page may be behind, in milliseconds: no more than WRITE_TOLD (src/platform/shards/bookmark.ts). */
const LAG_MS = 15_000

/** A position in the history of the catalogue's database, and when it was asked for. */
interface Position {
  bookmark: string
  asked_ms: number
}

interface Known {
  /** The newest last. */
  positions: Position[]
  /** When the isolate has asked last, in milliseconds. */
  asked_ms: number
}

/** The positions that this isolate knows, by configuration. */
const known = new WeakMap<Config, Known>()

/**
 * The session of a page: on the nearest replica, as of the newest position that is old enough to have arrived there. The primary, while
 * the isolate knows none. Asks for a newer position after the answer, when the last one is old.
 */
export function catalogueNear(ctx: CatalogueContext): Session {
  const { databases, config, now_ms, afterwards } = ctx
  if (config.REPLICA_LAG === 0) return databases.catalogue
  const entry = known.get(config) ?? { positions: [], asked_ms: 0 }
  known.set(config, entry)
  const age = (position: Position) => now_ms - position.asked_ms
  entry.positions = entry.positions.filter((position) => age(position) < LAG_MS)
  if (Math.abs(now_ms - entry.asked_ms) >= ASK_AGAIN_MS) {
    entry.asked_ms = now_ms
    afterwards((later) => learnPosition(later, entry, now_ms))
  }
  return databases.catalogueFrom(
    entry.positions.findLast((position) => age(position) >= ARRIVED_MS)?.bookmark,
  )
}

const nothing = statement(() => sql<{ one: number }>`SELECT 1 AS one`)

/** Learns where the history of the catalogue's database is. When that fails, pages go on with the positions that there are. */
async function learnPosition({ databases }: LaterContext, entry: Known, asked_ms: number): Promise<void> {
  try {
    const { catalogue } = databases
    await catalogue.send([nothing()])
    const { bookmark } = catalogue
    if (bookmark !== null) entry.positions.push({ bookmark, asked_ms })
  } catch (error) {
    logWarning('the position of the catalogue was not read', { error: String(error) })
  }
}
