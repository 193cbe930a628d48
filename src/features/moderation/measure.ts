import { type SQL, sql } from 'drizzle-orm'
import type { RequestContext } from '../../platform/context.ts'
import type { Answers, Named } from '../../platform/db/database.ts'
import { measures } from '../../platform/db/schema.ts'
import { insert, type Params, type Prepared, perShape, statement } from '../../platform/db/sql.ts'
import { isNotErased } from '../../platform/db/watermark.ts'
import { eventWriter } from '../../platform/events/record.ts'
import { assetPublished } from '../assets/events.ts'
import { markShown, writeAsset } from '../catalogue/write.ts'
import { exists } from '../files/path.ts'
import { dueAt, noticeToOwner, noticeToReporters, sendNotices } from './notices.ts'
import type { ModeratorsDecisionRow } from './row.ts'

/*
 * The measure of a case: what the last decision does to its thing. A case counts its changes in `sequence`. The thing has the measure of
 * the highest number that reached it (`measures.sequence`), and the case the number that certainly did (`cases.applied`). With one database
 * a change is one batch. With several it is written at the case, then at the thing, then confirmed at the case; the job goes on with what was
 * cut off. Both are idempotent: a number that arrives late, or twice, changes nothing.
 */

/** The parts of a context that a change of a measure uses. */
export type MeasureContext = Pick<
  RequestContext,
  'databases' | 'config' | 'now_ms' | 'afterwards' | 'ended' | 'inboxes'
>

/** The measure of a case after a change. */
export interface Measure {
  case_id: string
  target_type: ModeratorsDecisionRow['target_type']
  target_id: string
  /** The owner of the thing; null: erased. */
  owner_id: string | null
  sequence: number
  /** The decision that is in force; null: the last one was lifted. */
  decision_id: string | null
  action: ModeratorsDecisionRow['action']
  rating: ModeratorsDecisionRow['rating']
  moderator_id: string | null
  note: string | null
}

/** Whether an action is a measure, which stays in force until it is lifted. */
export function isMeasure(action: ModeratorsDecisionRow['action']): boolean {
  return action === 'rate' || action === 'unlist' || action === 'block'
}

type MeasureParams = Params<
  'id' | 'case_id' | 'sequence' | 'decision_id' | 'action' | 'rating' | 'moderator_id' | 'note'
>

const isPresentAsset = (id: SQL) => sql`id = ${id} AND purging = 0 AND ${isNotErased}`

/**
 * The statements that write a measure at its thing. `isGuarded`: the case is in the same database, and has this measure only if an earlier
 * statement of the batch has changed it.
 */
const statementsOf = perShape(
  ({ kind, isGuarded }: { kind: (typeof measures.$inferSelect)['kind']; isGuarded: boolean }) => {
    const [table, isPresent] =
      kind === 'assets'
        ? [sql`game_assets`, (p: MeasureParams) => isPresentAsset(p.id)]
        : [sql`files`, (p: MeasureParams) => sql`id = ${p.id} AND ${exists(p.id)}`]
    const mayChange = (p: MeasureParams) =>
      isGuarded
        ? sql`EXISTS (SELECT 1 FROM cases AS changed WHERE changed.id = ${p.case_id} AND changed.sequence = ${p.sequence}
            AND changed.decision_id IS ${p.decision_id})`
        : sql`true`
    const isNewer = (
      p: MeasureParams,
    ) => sql`${mayChange(p)} AND NOT EXISTS (SELECT 1 FROM measures AS earlier
      WHERE earlier.kind = ${kind} AND earlier.id = ${p.id} AND earlier.sequence >= ${p.sequence})`
    const rating = kind === 'assets' ? sql`rating` : sql`NULL`
    return {
      blocked: eventWriter('content.blocked', (p: MeasureParams) => ({
        resource_id: sql`id`,
        data: { kind, id: sql`id`, owner_id: sql`owner_id`, blocked_by: p.moderator_id },
        from: sql`FROM ${table} WHERE ${isPresent(p)} AND blocked = 0 AND ${p.action} = 'block' AND ${isNewer(p)}`,
      })),
      published:
        kind === 'assets'
          ? assetPublished(
              (p: MeasureParams) => sql`${isPresentAsset(p.id)} AND blocked = 1 AND visibility = 'public'
                AND deleted_at IS NULL AND ${p.action} <> 'block' AND ${isNewer(p)}
                AND EXISTS (SELECT 1 FROM measures AS lifted WHERE lifted.kind = 'assets' AND lifted.id = ${p.id} AND lifted.action = 'block')`,
            )
          : () => [],
      write: statement((p: MeasureParams) => {
        const row = {
          kind,
          id: sql`id`,
          sequence: p.sequence,
          decision_id: p.decision_id,
          action: p.action,
          rating: p.rating,
          rating_before: rating,
        }
        // The first decision of a case that is no measure has nothing to take back, except from an own branch of what has one.
        const changes = sql`(${p.sequence} > 1 OR ${p.action} <> 'none' OR EXISTS (SELECT 1 FROM measures AS taken_over
          WHERE taken_over.kind = ${kind} AND taken_over.id = ${p.id}))`
        return sql`${insert(measures, row, sql`FROM ${table} WHERE ${isPresent(p)} AND ${changes} AND ${mayChange(p)}`)}
          ON CONFLICT (kind, id) DO UPDATE SET sequence = excluded.sequence, decision_id = excluded.decision_id,
            action = excluded.action, rating = excluded.rating,
            rating_before = iif(measures.action = 'rate', measures.rating_before, excluded.rating_before)
          WHERE excluded.sequence > measures.sequence`
      }),
      record: statement(
        (p: MeasureParams) => sql`UPDATE blocks SET blocked_by = ${p.moderator_id}, reason = ${p.note}
          WHERE kind = ${kind} AND id = ${p.id} AND ${p.action} = 'block' AND EXISTS (SELECT 1 FROM measures AS written
            WHERE written.kind = ${kind} AND written.id = ${p.id} AND written.decision_id = ${p.decision_id}
              AND written.sequence = ${p.sequence})`,
      ),
    }
  },
)

