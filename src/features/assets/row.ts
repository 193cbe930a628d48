import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import { isNotErased } from '../../platform/db/marks.ts'
import { assetVersions, gameAssets } from '../../platform/db/schema.ts'
import { columnsOf, type RowOf } from '../../platform/db/sql.ts'

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
  ...columns
} = getTableColumns(gameAssets)
const { description, metadata, ...summary } = columns

/** The columns of `game_assets` that rules and records use. */
export interface AssetRow extends RowOf<typeof columns> {}

/** SQL: the columns of an AssetRow. */
export const assetColumns = columnsOf(columns)

/** An AssetRow without what lists leave out, which may be long: a page of lists reads as little as before. */
export interface AssetSummaryRow extends RowOf<typeof summary> {}

/** SQL: the columns of an AssetSummaryRow. */
export const summaryColumns = columnsOf(summary)

/** The columns of an asset that decide its `preview_url`. */
export type Previewed = Pick<
  AssetSummaryRow,
  'id' | 'owner_id' | 'preview_key' | 'is_listed' | 'blocked' | 'deleted_at'
>

/** The URLs of the previews in one answer, which its records ask for (preview-url.ts). */
export interface PreviewUrls {
  /** The `preview_url` of an asset; null without a preview that is shown. */
  urlOf: (asset: Previewed) => string | null
}

/** The statement that reads an asset, deleted or not, unless it is erased. The caller decides who may read it. */
export function assetWithId(id: string | SQL): SQL<AssetRow> {
  return sql`SELECT ${assetColumns} FROM game_assets WHERE id = ${id} AND ${isNotErased}`
}

/** SQL: how many versions an asset has. Numbers of deleted versions are not used again. */
export const versionCount = sql`current_version - deleted_versions`

type StoredVersion = typeof assetVersions.$inferSelect

/** A row of `asset_versions` as a user may see it. */
export interface VersionRow extends StoredVersion {
  /** Whether the user may see the asset and the version that this version was branched from. */
  is_source_visible: 0 | 1
}

/** SQL: the columns of a VersionRow for the asset's owner. */
export const versionColumns = sql`${columnsOf(assetVersions)}, 1 AS is_source_visible`

/** The statement that reads one version of an asset. The caller decides who may read it. */
export function versionOf(asset_id: string, version: number, columns = versionColumns): SQL<VersionRow> {
  return sql`SELECT ${columns} FROM asset_versions WHERE asset_id = ${asset_id} AND version = ${version}`
}
