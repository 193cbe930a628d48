import { type SQL, sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../../platform/context.ts'
import type { WriteCondition } from '../../platform/db/database.ts'
import { isNotErased, updatedAt } from '../../platform/db/marks.ts'
import { gameAssets } from '../../platform/db/schema.ts'
import type { Statement } from '../../platform/db/session.ts'
import { assignments } from '../../platform/db/sql.ts'
import { ApiError } from '../../platform/errors.ts'
import { searchName } from '../../platform/lib/search-name.ts'
import { writeAsset } from '../catalogue/write.ts'
import { ensureUsageRow } from '../quota/usage.ts'
import { assetPublished } from './events.ts'
import { linkToSource, needsNoHint } from './hints.ts'
import { duplicateName, isTaken, orDuplicate } from './name.ts'
import { type AssetRow, assetColumns, assetWithId } from './row.ts'
import type { RestoreAsset } from './schema.ts'

/**
 * Restores a deleted asset of the caller's, under another name if one is given (docs/conformance.md#game-assets). An asset
 * that is not deleted stays as it is. A branch of an asset in another partition gets its hint at the source again, because
 * the job may have removed the hint.
 *
 * @throws ASSET_NOT_FOUND, DUPLICATE_ASSET_NAME, LIMIT_REACHED (public_assets)
 */
export async function restoreAsset(
  ctx: RequestContext,
  id: string,
  { name }: RestoreAsset,
): Promise<AssetRow> {
  const { assets, branches } = await tryRestore(ctx, id, name, { canRestore: needsNoHint(ctx.user_id) })
  const [branch] = branches
  if (!branch) return orNotFound(assets)
  // The hint may be written before the batch that would refuse the name.
  if (branch.is_taken) throw duplicateName()
  const source = { source_id: branch.source_id, isThere: sql`purging = 0`, mayBeGone: true }
  const linked = await linkToSource(ctx, source, (link) => tryRestore(ctx, id, name, link))
  return orNotFound(linked?.assets ?? [])
}

/** A branch of the caller's that is still deleted. */
interface DeletedBranch {
  source_id: string
  /** Whether another live asset of the caller's has the name that the branch would have. */
  is_taken: 0 | 1
}

interface Restoring {
  /** SQL: which deleted assets may be restored; all by default. */
  canRestore?: SQL
  hint?: Statement[]
  condition?: WriteCondition
}

/**
 * Restores the asset in one batch. `assets`: the asset as it is afterwards. `branches`: the asset, if it is a branch and
 * still deleted, because `canRestore` did not hold.
 */
async function tryRestore(
  ctx: RequestContext,
  id: string,
  name: string | undefined,
  { canRestore = sql`1`, hint = [], condition }: Restoring,
): Promise<{ assets: AssetRow[]; branches: DeletedBranch[] }> {
  const { db, user_id } = ctx
  const isOwn = sql`owner_id = ${user_id} AND purging = 0 AND ${isNotErased}`
  const isDeleted = sql`id = ${id} AND ${isOwn} AND deleted_at IS NOT NULL`
  const rename = name !== undefined && {
    name,
    search_name: searchName(name),
    updated_at: sql`iif(name = ${name}, updated_at, ${updatedAt(seconds(ctx))})`,
  }
  const changes = { deleted_at: null, revision: sql`revision + 1`, ...rename }
  const statements = {
    usage: ensureUsageRow(ctx),
    hint,
    events: assetPublished(
      ctx,
      sql`${isDeleted} AND ${canRestore} AND visibility = 'public' AND blocked = 0`,
    ),
    restored: sql<AssetRow>`UPDATE game_assets SET ${assignments(gameAssets, changes)}
      WHERE ${isDeleted} AND ${canRestore} RETURNING ${assetColumns}`,
    present: sql<AssetRow>`${assetWithId(id)} AND ${isOwn}`,
    branches: sql<DeletedBranch>`SELECT branched_from_asset_id AS source_id,
        ${isTaken(sql`coalesce(${name ?? null}, branch.name)`, user_id)} AS is_taken
      FROM game_assets AS branch WHERE ${isDeleted} AND branched_from_asset_id IS NOT NULL`,
  }
  const { restored, present, branches } = await orDuplicate(
    writeAsset(ctx, db, statements, { asset_id: id, condition }),
  )
  return { assets: restored.length > 0 ? restored : present, branches }
}

function orNotFound([asset]: AssetRow[]): AssetRow {
  if (!asset) throw new ApiError('ASSET_NOT_FOUND')
  return asset
}
