/** Reads pages of the catalogue from the nearest replica. They are behind by LAG_MS at most (docs/catalogue.md). */
import { sql } from 'drizzle-orm'
import type { Config } from '../../platform/config/variables.ts'
import type { RequestContext } from '../../platform/context.ts'
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
  const { positions, asked_ms } = known.get(config) ?? { positions: [], asked_ms: 0 }
  const age = (position: Position) => now_ms - position.asked_ms
  const usable = positions.filter((position) => age(position) < LAG_MS)
  if (Math.abs(now_ms - asked_ms) >= ASK_AGAIN_MS) {
    known.set(config, { positions: usable, asked_ms: now_ms })
    afterwards(async (later) => {
      const bookmark = await positionIn(later).catch((error: unknown) => {
        logWarning('the position of the catalogue was not read', { error: String(error) })
        return null
      })
      const { positions, asked_ms } = known.get(config) ?? { positions: [], asked_ms: now_ms }
      if (bookmark !== null)
        known.set(config, { positions: [...positions, { bookmark, asked_ms: now_ms }], asked_ms })
    })
  }
  return databases.catalogueFrom(usable.findLast((position) => age(position) >= ARRIVED_MS)?.bookmark)
}

const nothing = statement(() => sql<{ one: number }>`SELECT 1 AS one`)

/** Where the history of the catalogue's database is now. @throws UNAVAILABLE */
async function positionIn({ databases }: Pick<RequestContext, 'databases'>): Promise<string | null> {
  const { catalogue } = databases
  await catalogue.send([nothing()])
  return catalogue.bookmark
}
