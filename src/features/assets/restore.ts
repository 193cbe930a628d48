import { sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../../platform/context.ts'
import { partitionIn, partitionOf } from '../../platform/db/id.ts'
import { isNotErased, updatedAt } from '../../platform/db/marks.ts'
import { gameAssets } from '../../platform/db/schema.ts'
import { assignments } from '../../platform/db/sql.ts'
import { ApiError } from '../../platform/errors.ts'
import { hintAtSource } from '../../platform/shards/branch-hints.ts'
import { unhinted } from '../../platform/shards/partitions.ts'
import { ensureUsageRow } from '../quota/usage.ts'
import { assetPublished } from './events.ts'
import { duplicateName, isTaken, orDuplicate, searchName } from './name.ts'
import { type AssetRow, assetColumns, assetWithId } from './record.ts'
import type { RestoreAsset } from './schema.ts'

/**
 * Restores a deleted asset of the caller's, under another name if one is given. An asset that is not deleted stays as
 * it is (docs/conformance.md#game-assets).
 *
 * @throws ASSET_NOT_FOUND, DUPLICATE_ASSET_NAME, LIMIT_REACHED (public_assets)
 */
export async function restoreAsset(
  ctx: RequestContext,
  id: string,
  { name }: RestoreAsset,
): Promise<AssetRow> {
  const { db, databases, user_id } = ctx
  const isOwn = sql`owner_id = ${user_id} AND purging = 0 AND ${isNotErased}`
  const rename = name !== undefined && {
    name,
    search_name: searchName(name),
    updated_at: sql`iif(name = ${name}, updated_at, ${updatedAt(seconds(ctx))})`,
  }
  await hintAtRestoring(ctx, id, name)
  const { restored, present } = await orDuplicate(
    db.write({
      unhinted: databases.isOnly ? unhinted(partitionOf(user_id)) : [],
      usage: ensureUsageRow(ctx),
      events: assetPublished(
        ctx,
        sql`id = ${id} AND ${isOwn} AND deleted_at IS NOT NULL AND visibility = 'public' AND blocked = 0`,
      ),
      restored: sql<AssetRow>`UPDATE game_assets SET ${assignments(gameAssets, { deleted_at: null, ...rename })}
        WHERE id = ${id} AND ${isOwn} AND deleted_at IS NOT NULL RETURNING ${assetColumns}`,
      present: sql<AssetRow>`${assetWithId(id)} AND ${isOwn}`,
    }),
  )
  const asset = restored[0] ?? present[0]
  if (!asset) throw new ApiError('ASSET_NOT_FOUND')
  return asset
}

/**
 * Hints again that the caller has a branch, before a deleted one is restored, under another name if one is given: the job
 * may have removed the hint.
 *
 * @throws DUPLICATE_ASSET_NAME: without its hint, the branch must not be restored
 */
async function hintAtRestoring(ctx: RequestContext, id: string, name: string | undefined): Promise<void> {
  const { db, databases, user_id } = ctx
  if (databases.isOnly) return
  db.usePrimary()
  const [branch] = await db.read<{ source_id: string; is_taken: 0 | 1 }>(
    sql`SELECT branched_from_asset_id AS source_id,
        deleted_at IS NOT NULL AND ${isTaken(sql`coalesce(${name ?? null}, branch.name)`, user_id)} AS is_taken
      FROM game_assets AS branch WHERE id = ${id} AND owner_id = ${user_id} AND branched_from_asset_id IS NOT NULL
        AND purging = 0 AND ${isNotErased}`,
  )
  if (branch?.is_taken) throw duplicateName()
  if (!branch || partitionIn(branch.source_id) === partitionIn(id)) return
  await databases
    .of(branch.source_id)
    .write(hintAtSource(branch.source_id, user_id, seconds(ctx), sql`purging = 0`))
}
