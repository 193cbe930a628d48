import type { z } from '@hono/zod-openapi'
import type { AssetRow, AssetSummaryRow, PreviewUrls, VersionRow } from './row.ts'
import type { GameAsset, GameAssetSummary, Version } from './schema.ts'

/** The columns of a row that lists show: of an asset, or of its entry in the catalogue. */
type SummarizedRow = Omit<AssetSummaryRow, 'purging' | 'revision' | 'deleted_versions'>

/** An asset as lists show it (docs/conformance.md#2-records). */
export function assetSummary(asset: SummarizedRow, previews: PreviewUrls): z.output<typeof GameAssetSummary> {
  const { id, owner_id, type, name, visibility, current_version } = asset
  const { favorites, published_at, created_at, updated_at } = asset
  const preview_url = previews.urlOf(asset)
  return {
    id,
    owner_id,
    type,
    name,
    tags: JSON.parse(asset.tags),
    visibility,
    listed: asset.listed === 1,
    preview_url,
    preview_width: preview_url === null ? null : asset.preview_width,
    preview_height: preview_url === null ? null : asset.preview_height,
    current_version,
    favorites,
    published_at,
    created_at,
    updated_at,
    // Only its owner can read a blocked asset.
    ...(asset.blocked === 1 && { blocked: true as const }),
  }
}

/** An asset as the API shows it (docs/conformance.md#2-records). */
export function assetRecord(asset: AssetRow, previews: PreviewUrls): z.output<typeof GameAsset> {
  const { description, metadata } = asset
  return { ...assetSummary(asset, previews), description, metadata: JSON.parse(metadata) }
}

/** A version as the API shows it (docs/conformance.md#2-records). */
export function versionRecord(version: VersionRow): z.output<typeof Version> {
  const { id, asset_id, size_bytes, checksum_sha256, notes, created_at, is_source_visible } = version
  return {
    id,
    asset_id,
    version: version.version,
    size_bytes,
    checksum_sha256,
    notes,
    created_at,
    branched_from_asset_id: is_source_visible ? version.branched_from_asset_id : null,
    branched_from_version: is_source_visible ? version.branched_from_version : null,
  }
}
