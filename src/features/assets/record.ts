import type { z } from '@hono/zod-openapi'
import type { AssetRow, VersionRow } from './row.ts'
import type { GameAsset, Version } from './schema.ts'

/** An asset as the API shows it (docs/conformance.md#2-records). */
export function assetRecord(asset: AssetRow): z.output<typeof GameAsset> {
  const { id, owner_id, type, name, visibility, current_version, created_at, updated_at } = asset
  // Only its owner can read a blocked asset.
  const blocked = asset.blocked === 1 ? { blocked: true as const } : undefined
  return { id, owner_id, type, name, visibility, current_version, created_at, updated_at, ...blocked }
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
