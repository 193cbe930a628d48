import { type SQL, sql } from 'drizzle-orm'
import type { RequestContext } from '../../platform/context.ts'
import type { GameAssetType } from '../../platform/db/enumerations.ts'
import { isNotErased } from '../../platform/db/marks.ts'
import { type ExpectedRevisions, revisionError } from '../../platform/db/revision.ts'
import { assetVersions } from '../../platform/db/schema.ts'
import { columnsOf, keptStatements, type Prepared } from '../../platform/db/sql.ts'
import { ApiError } from '../../platform/errors.ts'
import { type AssetRow, assetColumns, assetWithId, type VersionRow } from './row.ts'

/** The number of versions in the answer about one asset. */
const VERSIONS_SHOWN = 10

/**
 * SQL: whether a row of `game_assets` is the user's and not deleted. Each statement of a batch that changes the row
 * repeats this condition.
 */
export function isOwnAsset(id: string | SQL, user_id: string | SQL): SQL {
  return sql`id = ${id} AND owner_id = ${user_id} AND deleted_at IS NULL AND ${isNotErased}`
}

/** The statement that reads an asset of the user's that is not deleted. */
export function ownAsset(id: string, user_id: string): SQL<AssetRow> {
  return sql`SELECT ${assetColumns} FROM game_assets WHERE ${isOwnAsset(id, user_id)}`
}

/** SQL: whether the user may read a row of `game_assets`: an asset that is not deleted, and is the user's own or listed. */
export function isReadable(user_id: string | SQL): SQL {
  return sql`deleted_at IS NULL AND (owner_id = ${user_id} OR is_listed = 1) AND ${isNotErased}`
}

/**
 * SQL: whether the user may learn of a row of `game_assets` without its id: an asset that is not deleted, and is the user's own
 * or in the catalogue.
 */
function isFindable(user_id: string | SQL): SQL {
  return sql`deleted_at IS NULL AND (owner_id = ${user_id} OR is_in_catalogue = 1) AND ${isNotErased}`
}

/** The asset when the user may read it, as `isReadable` decides; undefined otherwise. */
export function readable<Asset extends Pick<AssetRow, 'owner_id' | 'deleted_at' | 'is_listed'>>(
  asset: Asset | undefined,
  user_id: string,
): Asset | undefined {
  return asset?.deleted_at === null && (asset.owner_id === user_id || asset.is_listed === 1)
    ? asset
    : undefined
}

/**
 * SQL: the columns of a VersionRow for any user. The source of a branch is visible to the branch's owner, and to users
 * who may find the source. Only a branch's first version costs the two look-ups. A source in another database counts as
 * hidden; `withSourceVisibility` asks that database.
 */
export function versionColumnsFor(user_id: string | SQL): SQL {
  const isOwn = sql`SELECT 1 FROM game_assets AS branch
    WHERE branch.id = asset_versions.asset_id AND branch.owner_id = ${user_id}`
  const isSourceFindable = sql`SELECT 1 FROM game_assets AS source
    WHERE source.id = asset_versions.branched_from_asset_id AND ${isFindable(user_id)}`
  return sql`${columnsOf(assetVersions)},
    branched_from_asset_id IS NULL OR EXISTS (${isOwn}) OR EXISTS (${isSourceFindable}) AS is_source_visible`
}

const keptVersions = keptStatements<VersionRow>()

/**
 * The statement that reads an asset's newest versions for a user, newest first: up to `limit`, and only those with a
 * number below `before`, if it is given.
 */
export function newestVersions(
  asset_id: string,
  user_id: string,
  limit: number,
  before?: number,
): Prepared<VersionRow> {
  return keptVersions(
    'versions',
    () => sql`SELECT ${versionColumnsFor(sql`${sql.placeholder('user_id')}`)} FROM asset_versions
      WHERE asset_id = ${sql.placeholder('asset_id')}
        ${before === undefined ? sql.empty() : sql`AND version < ${sql.placeholder('before')}`}
      ORDER BY version DESC LIMIT ${sql.placeholder('limit')}`,
    { asset_id, user_id, limit, before },
  )
}

