import { type SQL, sql } from 'drizzle-orm'
import { BATCH_SIZE, keptUntil, type RequestContext } from '../../platform/context.ts'
import { type Database, retryOnConflict, rowsChangedBy } from '../../platform/db/database.ts'
import { type ExpectedRevisions, listOfRevisions, revisionIn } from '../../platform/db/revision.ts'
import { gameAssets } from '../../platform/db/schema.ts'
import { assignments, type Params, type Prepared, perShape, statement } from '../../platform/db/sql.ts'
import { isNotErased } from '../../platform/db/watermark.ts'
import type { EventContext } from '../../platform/events/record.ts'
import { writeAsset } from '../catalogue/write.ts'
import { canChange, markRemoval, rejectWrite } from './access.ts'
import { assetDeleted } from './events.ts'
import type { AssetRow } from './row.ts'

type Deletion = Params<'id' | 'user_id' | 'expected' | 'now_ms'>

type Deleted = Pick<AssetRow, 'id' | 'visibility' | 'preview_key'>

const softDelete = statement((p: Deletion) => {
  const changes = { deleted_at: p.now_ms, revision: sql`revision + 1` }
  return sql<Deleted>`UPDATE game_assets SET ${assignments(gameAssets, changes)} WHERE ${canChange(p)}
    RETURNING id, visibility, preview_key`
})

const trashed = assetDeleted(canChange, false)

/**
 * Deletes an asset of the caller's. The asset can be restored for TRASH_RETENTION_DAYS, unless `permanent` is set
 * (docs/conformance.md#game-assets).
 *
 * @throws ASSET_NOT_FOUND, PRECONDITION_FAILED
 */
export async function deleteAsset(
  ctx: RequestContext,
  id: string,
  { permanent = false } = {},
  expected: ExpectedRevisions = null,
): Promise<void> {
  const { db, user_id, now_ms } = ctx
  const own = { id, user_id, expected: listOfRevisions(expected) }
  const kept_until = keptUntil(ctx)
  const statements = {
    events: permanent ? [] : trashed(ctx, own),
    deleted: permanent
      ? startPurge(kept_until !== null)({ ...own, now_ms, kept_until })
      : softDelete({ ...own, now_ms }),
  }
  await retryOnConflict(async () => {
    const {
      deleted: [deleted],
    } = await writeAsset(ctx, db, statements, { asset_id: id, markFirst: markRemoval(own) })
    if (deleted?.visibility === 'public' && deleted.preview_key !== null) ctx.ended.push(['asset', id])
    return deleted ?? rejectWrite(ctx, id, expected, { orDeleted: permanent })
  })
  if (permanent) await purgeAssetsStep(ctx, { id })
}

/**
 * The statement by which the caller deletes an asset permanently, whether it was deleted before or not
 * (docs/conformance.md#game-assets). From then on no answer shows the asset. The first versions are removed at once, the rest
 * by the job. Content that a branch shares stays.
 */
const startPurge = perShape((isKept: boolean) =>
  statement((p: Deletion & Params<'kept_until'>) => {
    const isOwn = sql`id = ${p.id} AND owner_id = ${p.user_id} AND purging = 0 AND ${isNotErased}`
    return markAssetsPurging(
      sql`${isOwn} AND ${revisionIn(p.expected)}`,
      p.now_ms,
      isKept ? p.kept_until : null,
    )
  }),
)

/**
 * SQL: marks the assets that `which` selects to be purged, deleted or not. From then on no answer shows
 * them. `kept_until`: when their content may be deleted, in Unix seconds; null: together with them. Answers what was deleted.
 */
export function markAssetsPurging(
  which: SQL,
  now_ms: number | SQL,
  kept_until: number | SQL | null,
): SQL<Deleted> {
  const marks = {
    purging: 1 as const,
    deleted_at: sql`coalesce(deleted_at, ${now_ms})`,
    revision: sql`revision + 1`,
    kept_until: kept_until ?? undefined,
  }
  return sql`UPDATE game_assets SET ${assignments(gameAssets, marks)} WHERE ${which} RETURNING id, visibility, preview_key`
}

/** SQL: up to BATCH_SIZE assets that were deleted at `deleted_by` (milliseconds) or before. */
export function deletedAssets(deleted_by: number): SQL {
  return sql`SELECT id FROM game_assets WHERE deleted_at <= ${deleted_by} AND purging = 0
    ORDER BY deleted_at LIMIT ${BATCH_SIZE}`
}

/**
 * The statement that marks up to BATCH_SIZE assets to be purged that were deleted at `deleted_by` (milliseconds) or
 * before. `kept_until` is as in `markAssetsPurging`. Answers the ids.
 */
export function markDeletedAssets(deleted_by: number, kept_until: number | null = null) {
  return markAssetsPurging(sql`id IN (${deletedAssets(deleted_by)})`, deleted_by, kept_until)
}

/** The marked assets of one owner, or one of them. */
type Which = { owner_id: string } | { id: string }

const purge = perShape((column: 'id' | 'owner_id') => {
  type Purge = Params<'id' | 'owner_id' | 'limit'>
  const marked = (p: Purge) =>
    sql`SELECT id FROM game_assets WHERE purging = 1 AND ${sql.raw(column)} = ${p[column]} LIMIT ${p.limit}`
  const isEmpty = (p: Purge) => sql`id IN (
      SELECT id FROM (${marked(p)}) AS marked
      WHERE NOT EXISTS (SELECT 1 FROM asset_versions WHERE asset_id = marked.id)
    )`
  return {
    variants: statement(
      (p: Purge) => sql`DELETE FROM asset_variants WHERE (asset_id, version, platform) IN (
          SELECT asset_id, version, platform FROM (${marked(p)}) AS marked CROSS JOIN asset_variants
          WHERE asset_id = marked.id LIMIT ${p.limit}
        ) RETURNING version`,
    ),
    versions: statement(
      (p: Purge) => sql`DELETE FROM asset_versions WHERE (asset_id, version) IN (
          SELECT asset_id, version FROM (
            SELECT asset_id, version FROM (${marked(p)}) AS marked CROSS JOIN asset_versions
            WHERE asset_id = marked.id LIMIT ${p.limit}
          ) AS found WHERE NOT EXISTS (SELECT 1 FROM asset_variants AS variant
            WHERE variant.asset_id = found.asset_id AND variant.version = found.version)
        ) RETURNING id`,
    ),
    events: assetDeleted(isEmpty, true),
    assets: statement((p: Purge) => sql`DELETE FROM game_assets WHERE ${isEmpty(p)} RETURNING id`),
  }
})

/**
 * Removes up to BATCH_SIZE variants of marked assets, then versions without variants, then marked assets without versions, of one owner
 * or with one id. Returns how many rows it removed.
 */
export function purgeAssetsStep(ctx: EventContext & { db: Database }, which: Which): Promise<number> {
  return rowsChangedBy(ctx.db, purgeAssetsStatements(ctx, which))
}

/**
 * The statements of `purgeAssetsStep`, over at most `limit` rows of each table. A trigger queues the content of a removed
 * version for deletion when no other version shares the content.
 */
export function purgeAssetsStatements(ctx: EventContext, which: Which, limit = BATCH_SIZE): Prepared[] {
  const { variants, versions, events, assets } = purge('id' in which ? 'id' : 'owner_id')
  const values = { id: null, owner_id: null, ...which, limit }
  return [variants(values), versions(values), ...events(ctx, values), assets(values)]
}
