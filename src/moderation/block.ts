import { type SQL, sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../context.ts'
import { isNotErased } from '../db/marks.ts'
import { ApiError } from '../errors.ts'
import { exists } from '../files/tree/walk.ts'
import type { BlockedThing } from './schema.ts'

/**
 * Blocks an asset: from then on it is there for its owner only (decisions, "For those who run it").
 *
 * @throws ASSET_NOT_FOUND
 */
export async function blockAsset(ctx: RequestContext, id: string, reason?: string | null): Promise<void> {
  const isThere = sql`id = ${id} AND purging = 0 AND ${isNotErased}`
  const {
    blocked: [blocked],
  } = await ctx.db.batch({
    blocked: sql`UPDATE game_assets SET blocked = 1 WHERE ${isThere} RETURNING id`,
    record: recordBlock(ctx, 'assets', sql`SELECT id FROM game_assets WHERE ${isThere}`, reason),
  })
  if (!blocked) throw new ApiError('ASSET_NOT_FOUND')
}

/** Lifts the block of an asset. @throws ASSET_NOT_FOUND */
export async function unblockAsset({ db }: RequestContext, id: string): Promise<void> {
  const [unblocked] = await db.all(
    sql`UPDATE game_assets SET blocked = 0 WHERE id = ${id} AND purging = 0 AND ${isNotErased} RETURNING id`,
  )
  if (!unblocked) throw new ApiError('ASSET_NOT_FOUND')
}

/**
 * Blocks a file, or a folder and with it all that it holds. Its owner sees that it is blocked, so the record has changed
 * when it was not so before.
 *
 * @throws FILE_NOT_FOUND
 */
export async function blockFile(ctx: RequestContext, id: string, reason?: string | null): Promise<void> {
  const isThere = sql`id = ${id} AND ${exists(sql`${id}`)}`
  const {
    blocked: [blocked],
  } = await ctx.db.batch({
    blocked: sql`UPDATE files SET revision = revision + (blocked = 0), blocked = 1 WHERE ${isThere} RETURNING id`,
    record: recordBlock(ctx, 'files', sql`SELECT id FROM files WHERE ${isThere}`, reason),
  })
  if (!blocked) throw new ApiError('FILE_NOT_FOUND')
}

/** Lifts the block of a file or folder. @throws FILE_NOT_FOUND */
export async function unblockFile({ db }: RequestContext, id: string): Promise<void> {
  const [unblocked] = await db.all(
    sql`UPDATE files SET revision = revision + (blocked = 1), blocked = 0
      WHERE id = ${id} AND ${exists(sql`${id}`)} RETURNING id`,
  )
  if (!unblocked) throw new ApiError('FILE_NOT_FOUND')
}

/** The statement that says who blocked the thing and why, in the batch that blocks it; a trigger has made the row. */
function recordBlock(
  ctx: RequestContext,
  kind: BlockedThing['kind'],
  thing: SQL,
  reason: string | null | undefined,
): SQL {
  return sql`INSERT INTO blocks (kind, id, blocked_at, blocked_by, reason)
    SELECT ${kind}, thing.id, ${seconds(ctx)}, ${ctx.user_id}, ${reason ?? null} FROM (${thing}) AS thing WHERE 1
    ON CONFLICT (kind, id) DO UPDATE SET blocked_by = excluded.blocked_by,
      reason = ${reason === undefined ? sql`reason` : sql`excluded.reason`}`
}
