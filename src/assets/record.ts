import type { z } from '@hono/zod-openapi'
import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import { isNotErased } from '../db/marks.ts'
import { gameAssets } from '../db/schema.ts'
import { columnsOf, type RowOf } from '../db/sql.ts'
import type { GameAsset } from './schema.ts'

const { number, search_name, branched_from_asset_id, ...columns } = getTableColumns(gameAssets)

/** A row of `game_assets`, as far as rules and answers look at it. */
export interface AssetRow extends RowOf<typeof columns> {}

/** SQL: the columns of an AssetRow. */
export const assetColumns = columnsOf(columns)

/** The statement that reads an asset, whoever may see it. */
export function assetWithId(id: string | SQL): SQL<AssetRow> {
  return sql`SELECT ${assetColumns} FROM game_assets WHERE id = ${id} AND ${isNotErased}`
}

/** SQL: whether a row of `game_assets` is the user's and not deleted. To be repeated by each statement that changes it. */
export function isOwnAsset(id: string, user_id: string): SQL {
  return sql`id = ${id} AND owner_id = ${user_id} AND deleted_at IS NULL AND ${isNotErased}`
}

/** The statement that reads an asset of the user's that is not deleted. */
export function ownAsset(id: string, user_id: string): SQL<AssetRow> {
  return sql`SELECT ${assetColumns} FROM game_assets WHERE ${isOwnAsset(id, user_id)}`
}

/** SQL: whether a row of `game_assets` may be read by the user: their own, or one that others may see. */
export function isReadable(user_id: string): SQL {
  return sql`deleted_at IS NULL AND (owner_id = ${user_id} OR is_listed = 1) AND ${isNotErased}`
}

/** The same of a row that has been read; undefined when for this user there is no such asset. */
export function readable(asset: AssetRow | undefined, user_id: string): AssetRow | undefined {
  const isThere = asset?.deleted_at === null && (asset.owner_id === user_id || asset.is_listed === 1)
  return isThere ? asset : undefined
}

/** An asset as the API shows it (specification §2.6). Only owners ever get to see a blocked one. */
export function assetRecord(asset: AssetRow): z.output<typeof GameAsset> {
  const { id, owner_id, type, name, visibility, current_version, created_at, updated_at } = asset
  const blocked = asset.blocked === 1 ? { blocked: true as const } : undefined
  return { id, owner_id, type, name, visibility, current_version, created_at, updated_at, ...blocked }
}
