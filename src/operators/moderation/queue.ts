import { getTableColumns, sql } from 'drizzle-orm'
import { decisionIn } from '../../features/moderation/case.ts'
import { type AppealRow, appealRecord, moderatorsDecisionRecord } from '../../features/moderation/row.ts'
import type { ModeratorsDecision } from '../../features/moderation/schema.ts'
import { nameOf } from '../../features/moderation/target.ts'
import type { RequestContext } from '../../platform/context.ts'
import { isWholeNumber, type Page, positionAt, positionedPage } from '../../platform/db/keyset.ts'
import { type caseCategories, cases } from '../../platform/db/schema.ts'
import { columnsOf, type Params, perShape, type RowOf, statement } from '../../platform/db/sql.ts'
import { erasedUntil } from '../../platform/db/watermark.ts'
import { readByIds } from '../../platform/shards/homes.ts'
import type { Case, ListCases } from './schema.ts'

const { id, target_type, target_id, owner_id, state, sort_at, report_count, illegal_count, categories } =
  getTableColumns(cases)
const { first_reported_at, last_reported_at, decision_id, decision, appeal, seen } = getTableColumns(cases)
const columns = {
  id,
  target_type,
  target_id,
  owner_id,
  state,
  sort_at,
  report_count,
  illegal_count,
  categories,
  first_reported_at,
  last_reported_at,
  decision_id,
  decision,
  appeal,
  seen,
}

/** A case as the queue and its own page show it. */
export interface CaseRow extends RowOf<typeof columns> {
  /** The name of the thing; null when it is gone, or in another database. */
  name: string | null
}

/** SQL: the columns of a CaseRow. */
export const caseColumns = sql`${columnsOf(columns, 'found')}, ${nameOf(sql`found.target_type`, sql`found.target_id`)} AS name`

type PageParams = Params<'state' | 'owner_id' | 'key' | 'id' | 'limit'>

interface Shape {
  sort: ListCases['sort']
  ofOwner: boolean
  isFirst: boolean
}

/** SQL: the rest of a SELECT for a page: the rows after the position, in the order of the sort. */
function after({ sort, isFirst }: Pick<Shape, 'sort' | 'isFirst'>, p: PageParams, key: 'id' | 'case_id') {
  const [name, direction, compare] =
    sort === 'oldest' ? ['sort_at', 'ASC', '>'] : ['report_count', 'DESC', '<']
  const [column, id_column] = [sql.raw(`found.${name}`), sql.raw(`found.${key}`)]
  const position = isFirst
    ? sql.empty()
    : sql`AND (${column}, ${id_column}) ${sql.raw(compare)} (${p.key}, ${p.id})`
  const order = sql.raw(direction)
  return sql`${position} ORDER BY ${column} ${order}, ${id_column} ${order} LIMIT ${p.limit}`
}

const pageOfCases = perShape(({ sort, ofOwner, isFirst }: Shape) => {
  const index = `cases_${ofOwner ? 'of_owner_' : ''}${sort === 'oldest' ? 'oldest' : 'by_reports'}`
  return statement(
    (p: PageParams) => sql<CaseRow>`SELECT ${caseColumns} FROM cases AS found INDEXED BY ${sql.raw(index)}
      WHERE ${ofOwner ? sql`found.owner_id = ${p.owner_id} AND` : sql.empty()} found.state = ${p.state}
      ${after({ sort, isFirst }, p, 'id')}`,
  )
})

interface CategoryRow extends Omit<typeof caseCategories.$inferSelect, 'category'> {
  name: string | null
}

const pageOfCategory = perShape(({ sort, isFirst }: Pick<Shape, 'sort' | 'isFirst'>) => {
  const index = `case_categories_${sort === 'oldest' ? 'oldest' : 'by_reports'}`
  return statement(
    (
      p: PageParams & Params<'category'>,
    ) => sql<CategoryRow>`SELECT found.case_id, found.owner_id, found.state, found.sort_at,
        found.report_count, found.shown, ${nameOf(sql`found.shown ->> 'target_type'`, sql`found.shown ->> 'target_id'`)} AS name
      FROM case_categories AS found INDEXED BY ${sql.raw(index)}
      WHERE found.category = ${p.category} AND found.state = ${p.state} ${after({ sort, isFirst }, p, 'case_id')}`,
  )
})

