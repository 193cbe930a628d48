import { type SQL, sql } from 'drizzle-orm'
import { assetPublished } from '../../features/assets/events.ts'
import { markShown, writeAsset } from '../../features/catalogue/write.ts'
import { exists } from '../../features/files/tree/lifecycle.ts'
import { type RequestContext, seconds } from '../../platform/context.ts'
import { isNotErased } from '../../platform/db/marks.ts'
import { blocks } from '../../platform/db/schema.ts'
import { insert, type Params } from '../../platform/db/sql.ts'
import { ApiError } from '../../platform/errors.ts'
import { type EventWriter, eventWriter } from '../../platform/events/record.ts'

/** The event of a new block, before the statement that blocks. `item` (SQL) is a table and a WHERE clause. */
function contentBlocked(
  kind: (typeof blocks.$inferSelect)['kind'],
  item: (id: SQL) => SQL,
): EventWriter<'id' | 'user_id'> {
  return eventWriter('content.blocked', (p: Params<'id' | 'user_id'>) => ({
    resource_id: sql`id`,
    data: { kind, id: sql`id`, owner_id: sql`owner_id`, blocked_by: p.user_id },
    from: sql`FROM ${item(p.id)} AND blocked = 0`,
  }))
}

const assetBlocked = contentBlocked('assets', (id) => sql`game_assets WHERE ${isPresentAsset(id)}`)
const fileBlocked = contentBlocked('files', (id) => sql`files WHERE ${isPresentFile(id)}`)

/**
 * Blocks an asset, so that only its owner can see it (docs/conformance.md#for-those-who-run-it). A new block changes the
 * asset's revision, because the owner sees the block.
 *
 * @throws ASSET_NOT_FOUND
 */
export async function blockAsset(ctx: RequestContext, id: string, reason?: string | null): Promise<void> {
  const isPresent = isPresentAsset(id)
  const statements = {
    events: assetBlocked(ctx, { id, user_id: ctx.user_id }),
    blocked: sql`UPDATE game_assets SET revision = revision + (blocked = 0), blocked = 1
      WHERE ${isPresent} RETURNING id`,
    record: recordBlock(ctx, 'assets', sql`SELECT id FROM game_assets WHERE ${isPresent}`, reason),
  }
  const home = ctx.databases.of(id)
  const { blocked } = await writeAsset(ctx, home, statements, {
    asset_id: id,
    removes: markShown(id, isPresent),
  })
  if (blocked.length === 0) throw new ApiError('ASSET_NOT_FOUND')
}

const publishedAgain = assetPublished(
  (p: Params<'id'>) =>
    sql`${isPresentAsset(p.id)} AND blocked = 1 AND visibility = 'public' AND deleted_at IS NULL`,
)

/** Unblocks an asset. @throws ASSET_NOT_FOUND */
export async function unblockAsset(ctx: RequestContext, id: string): Promise<void> {
  const statements = {
    events: publishedAgain(ctx, { id }),
    unblocked: sql`UPDATE game_assets SET revision = revision + (blocked = 1), blocked = 0
      WHERE ${isPresentAsset(id)} RETURNING id`,
  }
  const { unblocked } = await writeAsset(ctx, ctx.databases.of(id), statements, { asset_id: id })
  if (unblocked.length === 0) throw new ApiError('ASSET_NOT_FOUND')
}

/** SQL: whether a row of `game_assets` has this id and is not being deleted permanently. */
function isPresentAsset(id: string | SQL): SQL {
  return sql`id = ${id} AND purging = 0 AND ${isNotErased}`
}

/**
 * Blocks a file, or a folder with everything in it. A new block changes the item's revision, because the owner sees the
 * block.
 *
 * @throws FILE_NOT_FOUND
 */
export async function blockFile(ctx: RequestContext, id: string, reason?: string | null): Promise<void> {
  const { blocked } = await ctx.databases.of(id).write({
    events: fileBlocked(ctx, { id, user_id: ctx.user_id }),
    blocked: sql`UPDATE files SET revision = revision + (blocked = 0), blocked = 1
      WHERE ${isPresentFile(id)} RETURNING id`,
    record: recordBlock(ctx, 'files', sql`SELECT id FROM files WHERE ${isPresentFile(id)}`, reason),
  })
  if (blocked.length === 0) throw new ApiError('FILE_NOT_FOUND')
}

/** Unblocks a file or folder. @throws FILE_NOT_FOUND */
export async function unblockFile({ databases }: RequestContext, id: string): Promise<void> {
  const [unblocked] = await databases.of(id).write(
    sql`UPDATE files SET revision = revision + (blocked = 1), blocked = 0
      WHERE ${isPresentFile(id)} RETURNING id`,
  )
  if (!unblocked) throw new ApiError('FILE_NOT_FOUND')
}

/** SQL: whether a row of `files` has this id, and neither it nor a folder above it is being purged. */
function isPresentFile(id: string | SQL): SQL {
  return sql`id = ${id} AND ${exists(sql`${id}`)}`
}

/**
 * The statement that records the moderator and the reason of a block, for the batch that blocks the item. A trigger has
 * inserted the row already. `item` selects the item's id. An undefined reason leaves an earlier reason.
 */
function recordBlock(
  { user_id, now_ms }: RequestContext,
  kind: (typeof blocks.$inferSelect)['kind'],
  item: SQL,
  reason: string | null | undefined,
): SQL {
  const block = {
    kind,
    id: sql`blocked_item.id`,
    blocked_at: seconds({ now_ms }),
    blocked_by: user_id,
    reason: reason ?? null,
  }
  // WHERE 1 keeps SQLite from reading ON as a part of the FROM clause.
  return sql`${insert(blocks, block, sql`FROM (${item}) AS blocked_item WHERE 1`)}
    ON CONFLICT (kind, id) DO UPDATE SET blocked_by = excluded.blocked_by,
      reason = ${reason === undefined ? sql`reason` : sql`excluded.reason`}`
}
