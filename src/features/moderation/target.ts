import { type SQL, sql } from 'drizzle-orm'
import type { RequestContext } from '../../platform/context.ts'
import type { Database } from '../../platform/db/database.ts'
import type { TargetType } from '../../platform/db/enumerations.ts'
import { type Params, statement } from '../../platform/db/sql.ts'
import { erasedUntil } from '../../platform/db/watermark.ts'
import { isReadable, type Viewer } from '../assets/access.ts'
import { fromItem, walkUp } from '../files/path.ts'
import { itemColumns } from '../files/row.ts'
import { isNotErasedShare, isUnexpired } from '../shares/row.ts'
import type { Target } from './schema.ts'

/** A thing that is reported. The owner of a user is the user. */
export interface FoundTarget {
  owner_id: string
  /** null for a user */
  name: string | null
  /** The watermark of the owner's erasure that has not ended (Unix seconds); -1: there is none. */
  erased_until: number
}

/** SQL: the member of a FoundTarget with this owner. */
export const ownersWatermark = (owner_id: SQL) => sql`${erasedUntil(owner_id)} AS erased_until`

/** How old the look at a target in another database may be when its case is written, in seconds. */
const MAX_AGE_SECONDS = 10

/**
 * SQL: a SELECT of a target that was read in another database, at the time `now`. The erasure of its owner passes here when its watermark is
 * over, MAX_CLOCK_SKEW_SECONDS after it began: what is written later than that would keep the owner's id.
 */
export function foundElsewhere(p: Params<'owner_id' | 'erased_until' | 'now'>): SQL<FoundTarget> {
  return sql`SELECT ${p.owner_id} AS owner_id, NULL AS name, ${p.erased_until} AS erased_until
    WHERE ${p.owner_id} IS NOT NULL AND unixepoch() <= ${p.now} + ${sql.raw(String(MAX_AGE_SECONDS))}`
}

type TargetParams = Params<'target_id' | Viewer | 'now'>

const { owner_id, created_at } = itemColumns

/** SQL by type of target: a SELECT of a FoundTarget that the caller may read. */
export const readableTarget: Record<TargetType, (p: TargetParams) => SQL<FoundTarget>> = {
  asset: (p) =>
    sql`SELECT owner_id, name, ${ownersWatermark(sql`owner_id`)} FROM game_assets WHERE id = ${p.target_id} AND ${isReadable(p)}`,
  // Public, in a public folder, shared with the caller, or the caller's own; nothing on its path is in the trash or blocked.
  file: (p) => sql`${walkUp(sql`${fromItem(p.target_id)} AND item.trashed_at IS NULL`, {
    columns: { owner_id, created_at },
    carried: {
      name: { atItem: sql`item.name`, atFolder: sql`walk.name` },
      is_shown: { atItem: sql`item.is_public`, atFolder: sql`walk.is_shown OR above.is_public` },
      is_any_blocked: { atItem: sql`item.blocked`, atFolder: sql`walk.is_any_blocked OR above.blocked` },
    },
    continues: sql`above.trashed_at IS NULL`,
  })} SELECT owner_id, name, ${ownersWatermark(sql`walk.owner_id`)} FROM walk WHERE walk.parent_id IS NULL
      AND walk.created_at > ${erasedUntil(sql`walk.owner_id`)}
      AND (walk.owner_id = ${p.user_id} OR walk.is_any_blocked = 0 AND (walk.is_shown = 1 OR EXISTS (
        SELECT 1 FROM shares WHERE file_id = ${p.target_id} AND grantee_id = ${p.user_id}
          AND ${isUnexpired(p.now)} AND ${isNotErasedShare})))`,
  // Somebody who has a file, an asset or a profile here.
  user: (p) => sql`SELECT ${p.target_id} AS owner_id, NULL AS name, -1 AS erased_until
    WHERE NOT EXISTS (SELECT 1 FROM erasures WHERE erasures.user_id = ${p.target_id} AND erasures.is_guest = 0)
      AND (EXISTS (SELECT 1 FROM usage WHERE usage.user_id = ${p.target_id} AND (items > 0 OR assets > 0))
        OR EXISTS (SELECT 1 FROM profiles WHERE profiles.user_id = ${p.target_id}))`,
}

const readTarget = {
  asset: statement(readableTarget.asset),
  file: statement(readableTarget.file),
  user: statement(readableTarget.user),
}

/** The database of a target. */
export function homeOf(databases: RequestContext['databases'], { type, id }: Target): Database {
  return type === 'user' ? databases.home(id) : databases.of(id)
}

/** Reads a target that the caller may read, from the primary of its home. */
export async function findTarget(
  { databases, user_id, hidden_ratings }: Pick<RequestContext, 'databases' | Viewer>,
  target: Target,
  now: number,
): Promise<FoundTarget | undefined> {
  const db = homeOf(databases, target)
  db.usePrimary()
  const [found] = await db.read(
    readTarget[target.type]({ target_id: target.id, user_id, hidden_ratings, now }),
  )
  return found
}

const watermarkOf = statement(
  (p: Params<'user_id'>) => sql<{ until: number }>`SELECT ${erasedUntil(p.user_id)} AS until`,
)

/**
 * The earliest `created_at` of what the caller writes in the first database: after an erasure of theirs that has not ended, which their home
 * knows. 0 where that is the first database.
 */
export async function notBefore({
  databases,
  user_id,
}: Pick<RequestContext, 'databases' | 'user_id'>): Promise<number> {
  const home = databases.home(user_id)
  if (home.name === databases.common.name) return 0
  home.usePrimary()
  const [watermark] = await home.read(watermarkOf({ user_id }))
  return (watermark?.until ?? -1) + 1
}

/** SQL: the name of a case's thing while it exists, whoever may see it; null in another database, and for a user. */
export function nameOf(type: SQL, id: SQL): SQL {
  return sql`CASE ${type}
    WHEN 'asset' THEN (SELECT thing.name FROM game_assets AS thing WHERE thing.id = ${id} AND thing.purging = 0
      AND thing.created_at > ${erasedUntil(sql`thing.owner_id`)})
    WHEN 'file' THEN (SELECT thing.name FROM files AS thing WHERE thing.id = ${id} AND thing.purging = 0
      AND thing.created_at > ${erasedUntil(sql`thing.owner_id`)}) END`
}
