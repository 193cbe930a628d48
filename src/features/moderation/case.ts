import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { RequestContext } from '../../platform/context.ts'
import { cases } from '../../platform/db/schema.ts'
import { columnsOf, insert, type Params, type RowOf, statement } from '../../platform/db/sql.ts'
import { ApiError } from '../../platform/errors.ts'
import type { Measure } from './measure.ts'
import type { ModeratorsDecisionRow } from './row.ts'
import { nameOf } from './target.ts'

const {
  id,
  target_type,
  target_id,
  owner_id,
  sequence,
  applied,
  decision_id,
  decision,
  appealed_at,
  fresh_reporters,
} = getTableColumns(cases)
const decidedColumns = {
  id,
  target_type,
  target_id,
  owner_id,
  sequence,
  applied,
  decision_id,
  decision,
  appealed_at,
  fresh_reporters,
}

/** A case as a decision needs it, and the name of its thing. */
export interface DecidedCase extends RowOf<typeof decidedColumns> {
  name: string | null
}

const caseById = statement(
  (p: Params<'id'>) => sql<DecidedCase>`SELECT ${columnsOf(decidedColumns, 'decided')},
    ${nameOf(sql`decided.target_type`, sql`decided.target_id`)} AS name FROM cases AS decided WHERE decided.id = ${p.id}`,
)

const nameElsewhere = statement(
  (p: Params<'type' | 'id'>) => sql<{ name: string | null }>`SELECT ${nameOf(p.type, p.id)} AS name`,
)

/** The name of a thing in another database than the first; null when it is gone, and for a user. */
async function readName(
  { databases }: Pick<RequestContext, 'databases'>,
  type: DecidedCase['target_type'],
  thing_id: string,
): Promise<string | null> {
  const home = databases.of(thing_id)
  home.usePrimary()
  const [found] = await home.read(nameElsewhere({ type, id: thing_id }))
  return found?.name ?? null
}

/** Reads a case for a decision, with the name of its thing. @throws CASE_NOT_FOUND */
export async function findCase(
  ctx: Pick<RequestContext, 'databases'>,
  case_id: string,
): Promise<DecidedCase> {
  const [found] = await ctx.databases.common.read(caseById({ id: case_id }))
  if (!found) throw new ApiError('CASE_NOT_FOUND')
  if (ctx.databases.isSingle || found.target_type === 'user') return found
  return { ...found, name: await readName(ctx, found.target_type, found.target_id) }
}

/** The last decision as triggers keep it, lifted or not; undefined before the first one. */
export function decisionIn({ decision }: Pick<DecidedCase, 'decision'>): ModeratorsDecisionRow | undefined {
  return decision === null ? undefined : JSON.parse(decision)
}

/** The decision that is in force; undefined when there is none. */
export function lastDecision(found: DecidedCase): ModeratorsDecisionRow | undefined {
  return found.decision_id === null ? undefined : decisionIn(found)
}

/** The measure that a case has now. */
export function measureOf(found: DecidedCase): Measure {
  const decision = lastDecision(found)
  return {
    case_id: found.id,
    target_type: found.target_type,
    target_id: found.target_id,
    owner_id: found.owner_id,
    sequence: found.sequence,
    decision_id: found.decision_id,
    action: decision?.action ?? 'none',
    rating: decision?.rating ?? null,
    moderator_id: decision?.moderator_id ?? null,
    note: decision?.note ?? null,
  }
}

/**
 * Nobody decides about their own things, and nobody about themselves, unless the studio has one moderator.
 *
 * @throws FORBIDDEN
 */
export function expectImpartial(
  { config, user_id }: Pick<RequestContext, 'config' | 'user_id'>,
  { owner_id }: Pick<DecidedCase, 'owner_id'>,
): void {
  if (config.MODERATORS === 'single' || owner_id !== user_id) return
  throw new ApiError('FORBIDDEN', {
    detail: 'It is your own: another moderator decides. MODERATORS=single allows it.',
  })
}

/** SQL: whether this moderator may end an open appeal of a row of `cases`: somebody else decided, or the studio has one moderator. */
export function mayEndAppeal(p: Params<'moderator_id' | 'may_answer_own'>): SQL {
  return sql`(cases.appealed_at IS NULL OR ${p.may_answer_own} OR cases.decision ->> 'moderator_id' IS NOT ${p.moderator_id})`
}

/** Rejects what would end an open appeal against the moderator's own decision, as `mayEndAppeal` decides. @throws FORBIDDEN */
export function expectOther(
  { config, user_id }: Pick<RequestContext, 'config' | 'user_id'>,
  found: DecidedCase,
): void {
  if (found.appealed_at === null || config.MODERATORS === 'single') return
  if (lastDecision(found)?.moderator_id !== user_id) return
  throw new ApiError('FORBIDDEN', {
    detail: 'You made the decision: another moderator answers the appeal. MODERATORS=single allows it.',
  })
}

/**
 * SQL: the INSERT of the case of each target in `from` (`FROM … AS target WHERE …`), unless there is one. An erasure of the owner that has
 * not ended takes them out of what is older than its watermark: the case of a thing that was made since is newer.
 */
export function insertCase(
  id: SQL,
  { target_type, target_id, now }: Params<'target_type' | 'target_id' | 'now'>,
  from: SQL,
): SQL {
  const row = {
    id,
    target_type,
    target_id,
    owner_id: sql`target.owner_id`,
    created_at: sql`max(${now}, target.erased_until + 1)`,
    changed_at: now,
  }
  return sql`${insert(cases, row, from)} ON CONFLICT (target_type, target_id) DO NOTHING`
}
