import type { z } from '@hono/zod-openapi'
import { getTableColumns, sql } from 'drizzle-orm'
import type { Config } from '../../platform/config/variables.ts'
import { assetVersions, gameAssets } from '../../platform/db/schema.ts'
import { type Bindable, columnsOf, type Params, type RowOf, statement } from '../../platform/db/sql.ts'
import { isNotErased } from '../../platform/db/watermark.ts'
import { type ApiError, limitReached } from '../../platform/errors.ts'
import type { AssetPage, GameAsset, GameAssetSummary } from './schema.ts'
import { variantsOf, variantsOfVersion } from './variants.ts'
import type { Version } from './version-schema.ts'

const {
  search_name,
  branched_from_asset_id,
  kept_until,
  public_since,
  private_since,
  preview_type,
  preview_bytes,
  recounts,
  is_in_catalogue,
  unlisted,
  rating_locked,
  live_version,
  released_version,
  ...columns
} = getTableColumns(gameAssets)
const { description, metadata, ...summary } = columns

/** The columns of `game_assets` that rules and records use. */
export interface AssetRow extends RowOf<typeof columns> {}

/** SQL: the columns of an AssetRow. */
export const assetColumns = columnsOf(columns)

/** An AssetRow without the columns that lists leave out because they may be long. */
export interface AssetSummaryRow extends RowOf<typeof summary> {}

/** SQL: the columns of an AssetSummaryRow. */
export const summaryColumns = columnsOf(summary)

/** The columns of an asset that decide its `preview_url`. */
export type Previewed = Pick<
  AssetSummaryRow,
  'id' | 'owner_id' | 'preview_key' | 'is_listed' | 'blocked' | 'deleted_at'
>

/** The URLs of the previews in one answer (preview-url.ts). */
export interface PreviewUrls {
  /** The `preview_url` of an asset; null without a preview that is shown. */
  urlOf: (asset: Previewed) => string | null
}

/** The statement that reads an asset, deleted or not, unless it is erased. The caller decides who may read it. */
export const assetWithId = statement(
  (p: Params<'id'>) =>
    sql<AssetRow>`SELECT ${assetColumns} FROM game_assets WHERE id = ${p.id} AND ${isNotErased}`,
)

/** SQL: how many versions an asset has. Numbers of deleted versions are not used again. */
export const versionCount = sql`current_version - deleted_versions`

/** LIMIT_REACHED when an asset has as many versions as it may. */
export function versionLimitError(
  { current_version, deleted_versions }: AssetRow,
  { MAX_VERSIONS_PER_ASSET: limit }: Pick<Config, 'MAX_VERSIONS_PER_ASSET'>,
): ApiError | undefined {
  return current_version - deleted_versions < limit ? undefined : limitReached('versions')
}

type StoredVersion = typeof assetVersions.$inferSelect

/** A row of `asset_versions` as a user may see it. */
export interface VersionRow extends StoredVersion {
  /** Its variants, as a JSON array (`variantsOf`). */
  variants: string
  /** Whether the user may see the asset and the version that this version was branched from. */
  is_source_visible: 0 | 1
}

/** SQL: the columns of a VersionRow for the asset's owner. */
export const versionColumns = sql`${columnsOf(assetVersions)}, ${variantsOfVersion} AS variants, 1 AS is_source_visible`

/** The statement that reads one version of an asset. The caller decides who may read it. */
export const versionOf = statement(
  (p: Params<'asset_id' | 'version'>) =>
    sql<VersionRow>`SELECT ${versionColumns} FROM asset_versions WHERE asset_id = ${p.asset_id} AND version = ${p.version}`,
)

const pageDefaults = {
  description: gameAssets.description.default,
  tags: gameAssets.tags.default,
  metadata: gameAssets.metadata.default,
  listed: gameAssets.listed.default,
}

type PageColumn = keyof typeof pageDefaults | 'rating'

/** The columns of an asset's page, as values of parameters. A member that is left out is null. */
export function pageColumns({ description, tags, metadata, listed, rating }: AssetPage) {
  return {
    description: description ?? null,
    tags: tags ? JSON.stringify(tags) : null,
    metadata: metadata ? JSON.stringify(metadata) : null,
    listed: listed === undefined ? null : Number(listed),
    rating: rating ?? null,
  } satisfies Record<PageColumn, Bindable>
}

/** SQL: the columns of a new asset's page, from `pageColumns`. A member that is left out gets its default. */
export function newPage(p: Params<PageColumn>) {
  const orDefault = (name: keyof typeof pageDefaults) => sql`coalesce(${p[name]}, ${pageDefaults[name]})`
  return {
    description: orDefault('description'),
    tags: orDefault('tags'),
    metadata: orDefault('metadata'),
    listed: orDefault('listed'),
    rating: p.rating,
  }
}

/** The columns of a row that lists show: of an asset, or of its entry in the catalogue. */
type SummarizedRow = Omit<
  AssetSummaryRow,
  'purging' | 'revision' | 'deleted_versions' | 'served_version' | 'unseen_changes'
>

/** An asset as lists show it (docs/conformance.md#game-assets). */
export function assetSummary(asset: SummarizedRow, previews: PreviewUrls): z.output<typeof GameAssetSummary> {
  const { id, owner_id, type, name, visibility, current_version } = asset
  const { rating, favorites, published_at, created_at, updated_at, unseen_updated_at } = asset
  const preview_url = previews.urlOf(asset)
  return {
    id,
    owner_id,
    type,
    name,
    tags: JSON.parse(asset.tags),
    visibility,
    listed: asset.listed === 1,
    rating,
    preview_url,
    preview_width: preview_url === null ? null : asset.preview_width,
    preview_height: preview_url === null ? null : asset.preview_height,
    current_version,
    favorites,
    published_at,
    created_at,
    updated_at: Math.max(updated_at, unseen_updated_at ?? 0),
    // Only its owner can read a blocked asset.
    ...(asset.blocked === 1 && { blocked: true as const }),
  }
}

/** An asset as the API shows it (docs/conformance.md#game-assets). */
export function assetRecord(asset: AssetRow, previews: PreviewUrls): z.output<typeof GameAsset> {
  const { description, metadata } = asset
  return { ...assetSummary(asset, previews), description, metadata: JSON.parse(metadata) }
}

/** A version as the API shows it (docs/conformance.md#game-assets). */
export function versionRecord(version: VersionRow): z.output<typeof Version> {
  const { id, asset_id, size_bytes, checksum_sha256, notes, created_at, is_source_visible } = version
  const { min_build, max_build } = version
  return {
    id,
    asset_id,
    version: version.version,
    size_bytes,
    checksum_sha256,
    notes,
    min_build,
    max_build,
    created_at,
    branched_from_asset_id: is_source_visible ? version.branched_from_asset_id : null,
    branched_from_version: is_source_visible ? version.branched_from_version : null,
    platform: version.platform,
    variants: variantsOf(version).map(({ platform, size_bytes, checksum_sha256, created_at }) => ({
      platform,
      size_bytes,
      checksum_sha256,
      created_at,
    })),
  }
}
