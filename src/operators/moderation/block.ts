import { type SQL, sql } from 'drizzle-orm'
import { assetPublished } from '../../features/assets/events.ts'
import { markShown, writeAsset } from '../../features/catalogue/write.ts'
import { exists } from '../../features/files/path.ts'
import { findCase } from '../../features/moderation/case.ts'
import { decide } from '../../features/moderation/decide.ts'
import { liftDecision } from '../../features/moderation/lift.ts'
import type { Target } from '../../features/moderation/schema.ts'
import { type RequestContext, seconds } from '../../platform/context.ts'
import { blocks } from '../../platform/db/schema.ts'
import { insert, type Params, perShape, statement } from '../../platform/db/sql.ts'
import { isNotErased } from '../../platform/db/watermark.ts'
import { ApiError, unavailable } from '../../platform/errors.ts'
import { eventWriter } from '../../platform/events/record.ts'
import { ensureCase } from './case.ts'

type BlockParams = Params<'id' | 'user_id' | 'now' | 'reason'>

/** SQL: whether a decision about the thing itself blocks it, which lifting ends. */
const isDecided = (kind: (typeof blocks.$inferSelect)['kind'], { id }: Params<'id'>) =>
  sql`EXISTS (SELECT 1 FROM measures WHERE measures.kind = ${kind} AND measures.id = ${id}
    AND measures.action = 'block' AND measures.sequence > 0)`

/** Blocks an item and unblocks it. `isPresent` (SQL): whether a row of the table is the item, and is not being deleted permanently. */
function blockingOf(
  kind: (typeof blocks.$inferSelect)['kind'],
  table: SQL,
  isPresent: (p: Params<'id'>) => SQL,
) {
  const event = eventWriter('content.blocked', (p: BlockParams) => ({
    resource_id: sql`id`,
    data: { kind, id: sql`id`, owner_id: sql`owner_id`, blocked_by: p.user_id },
    from: sql`FROM ${table} WHERE ${isPresent(p)} AND blocked = 0`,
  }))
  const set = (value: 0 | 1) =>
    statement(
      (p: Params<'id'>) => sql<{
        owner_id: string
      }>`UPDATE ${table} SET revision = revision + (blocked <> ${value}), blocked = ${value}
        WHERE ${isPresent(p)} ${value === 0 ? sql`AND NOT ${isDecided(kind, p)}` : sql.empty()} RETURNING owner_id`,
    )
  const record = perShape((hasReason: boolean) =>
    statement((p: BlockParams) => {
      const block = {
        kind,
        id: sql`blocked_item.id`,
        blocked_at: p.now,
        blocked_by: p.user_id,
        reason: p.reason,
      }
      // A trigger has inserted the row already. WHERE 1 keeps SQLite from reading ON as a part of the FROM clause.
      return sql`${insert(blocks, block, sql`FROM (SELECT id FROM ${table} WHERE ${isPresent(p)}) AS blocked_item WHERE 1`)}
        ON CONFLICT (kind, id) DO UPDATE SET blocked_by = excluded.blocked_by,
          reason = ${hasReason ? sql`excluded.reason` : sql`reason`}`
    }),
  )
  const [block, unblock] = [set(1), set(0)]
  const forget = statement(
    (p: Params<'id'>) => sql`UPDATE measures SET action = 'none', decision_id = NULL
      WHERE kind = ${kind} AND id = ${p.id} AND sequence = 0 AND action = 'block'`,
  )
  const decisionOf = statement(
    (p: Params<'id'>) => sql<{
      decision_id: string
      owner_id: string
    }>`SELECT decision_id, owner_id FROM measures
      CROSS JOIN ${table} AS item ON item.id = measures.id
      WHERE measures.kind = ${kind} AND measures.id = ${p.id} AND measures.action = 'block' AND measures.sequence > 0`,
  )
  return {
    /** Unblocks what no decision blocks, and returns the decision that does. */
    unblocking: (id: string) => ({
      unblocked: unblock({ id }),
      taken_over: forget({ id }),
      decisions: decisionOf({ id }),
    }),
    /** The batch that blocks: the event of a new block, the block, its moderator and reason. An undefined reason leaves an earlier one. */
    statements: (ctx: RequestContext, id: string, reason: string | null | undefined) => {
      const values = { id, user_id: ctx.user_id, now: seconds(ctx), reason: reason ?? null }
      return {
        events: event(ctx, values),
        blocked: block(values),
        record: record(reason !== undefined)(values),
      }
    },
  }
}

const isPresentAsset = (p: Params<'id'>) => sql`id = ${p.id} AND purging = 0 AND ${isNotErased}`
const assets = blockingOf('assets', sql`game_assets`, isPresentAsset)
/** Of a file, no folder above it may be purged, either. */
const files = blockingOf('files', sql`files`, (p) => sql`id = ${p.id} AND ${exists(p.id)}`)

