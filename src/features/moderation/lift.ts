import { sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../../platform/context.ts'
import { type Params, statement } from '../../platform/db/sql.ts'
import { ApiError, unavailable } from '../../platform/errors.ts'
import { type DecidedCase, expectImpartial, expectOther, findCase, mayEndAppeal, measureOf } from './case.ts'
import { applyMeasure, changeMeasure, type MeasureContext } from './measure.ts'
import { dueAt, noticeOfAppeal, sendNotices } from './notices.ts'
import { type AppealRow, appealColumns } from './row.ts'

const MAX_TRIES = 5

type LiftParams = Params<
  | 'case_id'
  | 'decision_id'
  | 'sequence'
  | 'now'
  | 'due_at'
  | 'answer'
  | 'moderator_id'
  | 'is_none'
  | 'may_answer_own'
>

/** SQL: whether the batch has lifted the decision. */
const isLifted = (p: LiftParams) =>
  sql`EXISTS (SELECT 1 FROM cases WHERE id = ${p.case_id} AND sequence = ${p.sequence} AND decision_id IS NULL)`

/**
 * `answer` is set when the lifting is the answer to an appeal, which has to be open then. The end of a `none` with an open appeal, by an
 * answer or not, opens the case again.
 */
const liftAtCase = statement(
  (p: LiftParams) =>
    sql<{ id: string }>`UPDATE cases SET sequence = ${p.sequence}, decision_id = NULL, changed_at = ${p.now},
        decided_at = iif(${p.is_none} AND appealed_at IS NOT NULL, NULL, ${p.now}), fresh_reporters = 0
      WHERE id = ${p.case_id} AND decision_id = ${p.decision_id} AND sequence = ${p.sequence} - 1
        AND (${p.answer} IS NULL OR appealed_at IS NOT NULL)
        AND ${mayEndAppeal(p)} RETURNING id`,
)
const liftDecisionRow = statement(
  (p: LiftParams) =>
    sql`UPDATE decisions SET lifted_at = ${p.now} WHERE id = ${p.decision_id} AND lifted_at IS NULL AND ${isLifted(p)}`,
)
const reverseAppeal = statement(
  (p: LiftParams) =>
    sql`UPDATE appeals SET state = 'reversed', answer = ${p.answer}, decided_by = ${p.moderator_id}, decided_at = ${p.now}
      WHERE decision_id = ${p.decision_id} AND state = 'open' AND ${isLifted(p)}`,
)
const noticeOfReversal = statement((p: LiftParams) =>
  noticeOfAppeal(
    p,
    sql`appeal.decision_id = ${p.decision_id} AND appeal.decided_at = ${p.now} AND ${isLifted(p)}`,
  ),
)

/** Lifts the decision of a case as it was read. Returns false when the case has changed since. */
async function lift(
  ctx: MeasureContext & Pick<RequestContext, 'user_id'>,
  found: DecidedCase,
  answer: string | null,
): Promise<boolean> {
  const { action } = measureOf(found)
  const values = {
    case_id: found.id,
    decision_id: found.decision_id,
    sequence: found.sequence + 1,
    now: seconds(ctx),
    due_at: dueAt(ctx),
    answer,
    moderator_id: ctx.user_id,
    is_none: Number(action === 'none'),
    may_answer_own: Number(ctx.config.MODERATORS === 'single'),
  }
  const measure = {
    ...measureOf(found),
    sequence: values.sequence,
    decision_id: null,
    action: 'none' as const,
    rating: null,
  }
  return changeMeasure(ctx, measure, liftAtCase(values), [
    liftDecisionRow(values),
    reverseAppeal(values),
    noticeOfReversal(values),
  ])
}

const caseOfDecision = statement(
  (p: Params<'id'>) =>
    sql<{
      case_id: string
    }>`SELECT case_id FROM decisions WHERE id = ${p.id}`,
)

/**
 * Lifts what a decision did (docs/moderating.md). An open appeal against it is reversed with it. A second time changes nothing.
 * `onFound` is called with the case before anything is refused or written.
 *
 * @throws DECISION_NOT_FOUND, FORBIDDEN (their own thing, or an open appeal against their own decision), UNAVAILABLE
 */
export async function liftDecision(
  ctx: RequestContext,
  decision_id: string,
  onFound: (found: DecidedCase) => void = () => {},
): Promise<void> {
  const [decision] = await ctx.databases.common.read(caseOfDecision({ id: decision_id }))
  if (!decision) throw new ApiError('DECISION_NOT_FOUND')
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const found = await findCase(ctx, decision.case_id)
    onFound(found)
    if (found.decision_id !== decision_id) {
      // An earlier request may have been cut off before the thing had the lifting.
      if (found.applied < found.sequence) await applyMeasure(ctx, measureOf(found))
      return
    }
    expectImpartial(ctx, found)
    expectOther(ctx, found)
    if (await lift(ctx, found, null)) return
  }
  throw unavailable('Too much is changing about this case at once. Try again.')
}

