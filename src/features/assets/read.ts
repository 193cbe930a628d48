import { type SQL, sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../../platform/context.ts'
import type { GameAssetType } from '../../platform/db/enumerations.ts'
import { isId } from '../../platform/db/id.ts'
import { isWholeNumber, type Page, type PageRequest, pageOf, positionAt } from '../../platform/db/keyset.ts'
import { assetVersions } from '../../platform/db/schema.ts'
import { columnsOf, type Params, type Prepared, perShape, statement } from '../../platform/db/sql.ts'
import { erasedUntil } from '../../platform/db/watermark.ts'
import { ApiError } from '../../platform/errors.ts'
import { readByIds } from '../../platform/shards/homes.ts'
import { contentDisposition } from '../../platform/storage/content-disposition.ts'
import type { SignedUrl } from '../../platform/storage/presign.ts'
import { isFindable, readable, type Viewer } from './access.ts'
import { type AssetRow, assetWithId, type VersionRow } from './row.ts'
import { variantsOf, variantsOfVersion } from './variants.ts'
import type { UrlOfAsset, VersionUrl, WantedUrl } from './version-schema.ts'

/** The number of versions in the answer about one asset. */
const VERSIONS_SHOWN = 10

interface AssetWithVersions {
  asset: AssetRow
  versions: VersionRow[]
}

/** Reads an asset that the caller may read, with its ten newest versions. @throws ASSET_NOT_FOUND */
export function readAsset(ctx: RequestContext, id: string): Promise<AssetWithVersions> {
  return readWithVersions(ctx, id, newestVersions(id, ctx, VERSIONS_SHOWN))
}

/** Reads a public asset of the given type, with its latest version, if it has one. @throws ASSET_NOT_FOUND */
export async function readPublicAsset(
  ctx: RequestContext,
  type: GameAssetType,
  id: string,
): Promise<AssetWithVersions> {
  const db = ctx.databases.of(id)
  db.usePrimary()
  const {
    assets: [asset],
    versions,
  } = await db.read({
    assets: assetWithId({ id }),
    versions: newestVersions(id, ctx, 1),
  })
  const found = readable(asset, ctx)
  if (found?.is_listed !== 1 || found.type !== type) throw new ApiError('ASSET_NOT_FOUND')
  return { asset: found, versions: await withSourceVisibility(ctx, found, versions) }
}

/** Lists the versions of an asset that the caller may read, newest first. @throws ASSET_NOT_FOUND, INVALID_CURSOR */
export async function listVersions(
  ctx: RequestContext,
  id: string,
  { limit, cursor }: PageRequest,
): Promise<Page<VersionRow>> {
  const list = ['versions', id]
  const after = positionAt(cursor, list, isWholeNumber)
  const page = newestVersions(id, ctx, limit + 1, after?.key)
  const { versions } = await readWithVersions(ctx, id, page)
  return pageOf(list, versions, limit, (last) => last.version)
}

const oneVersion = statement(
  (p: Params<'asset_id' | 'version' | Viewer>) =>
    sql<VersionRow>`SELECT ${versionColumnsFor(p)} FROM asset_versions
      WHERE asset_id = ${p.asset_id} AND version = ${p.version}`,
)

/** Reads one version of an asset that the caller may read. @throws ASSET_NOT_FOUND, VERSION_NOT_FOUND */
export async function readVersion(
  ctx: RequestContext,
  id: string,
  number: number,
): Promise<{ asset: AssetRow; version: VersionRow }> {
  const wanted = oneVersion({ asset_id: id, version: number, ...viewerOf(ctx) })
  const { asset, versions } = await readWithVersions(ctx, id, wanted)
  const [version] = versions
  if (!version) throw new ApiError('VERSION_NOT_FOUND')
  return { asset, version }
}

/**
 * SQL: the columns of a VersionRow for any user. The source of a branch is visible to the branch's owner, and to users
 * who may find the source. Only a branch's first version costs the two look-ups. A source in another database counts as
 * hidden; `withSourceVisibility` asks that database.
 */
function versionColumnsFor(viewer: Params<Viewer>): SQL {
  const isOwn = sql`SELECT 1 FROM game_assets AS branch
    WHERE branch.id = asset_versions.asset_id AND branch.owner_id = ${viewer.user_id}`
  const isSourceFindable = sql`SELECT 1 FROM game_assets AS source
    WHERE source.id = asset_versions.branched_from_asset_id AND ${isFindable(viewer)}`
  return sql`${columnsOf(assetVersions)}, ${variantsOfVersion} AS variants,
    branched_from_asset_id IS NULL OR EXISTS (${isOwn}) OR EXISTS (${isSourceFindable}) AS is_source_visible`
}

const newest = perShape((isFirst: boolean) =>
  statement(
    (p: Params<'asset_id' | Viewer | 'before' | 'limit'>) =>
      sql<VersionRow>`SELECT ${versionColumnsFor(p)} FROM asset_versions
        WHERE asset_id = ${p.asset_id} ${isFirst ? sql.empty() : sql`AND version < ${p.before}`}
        ORDER BY version DESC LIMIT ${p.limit}`,
  ),
)

/** The statement that reads up to `limit` of an asset's versions, newest first: those with numbers below `before`, if it is given. */
function newestVersions(asset_id: string, ctx: RequestContext, limit: number, before: number | null = null) {
  return newest(before === null)({ asset_id, ...viewerOf(ctx), before, limit })
}

/** The values of a Viewer. */
function viewerOf({ user_id, hidden_ratings }: RequestContext) {
  return { user_id, hidden_ratings }
}

/**
 * Reads an asset that the caller may read, with the versions that a statement selects, in one trip. A replica may answer
 * for the caller's own asset. For another user's branch, a second trip asks the database of a source in another partition
 * whether the caller may find the source.
 *
 * @throws ASSET_NOT_FOUND
 */
async function readWithVersions(
  ctx: RequestContext,
  id: string,
  versions: Prepared<VersionRow>,
): Promise<AssetWithVersions> {
  const db = ctx.databases.of(id)
  const found = await db.readOwnFromReplica(
    () => db.read({ assets: assetWithId({ id }), versions }),
    ({ assets: [asset] }) => asset?.owner_id === ctx.user_id,
  )
  const asset = readable(found.assets[0], ctx)
  if (!asset) throw new ApiError('ASSET_NOT_FOUND')
  return { asset, versions: await withSourceVisibility(ctx, asset, found.versions) }
}

const findable = statement(
  (p: Params<'id' | Viewer>) =>
    sql<Pick<AssetRow, 'id'>>`SELECT id FROM game_assets WHERE id = ${p.id} AND ${isFindable(p)}`,
)

/**
 * The versions with the `is_source_visible` that the source's database decides. The owner of a branch always sees the
 * source; for a source in the branch's database, `versionColumnsFor` has decided.
 */
async function withSourceVisibility(
  ctx: RequestContext,
  asset: AssetRow,
  versions: VersionRow[],
): Promise<VersionRow[]> {
  const { databases, user_id } = ctx
  const source_id = versions.at(-1)?.branched_from_asset_id
  if (!source_id || asset.owner_id === user_id || databases.areTogether(source_id, asset.id)) return versions
  const source = databases.of(source_id)
  source.usePrimary()
  const [found] = await source.read(findable({ id: source_id, ...viewerOf(ctx) }))
  const is_source_visible = found ? 1 : 0
  return versions.map((version) =>
    version.branched_from_asset_id === null ? version : { ...version, is_source_visible },
  )
}

/**
 * Signs a URL to download a version's content, its own or that for a platform, under the asset's name. The URL is valid for
 * DOWNLOAD_URL_TTL.
 *
 * @throws ASSET_NOT_FOUND, VERSION_NOT_FOUND, VARIANT_NOT_FOUND
 */
export async function versionUrl(
  ctx: RequestContext,
  id: string,
  number: number,
  platform?: string,
): Promise<VersionUrl> {
  const { asset, version } = await readVersion(ctx, id, number)
  const content = contentFor(version, platform)
  if (!content) throw new ApiError('VARIANT_NOT_FOUND')
  const { size_bytes, checksum_sha256 } = content
  const of = { version: number, platform: content.platform, size_bytes, checksum_sha256 }
  return { ...(await signedUrl(ctx, asset.name, content)), ...of }
}

/** The content of a version for a platform: its variant, or its own if that is for all or for this platform. Its own without a platform. */
function contentFor(version: VersionRow, platform: string | undefined) {
  if (platform === undefined) return version
  const variant = variantsOf(version).find((one) => one.platform === platform)
  return variant ?? (version.platform === null || version.platform === platform ? version : undefined)
}

/** Signs a URL to download a version's content under the asset's name. */
function signedUrl(
  ctx: RequestContext,
  name: string,
  { object_key, mime_type }: Pick<VersionRow, 'object_key' | 'mime_type'>,
): Promise<SignedUrl> {
  const disposition = contentDisposition(name, mime_type)
  return ctx.sign.download(object_key, disposition, seconds(ctx), ctx.config.DOWNLOAD_URL_TTL)
}

/** The asset of an item of `versionUrls`, and the content of its version: nulls when the asset has no such version. */
interface AssetWithContent
  extends Pick<
    AssetRow,
    'id' | 'owner_id' | 'name' | 'deleted_at' | 'is_listed' | 'rating' | 'current_version'
  > {
  item_index: number
  object_key: VersionRow['object_key'] | null
  mime_type: VersionRow['mime_type'] | null
}

/** `wanted`: a JSON list of index, id and version, or null. Reads assets, deleted or not, unless they are erased. */
const contentOf = statement(
  (
    p: Params<'wanted'>,
  ) => sql<AssetWithContent>`SELECT wanted.value ->> 0 AS item_index, asset.id, asset.owner_id, asset.name, asset.deleted_at,
      asset.is_listed, asset.rating, asset.current_version, chosen.object_key, chosen.mime_type
    FROM json_each(${p.wanted}) AS wanted CROSS JOIN game_assets AS asset ON asset.id = wanted.value ->> 1
    LEFT JOIN asset_versions AS chosen ON chosen.asset_id = asset.id
      AND chosen.version = coalesce(wanted.value ->> 2, asset.current_version)
    WHERE asset.created_at > ${erasedUntil(sql`asset.owner_id`)}`,
)

/**
 * Signs URLs to download versions of assets, in the order of `items`: for each, the URL or the code of the error that
 * `versionUrl` throws. Without a version, the asset's current one. From the primaries: what an owner has just made private has
 * no URL for others.
 *
 * @throws UNAVAILABLE, also when one of several databases does not answer
 */
export async function versionUrls(ctx: RequestContext, items: readonly WantedUrl[]): Promise<UrlOfAsset[]> {
  const wanted = items
    .map(({ asset_id, version }, index) => ({ index, id: asset_id, version }))
    .filter(({ id }) => isId(id))
  const rows = await readByIds(ctx.databases, wanted, (some) =>
    contentOf({ wanted: JSON.stringify(some.map(({ index, id, version }) => [index, id, version])) }),
  )
  const byIndex = new Map(rows.map((row) => [row.item_index, row]))
  return Promise.all(
    items.map(async ({ asset_id, version: named }, index) => {
      const asset = readable(byIndex.get(index), ctx)
      if (!asset) return { asset_id, version: named, code: 'ASSET_NOT_FOUND' }
      const { object_key, mime_type, name, current_version } = asset
      const version = named ?? current_version
      if (object_key === null || mime_type === null) return { asset_id, version, code: 'VERSION_NOT_FOUND' }
      return { asset_id, version, ...(await signedUrl(ctx, name, { object_key, mime_type })) }
    }),
  )
}