const markAsset = statement((p: Params<'id'>) => markShown(p.id, isPresentAsset(p)))
const publishedAgain = assetPublished(
  (p: Params<'id'>) =>
    sql`${isPresentAsset(p)} AND blocked = 1 AND visibility = 'public' AND deleted_at IS NULL AND NOT ${isDecided('assets', p)}`,
)

/** What a moderator says of a block. With a statement, the block is a decision. */
interface Block {
  /** For moderators only; undefined leaves an earlier one. */
  reason?: string | null | undefined
  statement?: string | undefined
  ground?: 'law' | 'terms' | undefined
}

const MAX_TRIES = 5

/**
 * Blocks a thing by a decision, which takes the place of the one in force. Returns the owner. The case of a thing that is gone stays, but
 * takes no block.
 *
 * @throws ASSET_NOT_FOUND, FILE_NOT_FOUND, FORBIDDEN (an open appeal against the moderator's own decision), UNAVAILABLE
 */
async function blockByDecision(
  ctx: RequestContext,
  target: Target,
  text: string,
  { reason = null, ground = 'terms' }: Block,
): Promise<string> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const { id } = await ensureCase(ctx, target)
    const { name, decision_id } = await findCase(ctx, id)
    if (name === null) throw new ApiError(target.type === 'asset' ? 'ASSET_NOT_FOUND' : 'FILE_NOT_FOUND')
    try {
      const decision = await decide(ctx, id, {
        action: 'block',
        ground,
        rule: null,
        statement: text,
        note: reason,
        rating: null,
        is_automated: false,
        replaces: decision_id,
      })
      return decision.owner_id ?? ''
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'CASE_DECIDED')) throw error
    }
  }
  throw unavailable('Too much is changing about this case at once. Try again.')
}

/**
 * Blocks an asset, so that only its owner can see it (docs/conformance.md#for-those-who-run-it). A new block changes the
 * asset's revision, because the owner sees the block. Returns the owner.
 *
 * @throws ASSET_NOT_FOUND
 */
export async function blockAsset(
  ctx: RequestContext,
  id: string,
  { reason, ...said }: Block = {},
): Promise<string> {
  if (said.statement !== undefined)
    return blockByDecision(ctx, { type: 'asset', id }, said.statement, { reason, ...said })
  const write = { asset_id: id, markFirst: markAsset({ id }) }
  // Before the write, which may happen although its answer is lost.
  ctx.ended.push(['asset', id])
  const {
    blocked: [blocked],
  } = await writeAsset(ctx, ctx.databases.of(id), assets.statements(ctx, id, reason), write)
  if (!blocked) throw new ApiError('ASSET_NOT_FOUND')
  return blocked.owner_id
}

/** Unblocks an asset. Returns its owner. @throws ASSET_NOT_FOUND */
export async function unblockAsset(ctx: RequestContext, id: string): Promise<string> {
  const statements = { events: publishedAgain(ctx, { id }), ...assets.unblocking(id) }
  const {
    unblocked: [unblocked],
    decisions: [decision],
  } = await writeAsset(ctx, ctx.databases.of(id), statements, { asset_id: id })
  if (decision) await liftDecision(ctx, decision.decision_id)
  const owned = unblocked ?? decision
  if (!owned) throw new ApiError('ASSET_NOT_FOUND')
  return owned.owner_id
}

const ownerOfFile = statement(
  (p: Params<'id'>) => sql<{ owner_id: string }>`SELECT owner_id FROM files WHERE id = ${p.id}`,
)

/**
 * Blocks a file, or a folder with everything in it. A new block changes the item's revision, because the owner sees the
 * block. Returns the owner.
 *
 * @throws FILE_NOT_FOUND
 */
export async function blockFile(
  ctx: RequestContext,
  id: string,
  { reason, ...said }: Block = {},
): Promise<string> {
  if (said.statement !== undefined)
    return blockByDecision(ctx, { type: 'file', id }, said.statement, { reason, ...said })
  const db = ctx.databases.of(id)
  db.usePrimary()
  const [file] = await db.read(ownerOfFile({ id }))
  // Before the write, which may happen although its answer is lost.
  if (file) ctx.ended.push(['profile', file.owner_id])
  const {
    blocked: [blocked],
  } = await db.write(files.statements(ctx, id, reason))
  if (!blocked) throw new ApiError('FILE_NOT_FOUND')
  return blocked.owner_id
}

/** Unblocks a file or folder. Returns its owner. @throws FILE_NOT_FOUND */
export async function unblockFile(ctx: RequestContext, id: string): Promise<string> {
  const {
    unblocked: [unblocked],
    decisions: [decision],
  } = await ctx.databases.of(id).write(files.unblocking(id))
  if (decision) await liftDecision(ctx, decision.decision_id)
  const owned = unblocked ?? decision
  if (!owned) throw new ApiError('FILE_NOT_FOUND')
  return owned.owner_id
}
