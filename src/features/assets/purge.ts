import { type SQL, sql } from 'drizzle-orm'
import { BATCH_SIZE } from '../../platform/context.ts'
import { type Database, rowsChangedBy } from '../../platform/db/database.ts'
import { gameAssets } from '../../platform/db/schema.ts'
import type { Statement } from '../../platform/db/session.ts'
import { assignments } from '../../platform/db/sql.ts'
import type { EventContext } from '../../platform/events/record.ts'
import { assetDeleted } from './events.ts'

/**
 * The statement that marks the assets that `which` selects to be purged, deleted or not. From then on no answer shows
 * them. `kept_until`: when their content may be deleted, in Unix seconds; null: together with them. Answers the ids.
 */
export function markAssetsPurging(
  which: SQL,
  now_ms: number,
  kept_until: number | null,
): SQL<{ id: string }> {
  const marks = {
    purging: 1 as const,
    deleted_at: sql`coalesce(deleted_at, ${now_ms})`,
    revision: sql`revision + 1`,
    ...(kept_until !== null && { kept_until }),
  }
  return sql`UPDATE game_assets SET ${assignments(gameAssets, marks)} WHERE ${which} RETURNING id`
}

/**
 * The statement that marks up to BATCH_SIZE assets to be purged that were deleted at `deleted_by` (milliseconds) or
 * before. `kept_until` is as in `markAssetsPurging`. Answers the ids.
 */
export function markDeletedAssets(deleted_by: number, kept_until: number | null = null): SQL<{ id: string }> {
  const marks = {
    purging: 1 as const,
    revision: sql`revision + 1`,
    ...(kept_until !== null && { kept_until }),
  }
  return sql`UPDATE game_assets SET ${assignments(gameAssets, marks)} WHERE id IN (
      SELECT id FROM game_assets WHERE deleted_at <= ${deleted_by} AND purging = 0
      ORDER BY deleted_at LIMIT ${BATCH_SIZE}
    ) RETURNING id`
}

/**
 * Removes up to BATCH_SIZE versions of marked assets, then marked assets without versions, of those that `which`
 * selects. Returns how many rows it removed.
 */
export function purgeAssetsStep(ctx: EventContext & { db: Database }, which: SQL): Promise<number> {
  return rowsChangedBy(ctx.db, purgeAssetsStatements(ctx, which))
}

/**
 * The statements of `purgeAssetsStep`, over at most `limit` rows of each table. A trigger queues the content of a removed
 * version for deletion when no other version shares the content.
 */
export function purgeAssetsStatements(
  ctx: EventContext,
  which: SQL,
  limit = BATCH_SIZE,
): Statement[] {
  const marked = sql`SELECT id FROM game_assets WHERE purging = 1 AND ${which} LIMIT ${limit}`
  const empty = sql`id IN (
        SELECT id FROM (${marked}) AS marked
        WHERE NOT EXISTS (SELECT 1 FROM asset_versions WHERE asset_id = marked.id)
      )`
  return [
    sql`DELETE FROM asset_versions WHERE (asset_id, version) IN (
        SELECT asset_id, version FROM (${marked}) AS marked CROSS JOIN asset_versions
        WHERE asset_id = marked.id LIMIT ${limit}
      ) RETURNING id`,
    ...assetDeleted(ctx, empty, true),
    sql`DELETE FROM game_assets WHERE ${empty} RETURNING id`,
  ]
}
