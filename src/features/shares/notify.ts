import { type SQL, sql } from 'drizzle-orm'
import { type JobContext, type LaterContext, seconds } from '../../platform/context.ts'
import { KEY_LIFETIME_SECONDS } from '../../platform/db/idempotency.ts'
import { sharesToNotify } from '../../platform/db/schema.ts'
import { insert, type Params, type Prepared, statement } from '../../platform/db/sql.ts'
import { logWarning } from '../../platform/lib/log.ts'
import { pooled } from '../../platform/lib/pool.ts'
import { HOUR, MINUTE } from '../../platform/lib/units.ts'
import { isTrashedForGrantee } from '../files/path.ts'
import { callInbox } from '../notifications/call-inbox.ts'
import { rulesOf } from '../notifications/publish.ts'
import { isNotErasedShare, isUnexpired, type ShareRow } from './row.ts'

/*
 * The notification of a new share (NOTIFY_SHARES). The batch that makes the share writes a row of `shares_to_notify`. The request
 * notifies the grantee after its answer, and removes the row. After a crash or a failure the job does both. The key of the
 * publication is the file, so that repetitions and shares that are revoked and made again notify once. The inbox adds nothing when
 * the grantee has muted the owner.
 */

/**
 * The most notifications of an owner that a grantee gets within the life of a key, and the part of a full inbox that they may
 * push out: one player does not clear the inbox of another. The list has the other shares.
 */
const [MAX_OF_OWNER, PART_OF_INBOX] = [100, 1 / 10]
/** How long the job leaves a new share to its request, in seconds. */
const LEFT_TO_REQUEST = MINUTE
/** How long the job waits after an inbox has failed, in seconds. */
const PAUSE = 5 * MINUTE
/** The age up to which a share's grantee is notified, in seconds: an hour less than the lifetime of the publication's key. */
const MAX_AGE = KEY_LIFETIME_SECONDS - HOUR
/** How many shares a step of the job takes. */
export const SHARES_PER_STEP = 20

/** A share whose grantee is to be notified. */
type Due = typeof sharesToNotify.$inferSelect

/** A share and its file, as a notification shows them. */
interface ReadableShare extends Pick<ShareRow, 'file_id' | 'grantee_id'> {
  share_id: string
  owner_id: string
  name: string
}

/** The row for a share that is made now. */
export function dueNotification(ctx: Pick<JobContext, 'now_ms'>, share_id: string): Due {
  return { due_at: seconds(ctx) + LEFT_TO_REQUEST, share_id }
}

const recordDueShare = statement((p: Params<'due_at' | 'share_id'>) =>
  insert(sharesToNotify, { due_at: p.due_at, share_id: sql`id` }, sql`FROM shares WHERE id = ${p.share_id}`),
)
const readableShare = statement((p: ReadableParams & Params<'share_id'>) =>
  readable(p, sql`FROM shares WHERE shares.id = ${p.share_id}`),
)
const forgetDue = statement(
  (p: Params<'due_at' | 'share_id'>) =>
    sql`DELETE FROM shares_to_notify WHERE due_at = ${p.due_at} AND share_id = ${p.share_id}`,
)

/**
 * The statement that writes the row of a new share. It follows the INSERT of the share, and writes nothing when that has kept an
 * earlier share.
 */
export function recordDue(due: Due): Prepared {
  return recordDueShare({ ...due })
}

/** Notifies the grantee of a new share, unless the grantee can't read it any more. Does not throw: the job does what fails. */
export async function notifyGrantee(ctx: LaterContext, { due_at, share_id }: Due): Promise<void> {
  try {
    const db = ctx.databases.of(share_id)
    db.usePrimary()
    const [share] = await db.read(readableShare({ ...timesOf(ctx), share_id }))
    if (share) await publish(ctx, share, true)
    await db.write(forgetDue({ due_at, share_id }))
  } catch (error) {
    logWarning('the grantee of a new share is notified later', { error: String(error) })
  }
}

