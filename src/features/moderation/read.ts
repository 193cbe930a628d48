import { type SQL, sql } from 'drizzle-orm'
import type { RequestContext } from '../../platform/context.ts'
import { isWholeNumber, type Page, type PageRequest, pageOf, positionAt } from '../../platform/db/keyset.ts'
import { type Params, perShape, statement } from '../../platform/db/sql.ts'
import { ApiError } from '../../platform/errors.ts'
import {
  appealColumnsJoined,
  type DecisionRow,
  decisionColumns,
  type ModeratorsDecisionRow,
  moderatorsColumns,
  type ReportRow,
  selectReports,
  type WithAppeal,
} from './row.ts'

type OwnParams = Params<'user_id' | 'created_at' | 'id' | 'limit'>

const pageOfReports = perShape((isFirst: boolean) =>
  statement((p: OwnParams) => {
    const after = isFirst ? sql.empty() : sql`AND (report.created_at, report.id) < (${p.created_at}, ${p.id})`
    return selectReports(
      sql`report.reporter_id = ${p.user_id} ${after} ORDER BY report.created_at DESC, report.id DESC LIMIT ${p.limit}`,
    )
  }),
)

const ownReport = statement((p: Params<'id' | 'user_id'>) =>
  selectReports(sql`report.id = ${p.id} AND report.reporter_id = ${p.user_id}`),
)

/** Lists the caller's reports, newest first. @throws INVALID_CURSOR */
export async function listReports(
  { databases, user_id }: RequestContext,
  { limit, cursor }: PageRequest,
): Promise<Page<ReportRow>> {
  const list = ['reports']
  const after = positionAt(cursor, list, isWholeNumber)
  const values = { user_id, created_at: after?.key ?? null, id: after?.id ?? null, limit: limit + 1 }
  const rows = await databases.common.read(pageOfReports(after === undefined)(values))
  return pageOf(list, rows, limit, ({ created_at }) => created_at)
}

/** Reads a report of the caller's. @throws REPORT_NOT_FOUND */
export async function readReport({ databases, user_id }: RequestContext, id: string): Promise<ReportRow> {
  const [report] = await databases.common.read(ownReport({ id, user_id }))
  if (!report) throw new ApiError('REPORT_NOT_FOUND')
  return report
}

type OwnDecision = DecisionRow & WithAppeal

/** SQL: a SELECT of the decisions about the user's things, with the owner's appeals. */
const ownDecisions = (user_id: Params<'user_id'>['user_id'], which: ReturnType<typeof sql>) =>
  sql<OwnDecision>`SELECT ${decisionColumns}, ${sql.raw(appealColumnsJoined)} FROM decisions AS decision
    LEFT JOIN appeals AS appeal ON appeal.decision_id = decision.id AND appeal.by = 'owner'
    WHERE decision.owner_id = ${user_id} AND decision.action <> 'none' AND ${which}`

const pageOfDecisions = perShape((isFirst: boolean) =>
  statement((p: OwnParams) =>
    ownDecisions(
      p.user_id,
      sql`${isFirst ? sql`true` : sql`(decision.created_at, decision.id) < (${p.created_at}, ${p.id})`}
        ORDER BY decision.created_at DESC, decision.id DESC LIMIT ${p.limit}`,
    ),
  ),
)

const ownDecisionById = statement((p: Params<'id' | 'user_id'>) =>
  ownDecisions(p.user_id, sql`decision.id = ${p.id}`),
)

/** Lists the decisions about the caller's things, newest first, also about those that are blocked or gone. @throws INVALID_CURSOR */
export async function listDecisions(
  { databases, user_id }: RequestContext,
  { limit, cursor }: PageRequest,
): Promise<Page<OwnDecision>> {
  const list = ['decisions']
  const after = positionAt(cursor, list, isWholeNumber)
  const values = { user_id, created_at: after?.key ?? null, id: after?.id ?? null, limit: limit + 1 }
  const rows = await databases.common.read(pageOfDecisions(after === undefined)(values))
  return pageOf(list, rows, limit, ({ created_at }) => created_at)
}

/** Reads a decision about a thing of the caller's. @throws DECISION_NOT_FOUND */
export async function readOwnDecision(
  { databases, user_id }: RequestContext,
  id: string,
): Promise<OwnDecision> {
  const [decision] = await databases.common.read(ownDecisionById({ id, user_id }))
  if (!decision) throw new ApiError('DECISION_NOT_FOUND')
  return decision
}

/** A decision as moderators see it, with its appeal. */
export type DecisionWithAppeal = ModeratorsDecisionRow & WithAppeal

const appealJoined = sql.raw('LEFT JOIN appeals AS appeal ON appeal.decision_id = decision.id')

/** SQL: a SELECT of the decisions with their appeals that `which` (`decision.… = …`) selects. */
export function selectDecisions(which: SQL): SQL<DecisionWithAppeal> {
  return sql<DecisionWithAppeal>`SELECT ${moderatorsColumns}, ${sql.raw(appealColumnsJoined)}
    FROM decisions AS decision ${appealJoined} WHERE ${which}`
}

const decisionById = statement((p: Params<'id'>) => selectDecisions(sql`decision.id = ${p.id}`))

/** Reads a decision with its appeal. @throws DECISION_NOT_FOUND */
export async function readDecision(
  { databases }: Pick<RequestContext, 'databases'>,
  decision_id: string,
): Promise<DecisionWithAppeal> {
  const [found] = await databases.common.read(decisionById({ id: decision_id }))
  if (!found) throw new ApiError('DECISION_NOT_FOUND')
  return found
}
