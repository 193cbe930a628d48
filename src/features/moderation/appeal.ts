import { sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../../platform/context.ts'
import { newId } from '../../platform/db/id.ts'
import { appeals } from '../../platform/db/schema.ts'
import { insert, type Params, statement } from '../../platform/db/sql.ts'
import { createdAt } from '../../platform/db/watermark.ts'
import { ApiError } from '../../platform/errors.ts'
import { eventWriter } from '../../platform/events/record.ts'
import { type AppealRow, appealColumns } from './row.ts'
import { notBefore } from './target.ts'

type AppealParams = Params<'id' | 'decision_id' | 'user_id' | 'text' | 'now' | 'not_before'>

/** SQL: who may appeal against a row of `decisions`, and as what: its owner, or against `none` a reporter whose report it ended. */
const appellant = (p: Pick<AppealParams, 'user_id'>) => sql`CASE
  WHEN decision.owner_id = ${p.user_id} AND decision.action <> 'none' THEN 'owner'
  WHEN decision.action = 'none' AND EXISTS (SELECT 1 FROM reports AS ended
    WHERE ended.case_id = decision.case_id AND ended.round = decision.round AND ended.reporter_id = ${p.user_id}) THEN 'reporter' END`

const insertAppeal = statement((p: AppealParams) => {
  const row = {
    id: p.id,
    case_id: sql`decision.case_id`,
    decision_id: sql`decision.id`,
    by: sql`decision.appellant`,
    user_id: p.user_id,
    text: p.text,
    // After an erasure of the user that has not ended yet, which takes them out of what is older.
    created_at: sql`max(${p.not_before}, ${createdAt(p.now, p.user_id)})`,
  }
  // The decision is the case's last one: an earlier one has been lifted.
  const from = sql`FROM (SELECT decision.*, ${appellant(p)} AS appellant FROM decisions AS decision WHERE decision.id = ${p.decision_id}) AS decision
    WHERE decision.appellant IS NOT NULL AND decision.lifted_at IS NULL AND decision.appealable_until >= ${p.now}`
  return sql<{ id: string }>`${insert(appeals, row, from)} ON CONFLICT (decision_id) DO NOTHING RETURNING id`
})

const appealed = eventWriter('appeal.created', (p: Params<'id'>) => ({
  resource_id: sql`appeal.case_id`,
  data: {
    appeal_id: sql`appeal.id`,
    case_id: sql`appeal.case_id`,
    decision_id: sql`appeal.decision_id`,
    owner_id: sql`decision.owner_id`,
    by: sql`appeal.by`,
  },
  from: sql`FROM appeals AS appeal CROSS JOIN decisions AS decision ON decision.id = appeal.decision_id WHERE appeal.id = ${p.id}`,
}))

const appellantOf = statement(
  (p: Params<'decision_id' | 'user_id'>) =>
    sql<{
      by: AppealRow['by'] | null
    }>`SELECT ${appellant(p)} AS by FROM decisions AS decision WHERE decision.id = ${p.decision_id}`,
)

/** The appeal of this user against a decision, when it has this text. */
const sameAppeal = statement(
  (p: Params<'decision_id' | 'user_id' | 'text'>) => sql<AppealRow>`SELECT ${appealColumns} FROM appeals
    WHERE decision_id = ${p.decision_id} AND user_id = ${p.user_id} AND text = ${p.text}`,
)

/**
 * Appeals against a decision (docs/moderating.md): its owner against a measure or a warning, a reporter against `none`. A repetition with the
 * same text returns the appeal that is there.
 *
 * @throws DECISION_NOT_FOUND, APPEAL_CLOSED (there is one, the time is over, or the decision was lifted)
 */
export async function createAppeal(
  ctx: RequestContext,
  decision_id: string,
  text: string,
): Promise<AppealRow> {
  const { user_id } = ctx
  const not_before = await notBefore(ctx)
  const values = { id: newId(user_id), decision_id, user_id, text, now: seconds(ctx), not_before }
  const {
    appellants: [known],
    appeals: [appeal],
  } = await ctx.databases.common.write({
    appellants: appellantOf({ decision_id, user_id }),
    made: insertAppeal(values),
    events: appealed(ctx, values),
    appeals: sameAppeal(values),
  })
  if (!known || known.by === null) throw new ApiError('DECISION_NOT_FOUND')
  if (!appeal) throw new ApiError('APPEAL_CLOSED')
  return appeal
}
