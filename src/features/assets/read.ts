import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../../platform/context.ts'
import type { GameAssetType } from '../../platform/db/enumerations.ts'
import { isWholeNumber, type Page, pageOf, positionAt } from '../../platform/db/keyset.ts'
import { assetVersions } from '../../platform/db/schema.ts'
import { columnsOf, type Params, type Prepared, perShape, statement } from '../../platform/db/sql.ts'
import { isNotErased } from '../../platform/db/watermark.ts'
import { ApiError } from '../../platform/errors.ts'
import { contentDisposition } from '../../platform/storage/content-disposition.ts'
import type { SignedUrl } from '../../platform/storage/presign.ts'
import { isFindable, readable, type Viewer } from './access.ts'
import { type AssetRow, assetColumns, type VersionRow } from './row.ts'
import { asOfChannel, asOthersSee, type ChannelRow, ceilingOf, channelOf } from './served.ts'
import { contentFor, variantsOfVersion } from './variants.ts'
import type { ListVersions, UrlQuery, VersionUrl } from './version-schema.ts'

/** The number of versions in the answer about one asset. */
const VERSIONS_SHOWN = 10

interface AssetWithVersions {
  asset: AssetRow
  versions: VersionRow[]
}

/**
 * Reads an asset that the caller may read, with its ten newest versions: with a key, as of its channel.
 *
 * @throws ASSET_NOT_FOUND, CHANNEL_NOT_FOUND
 */
export function readAsset(ctx: RequestContext, id: string, channel_key?: string): Promise<AssetWithVersions> {
  return readWithVersions(ctx, id, { channel_key, limit: VERSIONS_SHOWN })
}

/**
 * Reads a public asset of the given type as others than its owner see it, with the latest version that they get, if there is one.
 *
 * @throws ASSET_NOT_FOUND
 */
export async function readPublicAsset(
  ctx: RequestContext,
  type: GameAssetType,
  id: string,
): Promise<AssetWithVersions> {
  const db = ctx.databases.of(id)
  db.usePrimary()
  const [found] = await db.read(selected(ctx, id, { limit: 1, sees_all: null }))
  const asset = readable(found, ctx)
  if (!found || asset?.is_listed !== 1 || asset.type !== type) throw new ApiError('ASSET_NOT_FOUND')
  return { asset: asOthersSee(asset), versions: await withSourceVisibility(ctx, asset, versionsIn(found)) }
}

/**
 * Lists the versions of an asset that the caller may read, newest first: with a key, up to that of its channel.
 *
 * @throws ASSET_NOT_FOUND, CHANNEL_NOT_FOUND, INVALID_CURSOR
 */
export async function listVersions(
  ctx: RequestContext,
  id: string,
  { limit, cursor, channel_key }: ListVersions,
): Promise<Page<VersionRow>> {
  // Without the key, which is a secret, and whose versions every page compares again.
  const list = ['versions', id, ...(channel_key === undefined ? [] : ['of a channel'])]
  const after = positionAt(cursor, list, isWholeNumber)
  const { versions } = await readWithVersions(ctx, id, { channel_key, before: after?.key, limit: limit + 1 })
  return pageOf(list, versions, limit, (last) => last.version)
}

/**
 * Reads one version of an asset that the caller may read: with a key, none above that of its channel.
 *
 * @throws ASSET_NOT_FOUND, CHANNEL_NOT_FOUND, VERSION_NOT_FOUND
 */
export async function readVersion(
  ctx: RequestContext,
  id: string,
  number: number,
  channel_key?: string,
): Promise<{ asset: AssetRow; version: VersionRow }> {
  const { asset, versions } = await readWithVersions(ctx, id, { channel_key, version: number, limit: 1 })
  const [version] = versions
  if (!version) throw new ApiError('VERSION_NOT_FOUND')
  return { asset, version }
}

/**
 * SQL: the columns of a VersionRow for any user, inside a SELECT from `game_assets` of their asset. The source of a branch is visible to
 * the branch's owner, and to users who may find the source and name the version. Only a branch's first version costs the look-up. A source
 * in another database counts as hidden; `withSourceVisibility` asks that database.
 */
function versionColumnsFor(viewer: Params<Viewer>): SQL {
  const isSourceFindable = sql`SELECT 1 FROM game_assets AS source WHERE source.id = asset_versions.branched_from_asset_id
    AND ${isFindable(viewer)} AND ${isNamable(viewer, sql`asset_versions.branched_from_version`)}`
  return sql`${columnsOf(assetVersions)}, ${variantsOfVersion} AS variants,
    branched_from_asset_id IS NULL OR game_assets.owner_id = ${viewer.user_id} OR EXISTS (${isSourceFindable}) AS is_source_visible`
}

/** SQL: whether the viewer may name a version of a row of `game_assets` without a key. */
function isNamable({ user_id }: Params<Viewer>, version: SQL): SQL {
  return sql`(owner_id = ${user_id} OR ${version} <= served_version)`
}

/** An asset, deleted or not, unless it is erased, with the channel that a key names, and with versions up to that of the channel. */
interface FoundAsset extends AssetRow, ChannelRow {
  /** A JSON list of VersionRows without `asset_id`. */
  versions: string
}

/** Which versions a statement reads: those below a number, one of them, or all. */
type Which = 'all' | 'before' | 'one'

type FoundParams = 'id' | Viewer | 'sees_all' | 'channel_key' | 'version' | 'limit'

const { asset_id: _, ...versionColumns } = getTableColumns(assetVersions)
const versionMembers = sql.raw(
  [...Object.keys(versionColumns), 'variants', 'is_source_visible']
    .map((name) => `'${name}', ${name}`)
    .join(', '),
)

