import type { Asset } from '../assets/asset.ts'
import { isRating } from '../assets/rating.ts'
import type { FolderId } from '../files/item.ts'
import { record } from '../json.ts'

/**
 * The target of an upload: a new file, the content of a file, the first version of a new asset, the next version of an asset, or
 * content of a version for a platform.
 */
export type Target =
  | { kind: 'file'; folder_id: FolderId }
  | { kind: 'content'; file_id: string }
  | AssetTarget

export type AssetTarget =
  | (Pick<Asset, 'visibility' | 'rating'> & { kind: 'asset'; asset_type: Asset['type'] } & VersionFields)
  | ({ kind: 'version'; asset_id: string; notes?: string } & VersionFields)
  | { kind: 'variant'; asset_id: string; version: number; platform: string }

/** The platform and the builds that a version is for. */
export interface VersionFields {
  platform?: string
  min_build?: number | null
  max_build?: number | null
}

/** Parses a stored target; undefined when the value is none. */
export function parseTarget(value: unknown): Target | undefined {
  const { kind, folder_id, file_id, asset_id, asset_type, visibility, rating, ...rest } = record(value)
  if (kind === 'file' && (folder_id === null || typeof folder_id === 'string')) return { kind, folder_id }
  if (kind === 'content' && typeof file_id === 'string') return { kind, file_id }
  if (kind === 'version' && typeof asset_id === 'string')
    return {
      kind,
      asset_id,
      ...(typeof rest.notes === 'string' && { notes: rest.notes }),
      ...versionFieldsOf(rest),
    }
  if (kind === 'variant' && typeof asset_id === 'string')
    return typeof rest.version === 'number' && typeof rest.platform === 'string'
      ? { kind, asset_id, version: rest.version, platform: rest.platform }
      : undefined
  if (kind !== 'asset' || (visibility !== 'public' && visibility !== 'private')) return undefined
  if (asset_type !== 'world' && asset_type !== 'avatar' && asset_type !== 'prop') return undefined
  const fields = versionFieldsOf(rest)
  return { kind, asset_type, visibility, rating: isRating(rating) ? rating : null, ...fields }
}

function versionFieldsOf({ platform, min_build, max_build }: Record<string, unknown>): VersionFields {
  return {
    ...(typeof platform === 'string' && { platform }),
    ...(typeof min_build === 'number' && { min_build }),
    ...(typeof max_build === 'number' && { max_build }),
  }
}
