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
/** How many notices a step of the job sends, and a request; and as many of one decision to reporters. */
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

/** What the notice of a decision to its reporters says: of which round they are, and the last of their reports that is done. */
interface ToReporters {
  round: number
  after: string
  target: { type: string; id: string }
  action: string
}

/**
 * The statement that writes the notice of each of these decisions to those whose reports it has ended. It is one row, however many they are:
 * they are read when it is sent.
 */
export const noticeToReporters = statement((p: ConfirmedParams) =>
  insertNotices('moderation.report_decided', {
    about: sql`decision.id || ' reports'`,
    case_id: p.case_id,
    user_id: sql`NULL`,
    data: sql`json_object('round', decision.round, 'after', '', 'target', json(${target}), 'action', decision.action)`,
    due_at: p.due_at,
    from: sql`${newlyInForce(p)} WHERE ${isConfirmed(p)} AND EXISTS (SELECT 1 FROM reports AS report
      WHERE report.case_id = decision.case_id AND report.round = decision.round)`,
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

/**
 * Sends up to NOTICES_PER_STEP notices that are due, and one of them to as many reporters. Returns how many are done; 0 when every inbox
 * fails.
 */
export async function sendDueNotices(ctx: JobContext): Promise<number> {
  const { common } = ctx.databases
  return send(ctx, await common.read(due({ now: seconds(ctx), limit: NOTICES_PER_STEP })), false)
}

/** A notification for one user. */
interface Message extends Omit<Notice, 'user_id' | 'due_at'> {
  user_id: string
}

async function send(ctx: LaterContext, notices: readonly Notice[], mayRepeat: boolean): Promise<number> {
  if (notices.length === 0) return 0
  const messages = notices.flatMap(({ user_id, ...notice }) =>
    user_id === null ? [] : [{ ...notice, user_id }],
  )
  const toReporters = notices.find(({ user_id }) => user_id === null)
  const reporters = toReporters && (await readReporters(ctx, toReporters))
  const failed = await publishAll(ctx, [...messages, ...(reporters?.messages ?? [])], mayRepeat)
  const isFailed = ({ id }: Message) => failed.has(id)
  const sent = messages.filter((one) => !isFailed(one))
  const later = seconds(ctx) + PAUSE
  await ctx.databases.common.write([
    sql`DELETE FROM moderation_notices WHERE id IN (${idsIn(sent.map(({ id }) => id))})`,
    sql`UPDATE moderation_notices SET due_at = ${later} WHERE id IN (${idsIn(messages.filter(isFailed).map(({ id }) => id))})`,
    ...(reporters ? [keepFailed(reporters.messages.filter(isFailed), later), reporters.goOn] : []),
  ])
  return messages.length + (reporters?.messages.length ?? 0) - failed.size
}

/** Publishes notifications. Returns the ids of those whose inbox has failed. */
async function publishAll(
  ctx: LaterContext,
  messages: readonly Message[],
  mayRepeat: boolean,
): Promise<Set<string>> {
  const errors = new Map<string, string>()
  await pooled(messages, async ({ id, user_id, type, data }) => {
    // Two NULs: a service's publisher begins with one, and a user id has none.
    const key = { publisher: '\u0000\u0000moderation', key: id, request_hash: '' }
    const notification = { user_id, type, data: JSON.parse(data) }
    const call = callInbox(
      ctx,
      user_id,
      async (inbox) => inbox.publish(notification, rulesOf(ctx), key),
      mayRepeat,
    )
    await call.catch((error: unknown) => errors.set(id, String(error)))
  })
  const [error] = errors.values()
  if (error !== undefined) logWarning('notices of moderation are sent later', { notices: errors.size, error })
  return new Set(errors.keys())
}

const reportersOf = statement(
  (p: Params<'case_id' | 'round' | 'after' | 'limit'>) => sql<{
    id: string
    reporter_id: string | null
  }>`SELECT id, reporter_id FROM reports
    WHERE case_id = ${p.case_id} AND round = ${p.round} AND id > ${p.after} ORDER BY id LIMIT ${p.limit}`,
)

/** The next reporters of a notice to reporters, and the statement that takes them out of it. */
async function readReporters(
  { databases }: LaterContext,
  { id: notice_id, case_id, type, data }: Notice,
): Promise<{ messages: Message[]; goOn: SQL }> {
  const { round, after, target, action }: ToReporters = JSON.parse(data)
  const reports = await databases.common.read(reportersOf({ case_id, round, after, limit: NOTICES_PER_STEP }))
  const last = reports.length < NOTICES_PER_STEP ? undefined : reports.at(-1)
  return {
    messages: reports.flatMap(({ id, reporter_id }) =>
      reporter_id === null
        ? []
        : [
            {
              id,
              case_id,
              user_id: reporter_id,
              type,
              data: JSON.stringify({ report_id: id, target, action }),
            },
          ],
    ),
    goOn: last
      ? sql`UPDATE moderation_notices SET data = json_set(data, '$.after', max(data ->> 'after', ${last.id})) WHERE id = ${notice_id}`
      : sql`DELETE FROM moderation_notices WHERE id = ${notice_id}`,
  }
}

/** The statement that gives each of these reporters a notice of their own, unless an erasure has passed. */
function keepFailed(messages: readonly Message[], due_at: number): SQL {
  const given = JSON.stringify(messages)
  return insertNotices('moderation.report_decided', {
    about: sql`report.id`,
    case_id: sql`report.case_id`,
    user_id: sql`report.reporter_id`,
    data: sql`failed.value ->> 'data'`,
    due_at: sql`${due_at}`,
    from: sql`FROM json_each(${given}) AS failed CROSS JOIN reports AS report ON report.id = failed.value ->> 'id'
      WHERE report.reporter_id IS NOT NULL AND report.case_id IS NOT NULL`,
  })
}
