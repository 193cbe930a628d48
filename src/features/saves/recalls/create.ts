import { sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../../../platform/context.ts'
import { newId } from '../../../platform/db/id.ts'
import { hashOfKey, type IdempotencyKey } from '../../../platform/db/idempotency.ts'
import {
  isWholeNumber,
  type Page,
  type PageRequest,
  pageOf,
  positionAt,
} from '../../../platform/db/keyset.ts'
import { recalls } from '../../../platform/db/schema.ts'
import { insert, type Params, statement } from '../../../platform/db/sql.ts'
import { ApiError, limitReached } from '../../../platform/errors.ts'
import { knownRecalls } from './known.ts'
import { findRecall, listOf, nextVersion, type RecallRow, recallColumns, wholeList } from './row.ts'
import type { CreateRecall } from './schema.ts'

type NewRecall = 'id' | 'from' | 'until' | 'newer' | 'reason' | 'slots' | 'key_hash' | 'request_hash'

/** Inserts no row when the key has been used, or when there are as many in force as `max`. */
const insertIfRoom = statement((p: Params<NewRecall | 'now' | 'now_ms' | 'max'>) => {
  const row = {
    id: p.id,
    number: nextVersion(p.now_ms),
    changed: nextVersion(p.now_ms),
    from_time: p.from,
    until_time: p.until,
    newer: p.newer,
    reason: p.reason,
    slots: p.slots,
    created_at: p.now,
    key_hash: p.key_hash,
    request_hash: p.request_hash,
  }
  const room = sql`WHERE (SELECT count(*) FROM recalls INDEXED BY recalls_in_force WHERE ended_at IS NULL) < ${p.max}`
  return sql<RecallRow>`${insert(recalls, row, room)} ON CONFLICT (key_hash) DO NOTHING RETURNING ${recallColumns}`
})

const withKey = statement(
  (p: Params<'key_hash'>) =>
    sql<RecallRow>`SELECT ${recallColumns} FROM recalls WHERE key_hash = ${p.key_hash}`,
)

/**
 * Recalls the saves of all players (docs/recalling-saves.md). Each player's object applies the recall when it is next called. A
 * repetition with the same key recalls nothing new.
 *
 * @throws VALIDATION_FAILED (until), LIMIT_REACHED (recalls), IDEMPOTENCY_KEY_REUSED, UNAVAILABLE
 */
export async function createRecall(
  ctx: RequestContext,
  { from, until, newer, reason, slots }: CreateRecall,
  key?: IdempotencyKey,
): Promise<RecallRow> {
  const { databases, config, now_ms } = ctx
  const now = seconds(ctx)
  if (from >= until || until > now)
    throw new ApiError('VALIDATION_FAILED', {
      detail: 'from must be before until, and until not in the future.',
      errors: [{ in: 'body', path: from < until ? '/until' : '/from', message: `It is ${now} now.` }],
    })
  const recall = {
    id: newId(ctx.user_id),
    from,
    until,
    newer,
    reason,
    slots: slots ? JSON.stringify(slots) : null,
    key_hash: key ? await hashOfKey(key) : null,
    request_hash: key?.request_hash ?? null,
    now,
    now_ms,
    max: config.MAX_RECALLS,
  }
  const [[made], [earlier], version, rows] = await databases.first.send([
    insertIfRoom(recall),
    withKey(recall),
    ...wholeList(),
  ])
  knownRecalls.keep(ctx, listOf(version, rows))
  if (made) return made
  if (!earlier) throw limitReached('recalls')
  if (earlier.request_hash === key?.request_hash) return earlier
  throw new ApiError('IDEMPOTENCY_KEY_REUSED', {
    detail: 'This Idempotency-Key belongs to another recall. Use a new key for each.',
  })
}

const newest = statement(
  (p: Params<'after' | 'limit'>) =>
    sql<RecallRow>`SELECT ${recallColumns} FROM recalls WHERE number < ${p.after} ORDER BY number DESC LIMIT ${p.limit}`,
)

/** Lists all recalls, those that have ended too, newest first. @throws INVALID_CURSOR */
export async function listRecalls(
  ctx: RequestContext,
  { limit, cursor }: PageRequest,
): Promise<Page<RecallRow>> {
  const list = ['recalls']
  const after = positionAt(cursor, list, isWholeNumber)?.key ?? Number.MAX_SAFE_INTEGER
  const [rows] = await ctx.databases.first.send([newest({ after, limit: limit + 1 })])
  return pageOf(list, rows, limit, ({ number }) => number)
}

const end = statement(
  (p: Params<'id' | 'now' | 'now_ms'>) =>
    sql`UPDATE recalls SET ended_at = ${p.now}, changed = ${nextVersion(p.now_ms)} WHERE id = ${p.id} AND ended_at IS NULL`,
)

/** Ends a recall for the players whom it has not reached. Ending it again changes nothing. @throws RECALL_NOT_FOUND */
export async function endRecall(ctx: RequestContext, id: string): Promise<void> {
  const { now_ms } = ctx
  const [, [found], version, rows] = await ctx.databases.first.send([
    end({ id, now: seconds(ctx), now_ms }),
    findRecall(id),
    ...wholeList(),
  ])
  knownRecalls.keep(ctx, listOf(version, rows))
  if (!found) throw new ApiError('RECALL_NOT_FOUND')
}
