import sql from 'sql-template-tag'
import { isNotErased } from '../db/marks.ts'
import { ApiError } from '../errors.ts'
import { notGone } from '../files/path.ts'
import type { Work } from '../work.ts'

/**
 * Blocks an asset, or lifts the block: a blocked one is there for its owner only (decisions, "For those who run it").
 *
 * @throws ASSET_NOT_FOUND
 */
export async function blockAsset({ db }: Work, id: string, blocked: boolean): Promise<void> {
  const [changed] = await db.all(
    sql`UPDATE game_assets SET blocked = ${Number(blocked)} WHERE id = ${id} AND purging = 0 AND ${isNotErased} RETURNING id`,
  )
  if (!changed) throw new ApiError('ASSET_NOT_FOUND')
}

/**
 * Blocks a file, or a folder and with it all that it holds, or lifts the block. Its owner sees that it is blocked, so
 * the record has changed when it was not so before.
 *
 * @throws FILE_NOT_FOUND
 */
export async function blockFile({ db }: Work, id: string, blocked: boolean): Promise<void> {
  const [changed] = await db.all(
    sql`UPDATE files SET revision = revision + (blocked <> ${Number(blocked)}), blocked = ${Number(blocked)}
      WHERE id = ${id} AND ${notGone(sql`${id}`)} RETURNING id`,
  )
  if (!changed) throw new ApiError('FILE_NOT_FOUND')
}