function caseOfCategory({ case_id, shown, ...row }: CategoryRow): CaseRow {
  const { categories, decision, appeal, ...columns } = JSON.parse(shown)
  return {
    ...columns,
    ...row,
    id: case_id,
    decision_id: null,
    seen: '{}',
    categories: JSON.stringify(categories),
    decision: decision && JSON.stringify(decision),
    appeal: appeal && JSON.stringify(appeal),
  }
}

/**
 * Lists cases (docs/moderating.md): those of a state, of one category, of one owner. With both, a page may be shorter than its limit.
 *
 * @throws INVALID_CURSOR, UNAVAILABLE
 */
export async function listCases(
  ctx: RequestContext,
  { state, category, owner_id, sort, limit, cursor }: ListCases,
): Promise<Page<CaseRow>> {
  const list = ['cases', state, category, JSON.stringify(owner_id ?? null), sort]
  const position = positionAt(cursor, list, isWholeNumber)
  const values = {
    state,
    owner_id: owner_id ?? null,
    key: position?.key ?? null,
    id: position?.id ?? null,
    limit: limit + 1,
  }
  const isFirst = position === undefined
  const { common } = ctx.databases
  const rows =
    category === undefined || owner_id !== undefined
      ? await common.read(pageOfCases({ sort, ofOwner: owner_id !== undefined, isFirst })(values))
      : (await common.read(pageOfCategory({ sort, isFirst })({ ...values, category }))).map(caseOfCategory)
  const page = rows.slice(0, limit)
  const last = rows.length > limit ? page.at(-1) : undefined
  const isOfCategory = (row: CaseRow) =>
    category === undefined || owner_id === undefined || Object.hasOwn(JSON.parse(row.seen), category)
  const named = await withNames(ctx, page.filter(isOfCategory))
  return positionedPage(
    list,
    named,
    last && { key: sort === 'oldest' ? last.sort_at : last.report_count, id: last.id },
  )
}

const namesOf = statement(
  (p: Params<'ids'>) => sql<{ id: string; name: string }>`
    SELECT thing.id, thing.name FROM json_each(${p.ids}) AS wanted CROSS JOIN game_assets AS thing ON thing.id = wanted.value
      WHERE thing.purging = 0 AND thing.created_at > ${erasedUntil(sql`thing.owner_id`)}
    UNION ALL SELECT thing.id, thing.name FROM json_each(${p.ids}) AS wanted CROSS JOIN files AS thing ON thing.id = wanted.value
      WHERE thing.purging = 0 AND thing.created_at > ${erasedUntil(sql`thing.owner_id`)}`,
)

/** The cases with the names of their things, which may be in other databases. */
export async function withNames(
  { databases }: Pick<RequestContext, 'databases'>,
  rows: CaseRow[],
): Promise<CaseRow[]> {
  if (databases.isSingle) return rows
  const wanted = rows.filter((row) => row.target_type !== 'user').map((row) => ({ id: row.target_id }))
  const names = await readByIds(databases, wanted, (some) =>
    namesOf({ ids: JSON.stringify(some.map((one) => one.id)) }),
  )
  const byId = new Map(names.map((row) => [row.id, row.name]))
  return rows.map((row) => ({ ...row, name: byId.get(row.target_id) ?? null }))
}

/** A case as the API shows it. */
export function caseRecord(row: CaseRow): Case {
  const { id, name, owner_id, state, report_count, first_reported_at, last_reported_at } = row
  const found = decisionIn(row)
  const appeal: AppealRow | null = row.appeal === null ? null : JSON.parse(row.appeal)
  const decision: ModeratorsDecision | null = found
    ? moderatorsDecisionRecord(found, appeal && appealRecord(appeal))
    : null
  return {
    id,
    target: { type: row.target_type, id: row.target_id },
    name,
    owner_id,
    state,
    report_count,
    categories: JSON.parse(row.categories),
    is_illegal: row.illegal_count > 0,
    first_reported_at,
    last_reported_at,
    decision,
    appeal: appeal && appealRecord(appeal),
  }
}