const firstDue = (p: Params<'now' | 'limit'>) =>
  sql<Due>`SELECT due_at, share_id FROM shares_to_notify WHERE due_at <= ${p.now} ORDER BY due_at, share_id LIMIT ${p.limit}`
const dueShares = statement(firstDue)
const readableOfDue = statement((p: ReadableParams & Params<'limit'>) =>
  readable(p, sql`FROM (${firstDue(p)}) AS due CROSS JOIN shares ON shares.id = due.share_id WHERE true`),
)

/**
 * Notifies the grantees of up to SHARES_PER_STEP shares whose requests did not. A share whose inbox fails waits for PAUSE and
 * delays no other. Returns how many shares are done; 0 when every inbox fails, which ends the task in this run.
 */
export async function notifyGrantees(ctx: JobContext): Promise<number> {
  if (ctx.config.NOTIFY_SHARES === 'off') return 0
  const now = seconds(ctx)
  const { due, shares } = await ctx.db.read({
    due: dueShares({ now, limit: SHARES_PER_STEP }),
    shares: readableOfDue({ ...timesOf(ctx), limit: SHARES_PER_STEP }),
  })
  const last = due.at(-1)
  if (!last) return 0
  const outcomes = await pooled(shares, async (share) => ({
    share_id: share.share_id,
    error: await publish(ctx, share, false).catch((error: unknown) => String(error)),
  }))
  const failed = outcomes.filter(({ error }) => error !== undefined)
  const [{ error } = {}] = failed
  if (error !== undefined)
    logWarning('grantees of new shares are notified later', { shares: failed.length, error })
  const isOf = (some: { share_id: string }[]) =>
    sql`due_at <= ${last.due_at} AND share_id IN (SELECT value FROM json_each(${JSON.stringify(some.map(({ share_id }) => share_id))}))`
  await ctx.db.write([
    sql`UPDATE shares_to_notify SET due_at = ${now + PAUSE} WHERE ${isOf(failed)}`,
    sql`DELETE FROM shares_to_notify WHERE ${isOf(due)}`,
  ])
  return due.length - failed.length
}

type ReadableParams = Params<'now' | 'created_after'>

/** The values of ReadableParams. */
function timesOf(ctx: Pick<JobContext, 'now_ms'>) {
  return { now: seconds(ctx), created_after: seconds(ctx) - MAX_AGE }
}

/** SQL: a SELECT of the shares in `from` (`FROM … shares … WHERE …`) that their grantees can read now. */
function readable({ now, created_after }: ReadableParams, from: SQL): SQL<ReadableShare> {
  return sql<ReadableShare>`SELECT found.share_id, file_id, item.owner_id, grantee_id, item.name
    FROM (SELECT shares.id AS share_id, file_id, grantee_id ${from} AND shares.created_at > ${created_after}
      AND ${isUnexpired(now)} AND ${isNotErasedShare}) AS found
    CROSS JOIN files AS item ON item.id = found.file_id
    WHERE ${isTrashedForGrantee} = 0`
}

async function publish(ctx: LaterContext, share: ReadableShare, mayRepeat: boolean): Promise<undefined> {
  const { grantee_id, share_id, file_id, owner_id, name } = share
  const data = { share_id, file_id, owner_id, name }
  // Two NULs: a service's publisher begins with one, and a user id has none.
  const key = {
    publisher: `\u0000\u0000${owner_id}`,
    key: file_id,
    request_hash: '',
    bounds: {
      at_most: Math.min(MAX_OF_OWNER, Math.ceil(ctx.config.MAX_NOTIFICATIONS * PART_OF_INBOX)),
      about: share_id,
    },
  }
  await callInbox(
    ctx,
    grantee_id,
    async (inbox) =>
      inbox.publish(
        { user_id: grantee_id, sender_id: owner_id, type: 'file.shared', data },
        rulesOf(ctx),
        key,
      ),
    mayRepeat,
  )
}
