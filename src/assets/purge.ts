import { type SQL, sql } from 'drizzle-orm'
import { BATCH_SIZE } from '../context.ts'
import type { Database } from '../db/database.ts'

/** SQL: deletes assets for good, deleted before or not: gone from every answer at once, removed step by step. */
export function purgingAssets(which: SQL, now_ms: number): SQL {
  return sql`UPDATE game_assets SET purging = 1, deleted_at = coalesce(deleted_at, ${now_ms})
    WHERE ${which} AND purging = 0 RETURNING id`
}

/** Marks up to STEP assets that were deleted at `deleted_by` (milliseconds) or before to be purged. Tells how many. */
export async function markAssetsPurging(db: Database, deleted_by: number): Promise<number> {
  const marked = await db.all(
    sql`UPDATE game_assets SET purging = 1 WHERE id IN (
        SELECT id FROM game_assets WHERE deleted_at <= ${deleted_by} AND purging = 0
        ORDER BY deleted_at LIMIT ${BATCH_SIZE}
      ) RETURNING id`,
  )
  return marked.length
}

/**
 * One step of removing what is marked, or only some of it: versions go first, and a trigger gives up the content that
 * no other version refers to; then the assets that have none left. Tells how many rows were removed.
 */
export async function purgeAssetsStep(db: Database, which?: SQL): Promise<number> {
  const removed = await db.batch(purgeAssetsStatements(which))
  return removed.flat().length
}

/** The statements of such a step, over at most `most` rows of each kind. */
export function purgeAssetsStatements(which: SQL = sql`1`, most = BATCH_SIZE): [SQL, SQL] {
  const marked = sql`SELECT id FROM game_assets WHERE purging = 1 AND ${which} LIMIT ${most}`
  return [
    sql`DELETE FROM asset_versions WHERE (asset_id, version) IN (
        SELECT asset_id, version FROM (${marked}) AS marked CROSS JOIN asset_versions
        WHERE asset_id = marked.id LIMIT ${most}
      ) RETURNING id`,
    sql`DELETE FROM game_assets WHERE id IN (
        SELECT id FROM (${marked}) AS marked
        WHERE NOT EXISTS (SELECT 1 FROM asset_versions WHERE asset_id = marked.id)
      ) RETURNING id`,
  ]
}
