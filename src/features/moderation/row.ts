import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import { appeals, decisions, reports } from '../../platform/db/schema.ts'
import { columnsOf, type RowOf } from '../../platform/db/sql.ts'
import type { Appeal, Decision, ModeratorsDecision, Report } from './schema.ts'

const { case_id: _case, user_id: _user, decided_by: _by, ...shownOfAppeal } = getTableColumns(appeals)

/** An appeal without the user and the moderator. */
export interface AppealRow extends RowOf<typeof shownOfAppeal> {}

/** SQL: the columns of an AppealRow. */
export const appealColumns = columnsOf(shownOfAppeal)

const { case_id, sequence, round, first_reported_at, key_hash, request_hash, ...shownColumns } =
  getTableColumns(decisions)
const { moderator_id, note, ...ownColumns } = shownColumns

/** A decision without what only moderators see. */
export interface DecisionRow extends RowOf<typeof ownColumns> {}

/** A decision as moderators see it. */
export interface ModeratorsDecisionRow extends RowOf<typeof shownColumns> {}

/** SQL: the columns of a DecisionRow, with those of its appeal. */
export const decisionColumns = columnsOf(ownColumns, 'decision')

/** SQL: the columns of a ModeratorsDecisionRow. */
export const moderatorsColumns = columnsOf(shownColumns, 'decision')

/** SQL: the columns of an appeal, each under its name with a prefix, so that one row has a decision and its appeal. */
export const appealColumnsJoined = Object.keys(shownOfAppeal)
  .map((name) => `appeal.${name} AS appeal_${name}`)
  .join(', ')

/** A row that has the columns of an appeal (`appealColumnsJoined`); null in all of them without one. */
export type WithAppeal = {
  [Name in keyof AppealRow as `appeal_${Name}`]: AppealRow[Name] | null
}

/** The appeal of a joined row; null without one. */
export function appealIn(row: WithAppeal): Appeal | null {
  const {
    appeal_id: id,
    appeal_decision_id: decision_id,
    appeal_by: by,
    appeal_text: text,
    appeal_state: state,
    appeal_answer: answer,
    appeal_created_at: created_at,
    appeal_decided_at: decided_at,
  } = row
  if (id === null || decision_id === null || by === null || text === null || state === null) return null
  if (created_at === null) return null
  return { id, decision_id, by, text, state, answer, created_at, decided_at }
}

/** An appeal as the API shows it. */
export function appealRecord({
  id,
  decision_id,
  by,
  text,
  state,
  answer,
  created_at,
  decided_at,
}: AppealRow): Appeal {
  return { id, decision_id, by, text, state, answer, created_at, decided_at }
}

/** A decision as the API shows it to whom it concerns. */
export function decisionRecord(row: DecisionRow, appeal: Appeal | null): Decision {
  const { id, target_type, target_id, name, owner_id, action, ground, rule, statement, rating } = row
  const { is_automated, created_at, lifted_at, appealable_until } = row
  return {
    id,
    target: { type: target_type, id: target_id },
    name,
    owner_id,
    action,
    ground,
    rule,
    statement,
    rating,
    is_automated: is_automated === 1,
    created_at,
    lifted_at,
    appealable_until,
    appeal,
  }
}

/** A decision as the API shows it to moderators. */
export function moderatorsDecisionRecord(
  row: ModeratorsDecisionRow,
  appeal: Appeal | null,
): ModeratorsDecision {
  const { moderator_id, note } = row
  return { ...decisionRecord(row, appeal), moderator_id, note }
}

const {
  case_id: __,
  round: _____,
  reporter_id,
  key_hash: ___,
  request_hash: ____,
  ...reportColumns
} = getTableColumns(reports)

/** A report, with the decision that ended it and the reporter's own appeal against that. */
export interface ReportRow extends RowOf<typeof reportColumns>, WithAppeal {
  decision_id: string | null
  action: DecisionRow['action'] | null
  /** When the decision was made. */
  decided_at: number | null
}

/** SQL: the columns of a ReportRow. */
export const reportColumnsJoined = `${Object.keys(reportColumns)
  .map((name) => `report.${name}`)
  .join(
    ', ',
  )}, decision.id AS decision_id, decision.action, decision.created_at AS decided_at, ${appealColumnsJoined}`

/** SQL: the joins of a report with its decision and the reporter's own appeal. */
export const reportJoins =
  sql.raw(`LEFT JOIN decisions AS decision ON decision.case_id = report.case_id AND decision.round = report.round
  LEFT JOIN appeals AS appeal ON appeal.decision_id = decision.id AND appeal.user_id = report.reporter_id`)

/** SQL: a SELECT of the ReportRows that `which` (`report.… = …`) selects, with `more` columns (`, report.…`). */
export function selectReports<More = unknown>(which: SQL, more = sql.empty()): SQL<ReportRow & More> {
  return sql<
    ReportRow & More
  >`SELECT ${sql.raw(reportColumnsJoined)} ${more} FROM reports AS report ${reportJoins} WHERE ${which}`
}

/** A report as the API shows it to its reporter. */
export function reportRecord(row: ReportRow): Report {
  const { id, target_type, target_id, category, text, is_illegal, created_at, decided_at } = row
  const { decision_id, action } = row
  const decision =
    decision_id !== null && action !== null && decided_at !== null
      ? { id: decision_id, action, created_at: decided_at, appeal: appealIn(row) }
      : null
  return {
    id,
    target: { type: target_type, id: target_id },
    category,
    text,
    is_illegal: is_illegal === 1,
    state: decided_at === null ? 'open' : 'decided',
    created_at,
    decided_at,
    decision,
  }
}