const markAsset = statement((p: Params<'id'>) => markShown(p.id, isPresentAsset(p.id)))

const confirm = statement(
  (p: Params<'case_id' | 'sequence'>) =>
    sql`UPDATE cases SET applied = ${p.sequence} WHERE id = ${p.case_id} AND applied < ${p.sequence} AND sequence >= ${p.sequence}`,
)

/** The events of the decisions that a confirmation puts into force. They precede it, in its batch. */
const decided = eventWriter('decision.made', (p: Params<'case_id' | 'sequence'>) => ({
  resource_id: sql`decision.case_id`,
  data: {
    decision_id: sql`decision.id`,
    case_id: sql`decision.case_id`,
    target_type: sql`decision.target_type`,
    target_id: sql`decision.target_id`,
    owner_id: sql`decision.owner_id`,
    action: sql`decision.action`,
    ground: sql`decision.ground`,
    is_automated: sql`json(iif(decision.is_automated, 'true', 'false'))`,
  },
  from: sql`FROM cases AS confirmed CROSS JOIN decisions AS decision ON decision.case_id = confirmed.id
    WHERE confirmed.id = ${p.case_id} AND decision.sequence > confirmed.applied AND decision.sequence <= ${p.sequence}
      AND confirmed.sequence >= ${p.sequence}`,
}))

/** The statements that write down that the thing has its measure, with the notifications and events of the decisions. */
function confirmation(ctx: MeasureContext, { case_id, sequence }: Measure) {
  const values = { case_id, sequence }
  return {
    toOwner: noticeToOwner({ ...values, due_at: dueAt(ctx) }),
    toReporters: noticeToReporters({ ...values, due_at: dueAt(ctx) }),
    decided: decided(ctx, values),
    confirmed: confirm(values),
  }
}

/** The statements that write the measure at its thing, and what a batch with them has to do for the catalogue. */
function atThing(ctx: MeasureContext, measure: Measure, isGuarded: boolean) {
  const { target_type, target_id: id, case_id, sequence, decision_id, rating, moderator_id, note } = measure
  const action = isMeasure(measure.action) ? measure.action : 'none'
  const statements = statementsOf({ kind: target_type === 'asset' ? 'assets' : 'files', isGuarded })
  const values = { id, case_id, sequence, decision_id, action, rating, moderator_id, note }
  return {
    blocked: statements.blocked(ctx, values),
    published: statements.published(ctx, values),
    measure: statements.write(values),
    record: statements.record(values),
  }
}

/** Writes at a thing, with its entry in the catalogue and the pictures that end. */
function writeAtThing<Statements extends Named>(
  ctx: MeasureContext,
  { target_type, target_id, owner_id }: Measure,
  statements: Statements,
): Promise<Answers<Statements>> {
  const home = ctx.databases.of(target_id)
  // Before the write, which may happen although its answer is lost.
  if (target_type === 'asset') ctx.ended.push(['asset', target_id])
  else if (owner_id !== null) ctx.ended.push(['profile', owner_id])
  if (target_type !== 'asset') return home.write(statements)
  return writeAsset(ctx, home, statements, { asset_id: target_id, markFirst: markAsset({ id: target_id }) })
}

/**
 * Changes a case and the measure of its thing. `made` changes the case and returns a row; when its conditions do not hold, nothing changes
 * anywhere. `change` are further statements of its batch, which repeat its conditions. Returns whether the case has changed.
 *
 * @throws UNAVAILABLE, also after the case has changed: then the job brings the measure to its thing
 */
export async function changeMeasure(
  ctx: MeasureContext,
  measure: Measure,
  made: Prepared<{ id: string }>,
  change: Prepared[],
): Promise<boolean> {
  const { databases } = ctx
  if (measure.target_type === 'user' || !databases.isSingle) {
    const ends = measure.target_type === 'user' ? confirmation(ctx, measure) : {}
    const { made: rows } = await databases.common.write({ made, along: change, ...ends })
    if (rows.length === 0) return false
    if (measure.target_type !== 'user') await applyMeasure(ctx, measure)
  } else {
    const { made: rows } = await writeAtThing(ctx, measure, {
      made,
      along: change,
      ...atThing(ctx, measure, true),
      ...confirmation(ctx, measure),
    })
    if (rows.length === 0) return false
  }
  ctx.afterwards((later) => sendNotices(later, measure.case_id))
  return true
}

/** Brings the measure of a changed case to its thing, and confirms it at the case. @throws UNAVAILABLE */
export async function applyMeasure(ctx: MeasureContext, measure: Measure): Promise<void> {
  await writeAtThing(ctx, measure, atThing(ctx, measure, false))
  await ctx.databases.common.write(confirmation(ctx, measure))
}
