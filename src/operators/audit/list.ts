import { type SQL, sql } from 'drizzle-orm'
import type { RequestContext } from '../../platform/context.ts'
import type { AuditEntry } from '../../platform/db/audit.ts'
import { earliestId } from '../../platform/db/id.ts'
import { byId, isText, type Page, positionAt, positionedPage } from '../../platform/db/keyset.ts'
import { audit } from '../../platform/db/schema.ts'
import { columnsOf, joined, type Params, perShape, statement } from '../../platform/db/sql.ts'
import type { ListAudit } from './schema.ts'

/** The most entries that a page looks at. */
const WINDOW = 1_000

/** The members that an index finds, the narrowest first. */
const INDEXES = { user_id: 'audit_about_user', actor: 'audit_by_actor', action: 'audit_of_action' } as const
type Filter = keyof typeof INDEXES
const FILTERS = ['user_id', 'actor', 'action'] as const satisfies readonly Filter[]

/**
 * The newest `size` entries that an index finds between two ids, those of them that match the other filters, and how far they reach.
 * `filters` are those that are given, the narrowest first.
 */
const pages = perShape(([first, ...others]: readonly Filter[]) => {
  const named = (p: Params<Filter>, name: Filter) => sql`${sql.raw(name)} = ${p[name]}`
  const found = (p: Params<Filter | 'from' | 'before' | 'size'>): SQL =>
    sql`SELECT ${columnsOf(audit)} FROM audit ${first ? sql`INDEXED BY ${sql.raw(INDEXES[first])}` : sql.empty()}
      WHERE ${first ? sql`${named(p, first)} AND` : sql.empty()} id >= ${p.from} AND id < ${p.before} ORDER BY id DESC LIMIT ${p.size}`
  const isWanted = (p: Params<Filter>) =>
    others.length === 0
      ? sql`1`
      : joined(
          others.map((name) => named(p, name)),
          ' AND ',
        )
  return {
    page: statement(
      (p: Params<Filter | 'from' | 'before' | 'size' | 'limit'>) =>
        sql<AuditEntry>`SELECT * FROM (${found(p)}) WHERE ${isWanted(p)} ORDER BY id DESC LIMIT ${p.limit}`,
    ),
    reach: statement(
      (p: Params<Filter | 'from' | 'before' | 'size'>) =>
        sql<{
          count: number
          last: string | null
        }>`SELECT count(*) AS count, min(id) AS last FROM (${found(p)})`,
    ),
  }
})

/**
 * Lists what was done under a scope, newest first (docs/helping-players.md#what-was-done). A page looks at up to WINDOW entries, so one
 * with several filters may be shorter than its limit.
 *
 * @throws INVALID_CURSOR
 */
export async function listEntries(
  { databases }: RequestContext,
  { actor, user_id, action, from, to, limit, cursor }: ListAudit,
): Promise<Page<AuditEntry>> {
  const values = { actor: actor ?? null, user_id: user_id ?? null, action: action ?? null }
  const list = ['audit', ...[actor, user_id, action, from, to].map((value) => JSON.stringify(value ?? null))]
  const after = positionAt(cursor, list, isText)
  const filters = FILTERS.filter((name) => values[name] !== null)
  const before = after?.id ?? (to === undefined ? '~' : earliestId(to))
  const { page, reach } = pages(filters)
  const bounds = { ...values, from: from === undefined ? '' : earliestId(from), before, size: WINDOW }
  const [found, [reached] = []] = await databases.first.send([
    page({ ...bounds, limit: limit + 1 }),
    ...(filters.length > 1 ? [reach(bounds)] : []),
  ])
  const rows = found.slice(0, limit)
  const last = found.length > limit ? rows.at(-1)?.id : reached?.count === WINDOW ? reached.last : undefined
  return positionedPage(list, rows, last ? { key: byId(), id: last } : undefined)
}