/**
 * The statement that reads an asset with versions, newest first. One SELECT, because the versions that the viewer may see depend on the
 * asset. `sees_all`: the user who sees more of the asset than others, when it is the user's own.
 */
const assetWithVersions = perShape((which: Which) =>
  statement((p: Params<FoundParams>) => {
    const ceiling = ceilingOf({ channel_key: p.channel_key, user_id: p.sees_all }, sql`channel_version`)
    // One bound, because an index serves one. NULL for 0: a search that is sure to find nothing reads no row.
    const last = which === 'before' ? sql`min(${ceiling}, ${p.version} - 1)` : ceiling
    const isOne = which === 'one' ? sql`AND version = ${p.version}` : sql.empty()
    return sql<FoundAsset>`SELECT ${assetColumns}, channel_version, channel_updated_at, (
        SELECT json_group_array(json_object(${versionMembers})) FROM (
          SELECT ${versionColumnsFor(p)} FROM asset_versions
          WHERE asset_id = game_assets.id AND version <= nullif(${last}, 0) ${isOne}
          ORDER BY version DESC LIMIT ${p.limit}
        )
      ) AS versions
      FROM game_assets LEFT JOIN ${channelOf(p)} ON true WHERE id = ${p.id} AND ${isNotErased}`
  }),
)

/** What is read of an asset's versions. */
interface Selection {
  channel_key?: string | undefined
  /** Only this version. */
  version?: number
  /** Only those with lower numbers. */
  before?: number | undefined
  limit: number
  sees_all?: string | null
}

function selected(
  ctx: RequestContext,
  id: string,
  { channel_key = undefined, version, before, limit, sees_all = ctx.user_id }: Selection,
): Prepared<FoundAsset> {
  const { user_id, hidden_ratings } = ctx
  const which = version !== undefined ? 'one' : before !== undefined ? 'before' : 'all'
  return assetWithVersions(which)({
    id,
    user_id,
    hidden_ratings,
    sees_all,
    channel_key: channel_key ?? null,
    version: version ?? before ?? null,
    limit,
  })
}

/** The versions of an asset that was read with them. */
function versionsIn({ id: asset_id, versions }: FoundAsset): VersionRow[] {
  const rows: Omit<VersionRow, 'asset_id'>[] = JSON.parse(versions)
  return rows.map((row) => ({ ...row, asset_id }))
}

/**
 * Reads an asset as the caller sees it, with versions, in one trip: with a key, as of its channel. A replica may answer for the caller's
 * own asset. For another user's branch, a second trip asks the database of a source in another partition whether the caller may find the
 * source.
 *
 * @throws ASSET_NOT_FOUND, CHANNEL_NOT_FOUND
 */
async function readWithVersions(
  ctx: RequestContext,
  id: string,
  selection: Selection,
): Promise<AssetWithVersions> {
  const db = ctx.databases.of(id)
  const [found] = await db.readOwnFromReplica(
    () => db.read(selected(ctx, id, selection)),
    ([asset]) => asset?.owner_id === ctx.user_id,
  )
  const asset = readable(found, ctx)
  if (!found || !asset) throw new ApiError('ASSET_NOT_FOUND')
  const versions = await withSourceVisibility(ctx, asset, versionsIn(found))
  if (selection.channel_key === undefined) return { asset, versions }
  const { channel_version, channel_updated_at } = found
  if (channel_version === null || channel_updated_at === null) throw new ApiError('CHANNEL_NOT_FOUND')
  return { asset: asOfChannel(asset, { channel_version, channel_updated_at }), versions }
}

const findable = statement(
  (p: Params<'id' | 'version' | Viewer>) =>
    sql<
      Pick<AssetRow, 'id'>
    >`SELECT id FROM game_assets WHERE id = ${p.id} AND ${isFindable(p)} AND ${isNamable(p, p.version)}`,
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
  const { databases, user_id, hidden_ratings } = ctx
  const { branched_from_asset_id: id, branched_from_version: version } = versions.at(-1) ?? {}
  if (!id || !version || asset.owner_id === user_id || databases.areTogether(id, asset.id)) return versions
  const source = databases.of(id)
  source.usePrimary()
  const [found] = await source.read(findable({ id, version, user_id, hidden_ratings }))
  const is_source_visible = found ? 1 : 0
  return versions.map((version) =>
    version.branched_from_asset_id === null ? version : { ...version, is_source_visible },
  )
}

/**
 * Signs a URL to download a version's content, its own or that for a platform, under the asset's name. The URL is valid for
 * DOWNLOAD_URL_TTL. With a key, no version is above that of its channel.
 *
 * @throws ASSET_NOT_FOUND, CHANNEL_NOT_FOUND, VERSION_NOT_FOUND, VARIANT_NOT_FOUND
 */
export async function versionUrl(
  ctx: RequestContext,
  id: string,
  number: number,
  { platform, channel_key }: UrlQuery = {},
): Promise<VersionUrl> {
  const { asset, version } = await readVersion(ctx, id, number, channel_key)
  const content = contentFor(version, platform)
  if (!content) throw new ApiError('VARIANT_NOT_FOUND')
  const { size_bytes, checksum_sha256 } = content
  const of = { version: number, platform: content.platform, size_bytes, checksum_sha256 }
  return { ...(await signedUrl(ctx, asset.name, content)), ...of }
}

/** Signs a URL to download a version's content under the asset's name. */
export function signedUrl(
  ctx: RequestContext,
  name: string,
  { object_key, mime_type }: Pick<VersionRow, 'object_key' | 'mime_type'>,
): Promise<SignedUrl> {
  const disposition = contentDisposition(name, mime_type)
  return ctx.sign.download(object_key, disposition, seconds(ctx), ctx.config.DOWNLOAD_URL_TTL)
}
