import { type SQL, sql } from 'drizzle-orm'
import type { RequestContext } from '../../platform/context.ts'
import { isRatedWithin, isWithin } from '../../platform/db/ratings.ts'
import { type ExpectedRevisions, revisionError, revisionIn } from '../../platform/db/revision.ts'
import { type Params, statement } from '../../platform/db/sql.ts'
import { isNotErased } from '../../platform/db/watermark.ts'
import { ApiError } from '../../platform/errors.ts'
import { markShown } from '../catalogue/write.ts'
import { type AssetRow, assetColumns, type VersionRow, versionOf } from './row.ts'
import { asOthersSee } from './served.ts'

/**
 * SQL: whether a row of `game_assets` is the user's and not deleted. Each statement of a batch that changes the row
 * repeats this condition.
 */
export function isOwnAsset(id: SQL, user_id: SQL): SQL {
  return sql`id = ${id} AND owner_id = ${user_id} AND deleted_at IS NULL AND ${isNotErased}`
}

/** SQL: whether a row of `game_assets` is an own asset (`isOwnAsset`) at an expected revision. */
export function canChange(p: Params<'id' | 'user_id' | 'expected'>): SQL {
  return sql`${isOwnAsset(p.id, p.user_id)} AND ${revisionIn(p.expected)}`
}

/** The parameters of whoever reads: the values are in every `RequestContext`. */
export type Viewer = 'user_id' | 'hidden_ratings'

/**
 * SQL: whether the viewer may read a row of `game_assets`: an asset that is not deleted, and is the viewer's own, or listed and with
 * no rating that is hidden from the viewer.
 */
export function isReadable({ user_id, hidden_ratings }: Params<Viewer>): SQL {
  return sql`deleted_at IS NULL AND (owner_id = ${user_id} OR (is_listed = 1 AND ${isWithin(hidden_ratings)})) AND ${isNotErased}`
}

/**
 * SQL: whether the viewer may learn of a row of `game_assets` without its id: an asset that the viewer may read, and that is the
 * viewer's own or in the catalogue.
 */
export function isFindable(viewer: Params<Viewer>): SQL {
  return sql`${isReadable(viewer)} AND (owner_id = ${viewer.user_id} OR is_in_catalogue = 1)`
}

/** The columns of an asset that decide who may read it. */
type Guarded = Pick<AssetRow, 'owner_id' | 'deleted_at' | 'is_listed' | 'rating'>

/** Whether the viewer may read an asset, as `isReadable` decides. */
export function mayRead(
  { owner_id, deleted_at, is_listed, rating }: Guarded,
  { user_id, hidden_ratings }: Pick<RequestContext, Viewer>,
): boolean {
  if (deleted_at !== null) return false
  return owner_id === user_id || (is_listed === 1 && isRatedWithin(rating, hidden_ratings))
}

/** The asset as the viewer sees it (served.ts); undefined when the viewer may not read it. */
export function readable<Asset extends Guarded & Parameters<typeof asOthersSee>[0]>(
  asset: Asset | undefined,
  viewer: Pick<RequestContext, Viewer>,
): Asset | undefined {
  if (!asset || !mayRead(asset, viewer)) return undefined
  return asset.owner_id === viewer.user_id ? asset : asOthersSee(asset)
}

/** The statement that reads an asset of the user's that is not deleted. */
export const ownAsset = statement(
  (p: Params<'id' | 'user_id'>) =>
    sql<AssetRow>`SELECT ${assetColumns} FROM game_assets WHERE ${isOwnAsset(p.id, p.user_id)}`,
)

/** Reads an asset of the caller's that is not deleted. @throws ASSET_NOT_FOUND */
export async function readOwnAsset({ db, user_id }: RequestContext, id: string): Promise<AssetRow> {
  const [asset] = await db.read(ownAsset({ id, user_id }))
  if (!asset) throw new ApiError('ASSET_NOT_FOUND')
  return asset
}

/** Reads a version of an asset of the caller's that is not deleted. @throws ASSET_NOT_FOUND, VERSION_NOT_FOUND */
export async function readOwnVersion(
  { db, user_id }: RequestContext,
  id: string,
  number: number,
): Promise<{ asset: AssetRow; version: VersionRow }> {
  const {
    assets: [asset],
    versions: [version],
  } = await db.read({
    assets: ownAsset({ id, user_id }),
    versions: versionOf({ asset_id: id, version: number }),
  })
  if (!asset) throw new ApiError('ASSET_NOT_FOUND')
  if (!version) throw new ApiError('VERSION_NOT_FOUND')
  return { asset, version }
}

/** The statement that marks an asset before a change (`canChange`) that may take it out of the catalogue (`writeAsset`). */
export const markRemoval = statement((p: Params<'id' | 'user_id' | 'expected'>) =>
  markShown(p.id, canChange(p)),
)

const revisionOf = statement(
  (p: Params<'id' | 'user_id'>) =>
    sql<
      Pick<AssetRow, 'revision' | 'deleted_at'>
    >`SELECT revision, deleted_at FROM game_assets WHERE id = ${p.id} AND owner_id = ${p.user_id} AND purging = 0 AND ${isNotErased}`,
)

/**
 * Rejects a write that changed no row, because the caller has no such asset, or one at no expected revision. `orDeleted`:
 * whether the write changes a deleted asset, too. Undefined when the reason is gone.
 *
 * @throws ASSET_NOT_FOUND, PRECONDITION_FAILED
 */
export async function rejectWrite(
  { db, user_id }: RequestContext,
  id: string,
  expected: ExpectedRevisions,
  { orDeleted = false } = {},
): Promise<undefined> {
  // Without a condition on the revision, the only reason is that the caller has no such asset.
  if (expected === null) throw new ApiError('ASSET_NOT_FOUND')
  const [asset] = await db.read(revisionOf({ id, user_id }))
  if (!asset || (asset.deleted_at !== null && !orDeleted)) throw new ApiError('ASSET_NOT_FOUND')
  const error = revisionError(asset, expected, 'asset')
  if (error) throw error
}