/** Reads an asset of the caller's that is not deleted. @throws ASSET_NOT_FOUND */
export async function readOwnAsset({ db, user_id }: RequestContext, id: string): Promise<AssetRow> {
  const [asset] = await db.read(ownAsset(id, user_id))
  if (!asset) throw new ApiError('ASSET_NOT_FOUND')
  return asset
}

/**
 * Rejects a write that changed no row, because `target` (SQL) selects no asset, or one at no expected revision. Undefined when
 * the reason is gone.
 *
 * @throws ASSET_NOT_FOUND, PRECONDITION_FAILED
 */
export async function rejectWrite(
  { db }: RequestContext,
  target: SQL,
  expected: ExpectedRevisions,
): Promise<undefined> {
  // Without a condition on the revision, no query can tell more.
  if (expected === null) throw new ApiError('ASSET_NOT_FOUND')
  const [asset] = await db.read(
    sql<Pick<AssetRow, 'revision'>>`SELECT revision FROM game_assets WHERE ${target}`,
  )
  if (!asset) throw new ApiError('ASSET_NOT_FOUND')
  const error = revisionError(asset, expected, 'asset')
  if (error) throw error
}

interface AssetWithVersions {
  asset: AssetRow
  versions: VersionRow[]
}

/** Reads an asset that the caller may read, with its ten newest versions. @throws ASSET_NOT_FOUND */
export function readAsset(ctx: RequestContext, id: string): Promise<AssetWithVersions> {
  return readWithVersions(ctx, id, newestVersions(id, ctx.user_id, VERSIONS_SHOWN))
}

/**
 * Reads an asset that the caller may read, with the versions that a statement selects, in one trip. A replica may answer
 * for the caller's own asset. For another user's branch, a second trip asks the database of a source in another partition
 * whether the caller may find the source.
 *
 * @throws ASSET_NOT_FOUND
 */
export async function readWithVersions(
  { databases, user_id }: RequestContext,
  id: string,
  versions: SQL<VersionRow> | Prepared<VersionRow>,
): Promise<AssetWithVersions> {
  const db = databases.of(id)
  const found = await db.readOwnFromReplica(
    () => db.read({ assets: assetWithId(id), versions }),
    ({ assets: [asset] }) => asset?.owner_id === user_id,
  )
  const asset = readable(found.assets[0], user_id)
  if (!asset) throw new ApiError('ASSET_NOT_FOUND')
  return { asset, versions: await withSourceVisibility(databases, user_id, asset, found.versions) }
}

/**
 * The versions with the `is_source_visible` that the source's database decides. The owner of a branch always sees the
 * source; for a source in the branch's database, `versionColumnsFor` has decided.
 */
async function withSourceVisibility(
  databases: RequestContext['databases'],
  user_id: string,
  asset: AssetRow,
  versions: VersionRow[],
): Promise<VersionRow[]> {
  const source_id = versions.at(-1)?.branched_from_asset_id
  if (!source_id || asset.owner_id === user_id || databases.areTogether(source_id, asset.id)) return versions
  const source = databases.of(source_id)
  source.usePrimary()
  const [found] = await source.read(
    sql<{ id: string }>`SELECT id FROM game_assets WHERE id = ${source_id} AND ${isFindable(user_id)}`,
  )
  const is_source_visible = found ? 1 : 0
  return versions.map((version) =>
    version.branched_from_asset_id === null ? version : { ...version, is_source_visible },
  )
}

/** Reads a public asset of the given type, with its latest version, if it has one. @throws ASSET_NOT_FOUND */
export async function readPublicAsset(
  { databases, user_id }: RequestContext,
  type: GameAssetType,
  id: string,
): Promise<AssetWithVersions> {
  const db = databases.of(id)
  db.usePrimary()
  const {
    assets: [asset],
    versions,
  } = await db.read({ assets: assetWithId(id), versions: newestVersions(id, user_id, 1) })
  if (asset?.is_listed !== 1 || asset.type !== type) throw new ApiError('ASSET_NOT_FOUND')
  return { asset, versions: await withSourceVisibility(databases, user_id, asset, versions) }
}
