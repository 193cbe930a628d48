import { getTableColumns, sql } from 'drizzle-orm'
import { isNotErased } from '../../platform/db/marks.ts'
import { gameAssets } from '../../platform/db/schema.ts'
import { columnsOf, type RowOf } from '../../platform/db/sql.ts'

const asset = getTableColumns(gameAssets)

/** What an entry has of its asset, as one read of the asset's database answers it. */
const columns = {
  id: asset.id,
  revision: asset.revision,
  recounts: asset.recounts,
  owner_id: asset.owner_id,
  type: asset.type,
  name: asset.name,
  search_name: asset.search_name,
  tags: asset.tags,
  preview_key: asset.preview_key,
  preview_width: asset.preview_width,
  preview_height: asset.preview_height,
  current_version: asset.current_version,
  created_at: asset.created_at,
  published_at: asset.published_at,
  updated_at: asset.updated_at,
  favorites: asset.favorites,
}

/** The state of an asset: what its entry has. */
export interface AssetState extends RowOf<typeof columns> {
  /** 0: the asset is not in the catalogue. */
  is_shown: 0 | 1
}

/** SQL: the columns of an AssetState of a row of `game_assets`. */
export const stateColumns = sql`${columnsOf(columns)}, is_in_catalogue = 1 AND ${isNotErased} AS is_shown`

/** The revision of an asset that is purged. No state is newer: its id never comes back. */
export const LAST_REVISION = Number.MAX_SAFE_INTEGER

/** The state of an asset that is purged. */
export function absentState(asset_id: string): AssetState {
  return {
    id: asset_id,
    revision: LAST_REVISION,
    recounts: 0,
    owner_id: '',
    type: 'prop',
    name: '',
    search_name: '',
    tags: '[]',
    preview_key: null,
    preview_width: null,
    preview_height: null,
    current_version: 0,
    created_at: 0,
    published_at: null,
    updated_at: 0,
    favorites: 0,
    is_shown: 0,
  }
}

/** The names of the columns of an AssetState. */
export const stateNames = [...Object.keys(columns), 'is_shown']