const upholdAppeal = statement(
  (p: Params<'decision_id' | 'answer' | 'moderator_id' | 'now'>) =>
    sql<{
      id: string
    }>`UPDATE appeals SET state = 'upheld', answer = ${p.answer}, decided_by = ${p.moderator_id}, decided_at = ${p.now}
      WHERE decision_id = ${p.decision_id} AND state = 'open' RETURNING id`,
)
const noticeOfUpheld = statement((p: Params<'case_id' | 'decision_id' | 'due_at'>) =>
  noticeOfAppeal(p, sql`appeal.decision_id = ${p.decision_id} AND appeal.state = 'upheld'`),
)
const appealAgainst = statement(
  (p: Params<'decision_id'>) => sql<AppealRow & { user_id: string | null }>`SELECT ${appealColumns}, user_id
    FROM appeals WHERE decision_id = ${p.decision_id}`,
)

/** The answer of a moderator to an appeal. */
interface Answer {
  outcome: 'upheld' | 'reversed'
  answer: string
}

/**
 * Answers the open appeal of a case (docs/moderating.md). A reversal lifts the measure with its answer; against `none` the case is open again.
 * `onFound` is called with the case before anything is refused or written. Returns the appeal.
 *
 * @throws CASE_NOT_FOUND, APPEAL_CLOSED, FORBIDDEN (the moderator's own decision, thing or appeal), UNAVAILABLE
 */
export async function answerAppeal(
  ctx: RequestContext,
  case_id: string,
  { outcome, answer }: Answer,
  onFound: (found: DecidedCase) => void = () => {},
): Promise<AppealRow> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const found = await findCase(ctx, case_id)
    onFound(found)
    const { decision_id } = found
    if (decision_id === null || found.appealed_at === null) throw new ApiError('APPEAL_CLOSED')
    expectImpartial(ctx, found)
    expectOther(ctx, found)
    const [open] = await ctx.databases.common.read(appealAgainst({ decision_id }))
    if (!open) continue
    const { user_id, ...appeal } = open
    expectImpartial(ctx, { owner_id: user_id })
    const isAnswered =
      outcome === 'reversed'
        ? await lift(ctx, found, answer)
        : await uphold(ctx, { case_id, decision_id }, answer)
    if (isAnswered) return { ...appeal, state: outcome, answer, decided_at: seconds(ctx) }
  }
  throw unavailable('Too much is changing about this case at once. Try again.')
}

/** Writes that an appeal is upheld. Returns whether it was open. */
async function uphold(
  ctx: RequestContext,
  { case_id, decision_id }: { case_id: string; decision_id: string },
  answer: string,
): Promise<boolean> {
  const { upheld } = await ctx.databases.common.write({
    upheld: upholdAppeal({ decision_id, answer, moderator_id: ctx.user_id, now: seconds(ctx) }),
    notice: noticeOfUpheld({ case_id, decision_id, due_at: dueAt(ctx) }),
  })
  if (upheld.length === 0) return false
  ctx.afterwards((later) => sendNotices(later, case_id))
  return true
}
