import { type SQL, sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../../platform/context.ts'
import { newId } from '../../platform/db/id.ts'
import {
  hashOfKey,
  type IdempotencyKey,
  KEY_LIFETIME_SECONDS,
  keyReused,
} from '../../platform/db/idempotency.ts'
import { decisions } from '../../platform/db/schema.ts'
import { UniqueViolation } from '../../platform/db/session.ts'
import { insert, type Params, statement } from '../../platform/db/sql.ts'
import { ApiError, unavailable } from '../../platform/errors.ts'
import { DAY } from '../../platform/lib/units.ts'
import {
  type DecidedCase,
  expectImpartial,
  expectOther,
  findCase,
  lastDecision,
  mayEndAppeal,
  measureOf,
} from './case.ts'
import { applyMeasure, changeMeasure, type MeasureContext } from './measure.ts'
import { dueAt, noticeOfAppeal } from './notices.ts'
import { type DecisionWithAppeal, readDecision } from './read.ts'
import { type ModeratorsDecisionRow, moderatorsDecisionRecord } from './row.ts'
import type { ModeratorsDecision } from './schema.ts'

const MAX_TRIES = 5

declare module '../../platform/errors.ts' {
  interface ErrorMembers {
    /** With CASE_DECIDED: the decision that is in force; null: none is. */
    decision?: ModeratorsDecision | null | undefined
  }
}

/** What a moderator decides about a case. */
export interface NewDecision {
  action: ModeratorsDecisionRow['action']
  ground: ModeratorsDecisionRow['ground']
  rule: string | null
  statement: string
  note: string | null
  rating: ModeratorsDecisionRow['rating']
  is_automated: boolean
  /** The case's last decision that is not lifted; null: there is none. */
  replaces: string | null
}

type DecisionParams = Params<
  | 'id'
  | 'case_id'
  | 'sequence'
  | 'replaces'
  | 'name'
  | 'moderator_id'
  | 'may_answer_own'
  | 'action'
  | 'ground'
  | 'rule'
  | 'statement'
  | 'note'
  | 'rating'
  | 'is_automated'
  | 'ends_reports'
  | 'keeps_measure'
  | 'fewest'
  | 'now'
  | 'appealable_until'
  | 'key_hash'
  | 'request_hash'
  | 'due_at'
>

/**
 * SQL: whether the decision may be made: the case is as its moderator saw it; enough users have reported it, for one that the service
 * makes; and who answers an appeal by it is not the one who decided.
 */
function mayDecide(p: DecisionParams): SQL {
  return sql`cases.id = ${p.case_id} AND cases.sequence = ${p.sequence} - 1 AND cases.decision_id IS ${p.replaces}
    AND cases.fresh_reporters >= ${p.fewest}
    AND ${mayEndAppeal(p)}`
}

const insertDecision = statement((p: DecisionParams) => {
  const row = {
    id: p.id,
    case_id: p.case_id,
    sequence: p.sequence,
    round: sql`iif(${p.ends_reports}, cases.round, NULL)`,
    target_type: sql`cases.target_type`,
    target_id: sql`cases.target_id`,
    // An erasure of the owner has passed when the case has none any more: it removes the names of their things.
    name: sql`iif(cases.owner_id IS NULL, NULL, ${p.name})`,
    owner_id: sql`cases.owner_id`,
    moderator_id: p.moderator_id,
    action: p.action,
    ground: p.ground,
    rule: p.rule,
    statement: p.statement,
    note: p.note,
    rating: p.rating,
    is_automated: p.is_automated,
    first_reported_at: sql`cases.first_reported_at`,
    // An erasure of the owner that has not ended takes them out of what is older.
    created_at: sql`max(${p.now}, cases.created_at)`,
    appealable_until: p.appealable_until,
    key_hash: p.key_hash,
    request_hash: p.request_hash,
  }
  return sql<{ id: string }>`${insert(decisions, row, sql`FROM cases WHERE ${mayDecide(p)}`)} RETURNING id`
})

/** SQL: whether the batch has made the decision. */
const isMade = (p: Pick<DecisionParams, 'id'>) => sql`EXISTS (SELECT 1 FROM decisions WHERE id = ${p.id})`

const liftReplaced = statement(
  (p: DecisionParams) =>
    sql`UPDATE decisions SET lifted_at = ${p.now} WHERE id = ${p.replaces} AND lifted_at IS NULL AND ${isMade(p)}`,
)
const endAppeal = statement(
  (p: DecisionParams) =>
    sql`UPDATE appeals SET state = iif(${p.keeps_measure}, 'upheld', 'reversed'), decided_at = ${p.now}, decided_by = ${p.moderator_id}
      WHERE decision_id = ${p.replaces} AND state = 'open' AND ${isMade(p)}`,
)
const noticeToAppellant = statement((p: DecisionParams) =>
  noticeOfAppeal(
    p,
    sql`appeal.decision_id = ${p.replaces} AND appeal.decided_at = ${p.now} AND ${isMade(p)}`,
  ),
)
const noteDecision = statement(
  (p: DecisionParams) =>
    sql`UPDATE cases SET sequence = ${p.sequence}, decision_id = ${p.id}, changed_at = ${p.now},
        decided_at = iif(${p.ends_reports}, ${p.now}, decided_at),
        round = round + ${p.ends_reports}, report_count = iif(${p.ends_reports}, 0, report_count),
        illegal_count = iif(${p.ends_reports}, 0, illegal_count), categories = iif(${p.ends_reports}, '{}', categories),
        first_reported_at = iif(${p.ends_reports}, NULL, first_reported_at),
        last_reported_at = iif(${p.ends_reports}, NULL, last_reported_at),
        fresh_reporters = iif(${p.ends_reports}, 0, fresh_reporters)
      WHERE id = ${p.case_id} AND sequence = ${p.sequence} - 1 AND ${isMade(p)}`,
)

const dropKey = statement(
  (p: Params<'key_hash'>) => sql`UPDATE decisions SET key_hash = NULL WHERE key_hash = ${p.key_hash}`,
)

const withKey = statement(
  (p: Params<'key_hash'>) =>
    sql<
      Pick<typeof decisions.$inferSelect, 'id' | 'created_at' | 'request_hash'>
    >`SELECT id, created_at, request_hash FROM decisions WHERE key_hash = ${p.key_hash}`,
)

/** Who makes a decision, and under which further condition. */
interface Maker {
  /** null: the service itself. */
  moderator_id: string | null
  /** The fewest first-time reporters since the last decision. */
  fewest: number
  /** Whether the decision ends the open reports. */
  endsReports: boolean
  key?: IdempotencyKey | undefined
}

/** Makes a decision about a case as it was read. Returns its id; undefined when the case has changed since, or may not be decided so. */
export async function makeDecision(
  ctx: MeasureContext,
  found: DecidedCase,
  { action, ground, rule, statement: text, note, rating, is_automated, replaces }: NewDecision,
  { moderator_id, fewest, endsReports, key }: Maker,
): Promise<string | undefined> {
  const now = seconds(ctx)
  const decision_id = newId(moderator_id ?? '')
  const earlier = lastDecision(found)
  const values = {
    id: decision_id,
    case_id: found.id,
    sequence: found.sequence + 1,
    replaces,
    name: found.name,
    moderator_id,
    may_answer_own: Number(ctx.config.MODERATORS === 'single'),
    action,
    ground,
    rule,
    statement: text,
    note,
    rating,
    is_automated: Number(is_automated),
    ends_reports: Number(endsReports),
    keeps_measure: Number(earlier !== undefined && earlier.action === action && earlier.rating === rating),
    fewest,
    now,
    appealable_until: now + ctx.config.APPEAL_DAYS * DAY,
    key_hash: key ? await hashOfKey(key) : null,
    request_hash: key?.request_hash ?? null,
    due_at: dueAt(ctx),
  }
  const measure = {
    case_id: found.id,
    target_type: found.target_type,
    target_id: found.target_id,
    owner_id: found.owner_id,
    sequence: values.sequence,
    decision_id,
    action,
    rating,
    moderator_id,
    note,
  }
  const isMade = await changeMeasure(ctx, measure, insertDecision(values), [
    liftReplaced(values),
    endAppeal(values),
    noticeToAppellant(values),
    noteDecision(values),
  ])
  return isMade ? decision_id : undefined
}

/**
 * Decides about a case (docs/moderating.md). The decision takes the place of `replaces`, ends the open reports and an open appeal, and is
 * in force with the answer. With a key, a repetition within 24 hours decides nothing more. `onFound` is called with the case before anything is
 * refused or written.
 *
 * @throws CASE_NOT_FOUND, CASE_DECIDED, VALIDATION_FAILED (an action that the thing does not take), FORBIDDEN (an open appeal against the
 * moderator's own decision, or their own thing), IDEMPOTENCY_KEY_REUSED, UNAVAILABLE
 */
export async function decide(
  ctx: RequestContext,
  case_id: string,
  input: NewDecision,
  key?: IdempotencyKey,
  onFound: (found: DecidedCase) => void = () => {},
): Promise<DecisionWithAppeal> {
  const maker = { moderator_id: ctx.user_id, fewest: 0, endsReports: true, key }
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const found = await findCase(ctx, case_id)
    onFound(found)
    checkAction(found, input)
    expectImpartial(ctx, found)
    const isCurrent = found.decision_id === input.replaces
    const made_id = isCurrent ? await makeDecision(ctx, found, input, maker).catch(orTaken) : undefined
    if (made_id !== undefined) return readDecision(ctx, made_id)
    const earlier = key && (await madeBefore(ctx, key))
    if (earlier !== undefined) {
      if (found.applied < found.sequence) await applyMeasure(ctx, measureOf(found))
      return readDecision(ctx, earlier)
    }
    if (!isCurrent) throw caseDecided(lastDecision(found))
    expectOther(ctx, found)
  }
  throw unavailable('Too much is changing about this case at once. Try again.')
}

