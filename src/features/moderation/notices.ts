import { type SQL, sql } from 'drizzle-orm'
import { type JobContext, type LaterContext, seconds } from '../../platform/context.ts'
import { moderationNotices } from '../../platform/db/schema.ts'
import { columnsOf, idsIn, insert, type Params, statement } from '../../platform/db/sql.ts'
import { logWarning } from '../../platform/lib/log.ts'
import { pooled } from '../../platform/lib/pool.ts'
import { MINUTE } from '../../platform/lib/units.ts'
import { callInbox } from '../notifications/call-inbox.ts'
import { rulesOf } from '../notifications/publish.ts'

/*
 * Notifications of moderation. The batch that makes a change writes them; the request sends them after its answer, and removes them.
 * After a crash or a failure the job does both. The key of a publication is the notice, so that a repetition notifies nobody twice.
 */

/** How long the job leaves a notice to its request, and how long it waits after an inbox has failed, in seconds. */
const [LEFT_TO_REQUEST, PAUSE] = [MINUTE, 5 * MINUTE]
/** How many notices a step of the job sends, and a request. */
export const NOTICES_PER_STEP = 20

/** A notification that waits for its inbox. */
type Notice = typeof moderationNotices.$inferSelect

/** When the job sends a notice that is written now. */
export function dueAt(ctx: Pick<JobContext, 'now_ms'>): number {
  return seconds(ctx) + LEFT_TO_REQUEST
}

/**
 * SQL: the INSERT of a notice for each row of `from` (`FROM … WHERE …`). `about` is the id of what the notice is about, of which there is one
 * notice.
 */
function insertNotices(
  type: string,
  {
    about,
    case_id,
    user_id,
    data,
    due_at,
    from,
  }: Record<'about' | 'case_id' | 'user_id' | 'data' | 'due_at' | 'from', SQL>,
): SQL {
  const row = { id: about, case_id, user_id, type, data, due_at }
  return sql`${insert(moderationNotices, row, from)} ON CONFLICT DO NOTHING`
}

type ConfirmedParams = Params<'case_id' | 'sequence' | 'due_at'>

/** SQL: the decisions that a confirmation puts into force. */
const newlyInForce = (p: ConfirmedParams) => sql`FROM cases AS confirmed
  CROSS JOIN decisions AS decision ON decision.case_id = confirmed.id
    AND decision.sequence > confirmed.applied AND decision.sequence <= ${p.sequence}`
const isConfirmed = (p: ConfirmedParams) =>
  sql`confirmed.id = ${p.case_id} AND confirmed.sequence >= ${p.sequence}`
const target = sql`json_object('type', decision.target_type, 'id', decision.target_id)`

/** The statement that writes the owner's notice of each decision that a confirmation puts into force. */
export const noticeToOwner = statement((p: ConfirmedParams) =>
  insertNotices('moderation.decision', {
    about: sql`decision.id`,
    case_id: p.case_id,
    user_id: sql`decision.owner_id`,
    data: sql`json_object('decision_id', decision.id, 'target', json(${target}), 'name', decision.name, 'action', decision.action)`,
    due_at: p.due_at,
    from: sql`${newlyInForce(p)} WHERE ${isConfirmed(p)} AND decision.owner_id IS NOT NULL AND decision.action <> 'none'`,
  }),
)

/** The statement that writes the notices of those whose reports these decisions have ended. */
export const noticesToReporters = statement((p: ConfirmedParams) =>
  insertNotices('moderation.report_decided', {
    about: sql`report.id`,
    case_id: p.case_id,
    user_id: sql`report.reporter_id`,
    data: sql`json_object('report_id', report.id, 'target', json(${target}), 'action', decision.action)`,
    due_at: p.due_at,
    from: sql`${newlyInForce(p)} CROSS JOIN reports AS report ON report.decision_id = decision.id
      WHERE ${isConfirmed(p)} AND report.reporter_id IS NOT NULL`,
  }),
)

/** SQL: the INSERT of the notices about appeals that have been decided. `which` selects them (`appeal.… = …`). */
export function noticeOfAppeal(p: Params<'case_id' | 'due_at'>, which: SQL): SQL {
  return insertNotices('moderation.appeal_decided', {
    about: sql`appeal.id`,
    case_id: p.case_id,
    user_id: sql`appeal.user_id`,
    data: sql`json_object('decision_id', appeal.decision_id, 'outcome', appeal.state)`,
    due_at: p.due_at,
    from: sql`FROM appeals AS appeal WHERE ${which} AND appeal.state <> 'open' AND appeal.user_id IS NOT NULL`,
  })
}

const columns = columnsOf(moderationNotices)
const ofCase = statement(
  (p: Params<'case_id' | 'limit'>) =>
    sql<Notice>`SELECT ${columns} FROM moderation_notices WHERE case_id = ${p.case_id} LIMIT ${p.limit}`,
)
const due = statement(
  (p: Params<'now' | 'limit'>) =>
    sql<Notice>`SELECT ${columns} FROM moderation_notices WHERE due_at <= ${p.now} ORDER BY due_at, id LIMIT ${p.limit}`,
)

/** Sends the first notices of a case, after an answer. Does not throw: the job sends what is left. */
export async function sendNotices(ctx: LaterContext, case_id: string): Promise<void> {
  try {
    const notices = await ctx.databases.common.read(ofCase({ case_id, limit: NOTICES_PER_STEP }))
    await send(ctx, notices, true)
  } catch (error) {
    logWarning('notices of moderation are sent later', { error: String(error) })
  }
}

/** Sends up to NOTICES_PER_STEP notices that are due. Returns how many are done; 0 when every inbox fails. */
export async function sendDueNotices(ctx: JobContext): Promise<number> {
  const { common } = ctx.databases
  return send(ctx, await common.read(due({ now: seconds(ctx), limit: NOTICES_PER_STEP })), false)
}

async function send(ctx: LaterContext, notices: readonly Notice[], mayRepeat: boolean): Promise<number> {
  if (notices.length === 0) return 0
  const outcomes = await pooled(notices, async ({ id, user_id, type, data }) => {
    // Two NULs: a service's publisher begins with one, and a user id has none.
    const key = { publisher: '\u0000\u0000moderation', key: id, request_hash: '' }
    const notification = { user_id, type, data: JSON.parse(data) }
    const call = callInbox(
      ctx,
      user_id,
      async (inbox) => inbox.publish(notification, rulesOf(ctx), key),
      mayRepeat,
    )
    return { id, error: await call.then(() => undefined, String) }
  })
  const failed = outcomes.filter(({ error }) => error !== undefined)
  if (failed.length > 0)
    logWarning('notices of moderation are sent later', { notices: failed.length, error: failed[0]?.error })
  const sent = outcomes.filter(({ error }) => error === undefined).map(({ id }) => id)
  await ctx.databases.common.write([
    sql`DELETE FROM moderation_notices WHERE id IN (${idsIn(sent)})`,
    sql`UPDATE moderation_notices SET due_at = ${seconds(ctx) + PAUSE} WHERE id IN (${idsIn(failed.map(({ id }) => id))})`,
  ])
  return sent.length
}
