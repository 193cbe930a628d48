import { sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../../platform/context.ts'
import { partitionOf } from '../../platform/db/id.ts'
import { gameAssets } from '../../platform/db/schema.ts'
import { assignments, type Params, perShape, statement } from '../../platform/db/sql.ts'
import { isNotErased, updatedAt } from '../../platform/db/watermark.ts'
import { ApiError } from '../../platform/errors.ts'
import { searchName } from '../../platform/lib/text.ts'
import { writeAsset } from '../catalogue/write.ts'
import { ensureUsageRow } from '../quota/usage.ts'
import { assetPublished } from './events.ts'
import { type BranchLink, linkToSource, needsNoHint } from './hints.ts'
import { duplicateName, isTaken, orDuplicate } from './name.ts'
import { type AssetRow, assetColumns } from './row.ts'
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
  const { assets, branches } = await tryRestore(ctx, id, name)
  const [branch] = branches
  if (!branch) return orNotFound(assets)
  // The hint may be written before the batch that would refuse the name.
  if (branch.is_taken) throw duplicateName()
  const source = { source_id: branch.source_id, version: null, object_keys: null }
  const linked = await linkToSource(ctx, source, (link) => tryRestore(ctx, id, name, link))
  return orNotFound(linked?.assets ?? [])
}

/** A branch of the caller's that is still deleted. */
interface DeletedBranch {
  source_id: string
  /** Whether another live asset of the caller's has the name that the branch would have. */
  is_taken: 0 | 1
}

type OwnAsset = Params<'id' | 'user_id'>

const isOwn = (p: OwnAsset) =>
  sql`id = ${p.id} AND owner_id = ${p.user_id} AND purging = 0 AND ${isNotErased}`
const isDeleted = (p: OwnAsset) => sql`${isOwn(p)} AND deleted_at IS NOT NULL`

/** SQL: whether an asset may be restored. `partition`: only one that needs no hint; NULL: any. */
const canRestore = (p: OwnAsset & Params<'partition'>) =>
  sql`${isDeleted(p)} AND (${p.partition} IS NULL OR ${needsNoHint(p.partition)})`

const published = assetPublished(
  (p: OwnAsset & Params<'partition'>) => sql`${canRestore(p)} AND visibility = 'public' AND blocked = 0`,
)

const restore = perShape((isRenamed: boolean) =>
  statement((p: OwnAsset & Params<'partition' | 'name' | 'search_name' | 'now'>) => {
    const rename = {
      name: p.name,
      search_name: p.search_name,
      updated_at: sql`iif(name = ${p.name}, updated_at, ${updatedAt(p.now)})`,
    }
    const changes = { deleted_at: null, revision: sql`revision + 1`, ...(isRenamed && rename) }
    return sql<AssetRow>`UPDATE game_assets SET ${assignments(gameAssets, changes)}
      WHERE ${canRestore(p)} RETURNING ${assetColumns}`
  }),
)

const presentAsset = statement(
  (p: OwnAsset) => sql<AssetRow>`SELECT ${assetColumns} FROM game_assets WHERE ${isOwn(p)}`,
)

const deletedBranch = statement(
  (p: OwnAsset & Params<'name'>) => sql<DeletedBranch>`SELECT branched_from_asset_id AS source_id,
      ${isTaken(sql`coalesce(${p.name}, branch.name)`, p.user_id)} AS is_taken
    FROM game_assets AS branch WHERE ${isDeleted(p)} AND branched_from_asset_id IS NOT NULL`,
)

/**
 * Restores the asset in one batch. `assets`: the asset as it is afterwards. `branches`: the asset, if it is a branch and
 * still deleted, because it needs a hint and there is no `link`.
 */
async function tryRestore(
  ctx: RequestContext,
  id: string,
  name: string | undefined,
  link?: BranchLink,
): Promise<{ assets: AssetRow[]; branches: DeletedBranch[] }> {
  const { db, user_id } = ctx
  const values = {
    id,
    user_id,
    partition: link ? null : partitionOf(user_id),
    name: name ?? null,
    search_name: name === undefined ? null : searchName(name),
    now: seconds(ctx),
  }
  const statements = {
    usage: ensureUsageRow(ctx),
    hint: link?.hint ?? [],
    events: published(ctx, values),
    restored: restore(name !== undefined)(values),
    present: presentAsset(values),
    branches: deletedBranch(values),
  }
  const { restored, present, branches } = await orDuplicate(
    writeAsset(ctx, db, statements, { asset_id: id, condition: link?.condition }),
  )
  return { assets: restored.length > 0 ? restored : present, branches }
}

function orNotFound([asset]: AssetRow[]): AssetRow {
  if (!asset) throw new ApiError('ASSET_NOT_FOUND')
  return asset
}
