import { type SQL, sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../../platform/context.ts'
import type { WriteCondition } from '../../platform/db/database.ts'
import { isNotErased, updatedAt } from '../../platform/db/marks.ts'
import { gameAssets } from '../../platform/db/schema.ts'
import type { Statement } from '../../platform/db/session.ts'
import { assignments } from '../../platform/db/sql.ts'
import { ApiError } from '../../platform/errors.ts'
import { linkToSource, needsNoHint } from '../../platform/shards/link-to-source.ts'
import { ensureUsageRow } from '../quota/usage.ts'
import { assetPublished } from './events.ts'
import { duplicateName, isTaken, orDuplicate, searchName } from './name.ts'
import { type AssetRow, assetColumns, assetWithId } from './row.ts'
import type { RestoreAsset } from './schema.ts'

/**
 * Restores a deleted asset of the caller's, under another name if one is given. An asset that is not deleted stays as it
 * is (docs/conformance.md#game-assets). A branch needs its hint at the source again, because the job may have removed it.
 *
 * @throws ASSET_NOT_FOUND, DUPLICATE_ASSET_NAME, LIMIT_REACHED (public_assets)
 */
export async function restoreAsset(
  ctx: RequestContext,
  id: string,
  { name }: RestoreAsset,
): Promise<AssetRow> {
  const unlinked = await restoreIf(ctx, id, name, { canRestore: needsNoHint(ctx.user_id) })
  const [branch] = unlinked.branches
  if (!branch) return only(unlinked.assets)
  if (branch.is_taken) throw duplicateName()
  const source = { source_id: branch.source_id, isThere: sql`purging = 0`, mayBeGone: true }
  const linked = await linkToSource(ctx, source, (link) => restoreIf(ctx, id, name, link))
  return only(linked?.assets ?? [])
}

/** A deleted branch of the caller's that was not restored, because it needs a hint. */
interface UnlinkedBranch {
  source_id: string
  is_taken: 0 | 1
}

interface Restoring {
  /** SQL: which deleted assets are restored; all by default. */
  canRestore?: SQL
  hint?: Statement[]
  condition?: WriteCondition
}

/** Restores the asset in one batch. Returns the asset, restored or not, and the branch that was left as it was. */
async function restoreIf(
  ctx: RequestContext,
  id: string,
  name: string | undefined,
  { canRestore = sql`1`, hint = [], condition }: Restoring,
): Promise<{ assets: AssetRow[]; branches: UnlinkedBranch[] }> {
  const { db, user_id } = ctx
  const isOwn = sql`owner_id = ${user_id} AND purging = 0 AND ${isNotErased}`
  const isDeleted = sql`id = ${id} AND ${isOwn} AND deleted_at IS NOT NULL`
  const rename = name !== undefined && {
    name,
    search_name: searchName(name),
    updated_at: sql`iif(name = ${name}, updated_at, ${updatedAt(seconds(ctx))})`,
  }
  const statements = {
    usage: ensureUsageRow(ctx),
    hint,
    events: assetPublished(
      ctx,
      sql`${isDeleted} AND ${canRestore} AND visibility = 'public' AND blocked = 0`,
    ),
    restored: sql<AssetRow>`UPDATE game_assets SET ${assignments(gameAssets, { deleted_at: null, ...rename })}
      WHERE ${isDeleted} AND ${canRestore} RETURNING ${assetColumns}`,
    present: sql<AssetRow>`${assetWithId(id)} AND ${isOwn}`,
    branches: sql<UnlinkedBranch>`SELECT branched_from_asset_id AS source_id,
        ${isTaken(sql`coalesce(${name ?? null}, branch.name)`, user_id)} AS is_taken
      FROM game_assets AS branch WHERE ${isDeleted} AND branched_from_asset_id IS NOT NULL`,
  }
  const { restored, present, branches } = await orDuplicate(db.write(statements, condition))
  return { assets: restored.length > 0 ? restored : present, branches }
}

function only([asset]: AssetRow[]): AssetRow {
  if (!asset) throw new ApiError('ASSET_NOT_FOUND')
  return asset
}
