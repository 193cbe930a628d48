import { type SQL, sql } from 'drizzle-orm'
import { exists } from '../../features/files/path.ts'
import { isMeasure } from '../../features/moderation/measure.ts'
import type { cases, measures } from '../../platform/db/schema.ts'
import { isNotErased } from '../../platform/db/watermark.ts'
import { FIRST } from '../../platform/shards/map.ts'
import { byDatabase } from './links.ts'
import { asList, type ComparedPage, type Finding, type ReconcileContext } from './page.ts'

/*
 * The measure of a case lies with its thing (docs/moderating.md). When the first database or that of a thing was restored, the two
 * disagree. The case's decision wins: a repair gives the case a number that is higher than that of the thing, and the job brings the
 * measure to the thing, without a new notification. A measure whose case is gone is taken away: nobody could lift it, or appeal against it.
 */

/** How many measures or cases a page compares. */
const PAGE_SIZE = 200

type Kind = (typeof measures.$inferSelect)['kind']
type MeasureRow = Pick<
  typeof measures.$inferSelect,
  'kind' | 'id' | 'sequence' | 'decision_id' | 'action' | 'rating'
>

interface CaseRow extends Pick<typeof cases.$inferSelect, 'id' | 'sequence' | 'applied' | 'decision_id'> {
  kind: Kind
  target_id: string
  owner_id: string | null
  action: MeasureRow['action'] | null
  rating: MeasureRow['rating']
}

const caseColumns =
  sql.raw(`id, iif(target_type = 'asset', 'assets', 'files') AS kind, target_id, owner_id, sequence, applied, decision_id,
  iif(decision_id IS NULL, NULL, decision ->> 'action') AS action, iif(decision_id IS NULL, NULL, decision ->> 'rating') AS rating`)

const nameOf = ({ kind, id }: Pick<MeasureRow, 'kind' | 'id'>) => `${kind} ${id}`

/** Compares the next measures of the database with their cases, which are written first and so read after them. @throws UNAVAILABLE */
export async function compareMeasures(ctx: ReconcileContext): Promise<ComparedPage> {
  const { databases, after, isRepair } = ctx
  const database = databases.whole(ctx.database)
  const [kind = '', id = ''] = after.split(' ')
  const page = await database.read(
    sql<MeasureRow>`SELECT kind, id, sequence, decision_id, action, rating FROM measures
      WHERE (kind, id) > (${kind}, ${id}) ORDER BY kind, id LIMIT ${PAGE_SIZE}`,
  )
  const own = page.filter(({ sequence }) => sequence > 0)
  const cases = new Map(
    (await casesAbout(ctx, own)).map((row) => [nameOf({ kind: row.kind, id: row.target_id }), row]),
  )
  const found: Finding[] = []
  for (const measure of own) {
    const one = cases.get(nameOf(measure))
    if (one && !differs(one, measure)) continue
    if (isRepair && one) await databases.common.write([raise(one, measure.sequence)])
    if (isRepair && !one) await database.write(takeAway(measure))
    found.push({
      problem: 'measure_differs',
      id: measure.id,
      detail: one ? `has number ${measure.sequence}, and its case ${one.sequence}` : 'its case is gone',
      is_repaired: isRepair,
    })
  }
  const last = page.at(-1)
  return { looked_at: page.length, next: page.length < PAGE_SIZE || !last ? null : nameOf(last), found }
}

function casesAbout({ databases }: ReconcileContext, rows: readonly MeasureRow[]): Promise<CaseRow[]> {
  const wanted = asList(rows.map(({ kind, id }) => [kind === 'assets' ? 'asset' : 'file', id]))
  return databases.common.read(
    sql<CaseRow>`SELECT ${caseColumns} FROM cases WHERE (target_type, target_id) IN (SELECT value ->> 0, value ->> 1 FROM json_each(${wanted}))`,
  )
}

/** Whether a thing has another measure than its case. One that is on its way, with a higher number than that of the thing, does not count. */
function differs(one: CaseRow, measure: MeasureRow): boolean {
  if (one.applied < one.sequence) return measure.sequence > one.sequence
  const isInForce = one.action !== null && isMeasure(one.action)
  return (
    measure.sequence !== one.sequence ||
    measure.decision_id !== one.decision_id ||
    measure.action !== (isInForce ? one.action : 'none') ||
    measure.rating !== (isInForce ? one.rating : null)
  )
}

/** Gives a case a number above that of its thing. It has no decision, so nobody is notified again. */
function raise({ id, sequence }: Pick<CaseRow, 'id' | 'sequence'>, found: number): SQL {
  return sql`UPDATE cases SET sequence = max(sequence, ${found}) + 1 WHERE id = ${id} AND sequence = ${sequence}`
}

/** Triggers undo what the measure does to its thing, and mark an asset for the catalogue. */
function takeAway({ kind, id, sequence }: MeasureRow): SQL[] {
  const row = sql`kind = ${kind} AND id = ${id}`
  return [
    sql`UPDATE measures SET sequence = sequence + 1, decision_id = NULL, action = 'none', rating = NULL WHERE ${row} AND sequence = ${sequence}`,
    sql`DELETE FROM measures WHERE ${row} AND sequence = ${sequence + 1} AND action = 'none'`,
  ]
}

/** Compares the next cases with their things, all of them in the turn of the first database: finds those whose thing has lost its measure. @throws UNAVAILABLE */
export async function compareCases(ctx: ReconcileContext): Promise<ComparedPage> {
  const { databases, isRepair } = ctx
  if (ctx.database !== FIRST) return { looked_at: 0, next: null, found: [] }
  const page = await databases.common.read(
    sql<CaseRow>`SELECT ${caseColumns} FROM cases WHERE id > ${ctx.after} AND target_type <> 'user' ORDER BY id LIMIT ${PAGE_SIZE}`,
  )
  // The first decision of a case leaves nothing at its thing unless it is a measure.
  const applied = page.filter(
    ({ sequence, applied, action }) =>
      sequence > 0 && applied === sequence && (sequence > 1 || (action !== null && isMeasure(action))),
  )
  const missing: CaseRow[] = []
  for (const [name, some] of await byDatabase(databases, applied, ({ target_id }) =>
    target_id.slice(20, 23),
  )) {
    const wanted = asList(some.map(({ kind, target_id }) => [kind, target_id]))
    const without = await databases.whole(name).read(
      sql<{
        kind: Kind
        id: string
      }>`SELECT value ->> 0 AS kind, value ->> 1 AS id FROM json_each(${wanted}) AS wanted
        WHERE NOT EXISTS (SELECT 1 FROM measures WHERE measures.kind = value ->> 0 AND measures.id = value ->> 1)`,
    )
    for (const { kind, id } of without) {
      const isThere =
        kind === 'assets'
          ? sql`SELECT 1 FROM game_assets WHERE id = ${id} AND purging = 0 AND ${isNotErased}`
          : sql`SELECT 1 FROM files WHERE id = ${id} AND ${exists(sql`${id}`)}`
      const one = some.find(({ target_id }) => target_id === id)
      if (one && (await databases.whole(name).read(isThere)).length > 0) missing.push(one)
    }
  }
  if (isRepair) for (const one of missing) await databases.common.write([raise(one, 0)])
  return {
    looked_at: page.length,
    next: page.length < PAGE_SIZE ? null : (page.at(-1)?.id ?? null),
    found: missing.map(
      ({ target_id, sequence }): Finding => ({
        problem: 'measure_differs',
        id: target_id,
        detail: `has none, and its case has number ${sequence}`,
        is_repaired: isRepair,
      }),
    ),
  }
}