/** @throws VALIDATION_FAILED */
function checkAction({ target_type }: DecidedCase, { action }: NewDecision): void {
  const isTaken =
    target_type === 'asset' ||
    action === 'none' ||
    action === 'warn' ||
    (target_type === 'file' && action === 'block')
  if (isTaken) return
  const message =
    target_type === 'user' ? 'A user takes none and warn.' : 'A file takes none, warn and block.'
  throw new ApiError('VALIDATION_FAILED', {
    detail: message,
    errors: [{ in: 'body', path: '/action', message }],
  })
}

function caseDecided(decision: ModeratorsDecisionRow | undefined): ApiError {
  return new ApiError('CASE_DECIDED', {
    detail: decision
      ? 'Another decision is in force: look at it, and name it in `replaces`.'
      : 'No decision is in force any more: leave `replaces` out.',
    decision: decision ? moderatorsDecisionRecord(decision, null) : null,
  })
}

/** The key was used at the same time. */
function orTaken(error: unknown): undefined {
  if (error instanceof UniqueViolation) return undefined
  throw error
}

/** The id of the decision that the same key made within its lifetime. @throws IDEMPOTENCY_KEY_REUSED */
async function madeBefore(ctx: RequestContext, key: IdempotencyKey): Promise<string | undefined> {
  const key_hash = await hashOfKey(key)
  const { common } = ctx.databases
  const [earlier] = await common.read(withKey({ key_hash }))
  if (!earlier) return undefined
  if (earlier.created_at <= seconds(ctx) - KEY_LIFETIME_SECONDS) {
    await common.write(dropKey({ key_hash }))
    return undefined
  }
  if (earlier.request_hash !== key.request_hash) throw keyReused()
  return earlier.id
}
