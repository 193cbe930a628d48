import { type SQL, sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../../platform/context.ts'
import type { TargetType } from '../../platform/db/enumerations.ts'
import { newId } from '../../platform/db/id.ts'
import {
  hashOfKey,
  type IdempotencyKey,
  KEY_LIFETIME_SECONDS,
  keyReused,
} from '../../platform/db/idempotency.ts'
import { reports } from '../../platform/db/schema.ts'
import { insert, type Params, perShape, statement } from '../../platform/db/sql.ts'
import { createdAt } from '../../platform/db/watermark.ts'
import { ApiError, limitReached, unavailable } from '../../platform/errors.ts'
import { eventWriter } from '../../platform/events/record.ts'
import { DAY } from '../../platform/lib/units.ts'
import type { Viewer } from '../assets/access.ts'
import { insertCase } from './case.ts'
import { hideIfCrowded } from './hide.ts'
import { type ReportRow, reportColumnsJoined, reportJoins } from './row.ts'
import type { CreateReport } from './schema.ts'
import { type FoundTarget, findTarget, foundElsewhere, notBefore, readableTarget } from './target.ts'

type ReportParams = Params<
  | 'id'
  | 'case_id'
  | Viewer
  | 'target_type'
  | 'target_id'
  | 'owner_id'
  | 'erased_until'
  | 'not_before'
  | 'category'
  | 'text'
  | 'is_illegal'
  | 'now'
  | 'today'
  | 'most'
  | 'key_hash'
  | 'request_hash'
  | 'key_expired_at'
>

/** SQL: whether the caller may report once more today, and has not used the key. */
function hasRoom(p: ReportParams): SQL {
  return sql`(SELECT count(*) FROM reports WHERE reporter_id = ${p.user_id} AND created_at >= ${p.today}
      AND is_illegal = ${p.is_illegal}) < ${p.most}
    AND NOT EXISTS (SELECT 1 FROM reports WHERE key_hash = ${p.key_hash})`
}

/** SQL: whether a row of `reports` is of the caller's about the target. */
function isOwn(p: ReportParams): SQL {
  return sql`reporter_id = ${p.user_id} AND target_type = ${p.target_type} AND target_id = ${p.target_id}`
}

/** SQL: the round of the target's case; 0 without one. */
function currentRound(p: ReportParams): SQL {
  return sql`coalesce((SELECT round FROM cases WHERE target_type = ${p.target_type} AND target_id = ${p.target_id}), 0)`
}

interface MadeReport extends ReportRow {
  request_hash: string | null
  is_same_key: 0 | 1
}

const reported = eventWriter('report.created', (p: ReportParams) => ({
  resource_id: sql`report.case_id`,
  data: {
    report_id: sql`report.id`,
    case_id: sql`report.case_id`,
    target_type: sql`report.target_type`,
    target_id: sql`report.target_id`,
    owner_id: sql`reported.owner_id`,
    category: sql`report.category`,
    is_illegal: sql`json(iif(report.is_illegal, 'true', 'false'))`,
    report_count: sql`reported.report_count`,
  },
  // The first of the case, the first that says it is illegal, and the first about the safety of a child.
  from: sql`FROM reports AS report CROSS JOIN cases AS reported ON reported.id = report.case_id
    WHERE report.id = ${p.id} AND (reported.report_count = 1 OR report.is_illegal = 1 AND reported.illegal_count = 1
      OR report.category = 'child_safety' AND reported.categories ->> 'child_safety' = 1)`,
}))

/**
 * The statements of a report. `isHere`: the thing is in the same database, and is read there; else the parameter `owner_id` has its
 * owner, who is null for what the caller may not read, and for a user whom nobody knows.
 */
const statementsOf = perShape(({ type, isHere }: { type: TargetType; isHere: boolean }) => {
  const found = (p: ReportParams) =>
    isHere ? sql`(${readableTarget[type](p)})` : sql`(${foundElsewhere(p)})`
  const fromReadable = (p: ReportParams) =>
    sql`FROM ${found(p)} AS target WHERE target.owner_id <> ${p.user_id} AND ${hasRoom(p)}`
  return {
    target: statement(
      (p: ReportParams) => sql<Pick<FoundTarget, 'owner_id'>>`SELECT owner_id FROM ${found(p)}`,
    ),
    dropKey: statement(
      (p: ReportParams) =>
        sql`UPDATE reports SET key_hash = NULL WHERE key_hash = ${p.key_hash} AND created_at <= ${p.key_expired_at}`,
    ),
    open: statement((p: ReportParams) => {
      return insertCase(p.case_id, p, fromReadable(p))
    }),
    report: statement((p: ReportParams) => {
      const case_id = sql`(SELECT id FROM cases WHERE target_type = ${p.target_type} AND target_id = ${p.target_id})`
      const row = {
        id: p.id,
        case_id,
        reporter_id: p.user_id,
        target_type: p.target_type,
        target_id: p.target_id,
        category: p.category,
        text: p.text,
        is_illegal: p.is_illegal,
        round: currentRound(p),
        // After an erasure of the reporter that has not ended yet, which takes them out of what is older.
        created_at: sql`max(${p.not_before}, ${createdAt(p.now, p.user_id)})`,
        key_hash: p.key_hash,
        request_hash: p.request_hash,
      }
      // Of a user whom nobody knows the report is kept, and has no case.
      const from = type === 'user' ? sql`FROM (SELECT 1) WHERE ${hasRoom(p)}` : fromReadable(p)
      return sql`${insert(reports, row, from)} ON CONFLICT DO NOTHING`
    }),
    /** Takes an open report of a user whom nobody knew into the case that there is now. */
    attach: statement(
      (p: ReportParams) => sql`UPDATE reports SET round = ${currentRound(p)}, case_id = (SELECT id FROM cases
          WHERE target_type = ${p.target_type} AND target_id = ${p.target_id})
        WHERE ${isOwn(p)} AND case_id IS NULL
          AND EXISTS (SELECT 1 FROM cases WHERE target_type = ${p.target_type} AND target_id = ${p.target_id})`,
    ),
    made: statement((p: ReportParams) => {
      const isWanted = sql`report.id IN (SELECT id FROM reports WHERE id = ${p.id}
        UNION ALL SELECT id FROM reports WHERE key_hash = ${p.key_hash}
        UNION ALL SELECT id FROM reports WHERE ${isOwn(p)} AND round = ${currentRound(p)})`
      return sql<MadeReport>`SELECT ${sql.raw(reportColumnsJoined)}, report.request_hash,
        coalesce(report.key_hash = ${p.key_hash}, 0) AS is_same_key
        FROM reports AS report ${reportJoins} WHERE ${isWanted}`
    }),
    crowd: statement(
      (p: ReportParams) =>
        sql<{
          id: string
          fresh_reporters: number
        }>`SELECT id, fresh_reporters FROM cases WHERE target_type = ${p.target_type} AND target_id = ${p.target_id}
          AND target_type = 'asset' AND (decision_id IS NULL OR decision ->> 'action' IN ('none', 'warn')) AND appealed_at IS NULL`,
    ),
  }
})

/** A report, and whether this request has made it. */
export interface Reported {
  report: ReportRow
  isNew: boolean
}

/**
 * Reports a thing that the caller may read, or any user (docs/moderating.md). While an earlier report of the caller's about it is open,
 * nothing is made, and that report is returned.
 *
 * @throws ASSET_NOT_FOUND, FILE_NOT_FOUND, VALIDATION_FAILED (their own), LIMIT_REACHED (reports), IDEMPOTENCY_KEY_REUSED, UNAVAILABLE
 */
export async function createReport(
  ctx: RequestContext,
  input: CreateReport,
  key?: IdempotencyKey,
): Promise<Reported> {
  const { databases, user_id, config } = ctx
  const { target, category, text, is_illegal } = input
  if (target.type === 'user' && target.id === user_id) throw ownThing()
  const now = seconds(ctx)
  const isHere = databases.isSingle
  const [found, not_before] = isHere
    ? [undefined, 0]
    : await Promise.all([findTarget(ctx, target, now), notBefore(ctx)])
  if (found?.owner_id === user_id) throw ownThing()
  const values = {
    id: newId(user_id),
    case_id: newId(user_id),
    user_id,
    hidden_ratings: ctx.hidden_ratings,
    target_type: target.type,
    target_id: target.id,
    owner_id: found?.owner_id ?? null,
    erased_until: found?.erased_until ?? -1,
    not_before,
    category,
    text: text ?? null,
    is_illegal: Number(is_illegal),
    now,
    today: now - (now % DAY),
    most: config.MAX_REPORTS_PER_DAY,
    key_hash: key ? await hashOfKey(key) : null,
    request_hash: key?.request_hash ?? null,
    key_expired_at: now - KEY_LIFETIME_SECONDS,
  }
  const statements = statementsOf({ type: target.type, isHere })
  const { targets, made, crowds } = await databases.common.write({
    targets: statements.target(values),
    dropped: statements.dropKey(values),
    opened: statements.open(values),
    ...(target.type === 'user' && { attached: statements.attach(values) }),
    reported: statements.report(values),
    events: reported(ctx, values),
    made: statements.made(values),
    crowds: statements.crowd(values),
  })
  const own = made.find(({ id }) => id === values.id)
  const report = own ?? madeEarlier(made, key)
  if (!report) {
    const [readable] = targets
    if (!readable && found) throw unavailable('It took too long to look at what is reported. Try again.')
    if (!readable && target.type !== 'user') throw notFound(target.type)
    if (readable?.owner_id === user_id) throw ownThing()
    throw limitReached('reports')
  }
  const [crowd] = crowds
  if (own && crowd) await hideIfCrowded(ctx, crowd)
  return { report, isNew: own !== undefined || (key !== undefined && report.is_same_key === 1) }
}

/** The report that the same key made, else the open one about the same thing. @throws IDEMPOTENCY_KEY_REUSED */
function madeEarlier(made: readonly MadeReport[], key: IdempotencyKey | undefined): MadeReport | undefined {
  const sameKey = made.find(({ is_same_key }) => is_same_key === 1)
  if (sameKey && sameKey.request_hash !== key?.request_hash) throw keyReused()
  return sameKey ?? made[0]
}

function ownThing(): ApiError {
  return new ApiError('VALIDATION_FAILED', {
    detail: 'This is your own: change or delete it instead.',
    errors: [{ in: 'body', path: '/target/id', message: 'must not be the caller’s own' }],
  })
}

function notFound(type: TargetType): ApiError {
  return new ApiError(type === 'asset' ? 'ASSET_NOT_FOUND' : 'FILE_NOT_FOUND')
}
