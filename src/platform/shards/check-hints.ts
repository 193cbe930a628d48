import { type SQL, sql } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { type JobContext, seconds } from '../context.ts'
import { DAY, HOUR, MINUTE } from '../lib/units.ts'
import { askOnce } from './ask.ts'
import { statesOf } from './partitions.ts'

/*
 * A link between two users, a share or a branch, is a row in the home of one of them. The home of the other has a hint: the
 * partition with that row (docs/scaling.md). The hint is written before the link and removed after it. So every link has its
 * hint, and some hints have no link.
 */

/** The age at which the next link writes a hint again, in seconds. */
const FRESH_SECONDS = 10 * MINUTE

/** A hint stays this long after it was written, in seconds: its link may be under way. Much longer than FRESH_SECONDS. */
const KEPT_SECONDS = HOUR

/**
 * A hint with a link is checked again after as many seconds as the link has existed, and after this many at most. So the hint
 * of a link that is gone stays about as long as the link did, and the hints that one user leaves in other homes are at most
 * about twice the links that the user had at once.
 */
const CONFIRMED_SECONDS = 30 * DAY

/** The most databases that one step asks. */
const MAX_DATABASES = 4

/** SQL: the rest of an INSERT of a hint, with the columns of its key. An existing hint is written again unless it is fresh. */
export function orFresher(...key: string[]): SQL {
  return sql`ON CONFLICT (${sql.raw(key.join(', '))})
    DO UPDATE SET hinted_at = excluded.hinted_at WHERE hinted_at < excluded.hinted_at - ${FRESH_SECONDS}`
}

/** Whether `orFresher` leaves a hint as it is at the time `now` (both in Unix seconds). */
export function isFresh(hinted_at: number, now: number): boolean {
  return hinted_at >= now - FRESH_SECONDS
}

interface HintKind<Hint> {
  /** The table of the hints. It has `partition` and `hinted_at`. */
  table: SQLiteTable
  /** The columns of the table's key. */
  key: readonly (keyof Hint & string)[]
  /** The most hints that one step checks. */
  limit: number
  /** The statement that finds the links of hints. `hints` is a JSON array of the hints' keys, each an array. */
  linksOf: (hints: string) => SQL<FoundLink>
}

/** A hint that has a link. */
export interface FoundLink {
  /** The index of the hint in the array. */
  hint_index: number
  /** The time from which on the link has existed, in Unix seconds. */
  since: number
}

/** SQL: the hints of a table that were written or checked long enough ago. */
export function oldHints(ctx: Pick<JobContext, 'now_ms'>, table: SQLiteTable): SQL {
  return sql`SELECT 1 FROM ${table} WHERE hinted_at < ${seconds(ctx) - KEPT_SECONDS} LIMIT 1`
}

/** Looks for the links of the oldest hints, and removes hints without a link. Returns how many hints it checked. */
export async function checkHints<Hint extends { partition: string }>(
  { db, databases, now_ms }: JobContext,
  { table, key, limit, linksOf }: HintKind<Hint>,
): Promise<number> {
  const now = seconds({ now_ms })
  const due = now - KEPT_SECONDS
  const columns = sql.raw(key.join(', '))
  const oldest = await db.read(
    sql<Hint>`SELECT ${columns} FROM ${table} WHERE hinted_at < ${due} ORDER BY hinted_at LIMIT ${limit}`,
  )
  if (oldest.length === 0) return 0
  const valuesOf = (hint: Hint) => key.map((column) => hint[column])
  const byDatabase = Map.groupBy(oldest, ({ partition }) => databases.nameFor(partition))
  const hints = [...byDatabase.values()].slice(0, MAX_DATABASES).flat()
  const byPartition = Map.groupBy(hints, ({ partition }) => partition)
  const wave = await askOnce(databases, [...byPartition.keys()], async (name, partitions) => {
    const asked = partitions.flatMap((partition) => byPartition.get(partition) ?? [])
    const statements = { states: statesOf(partitions), links: linksOf(JSON.stringify(asked.map(valuesOf))) }
    const { states, links } = await databases.whole(name).read(statements)
    const since = new Map(links.map((link) => [link.hint_index, link.since]))
    return { name, states, hints: asked.map((hint, index) => ({ hint, since: since.get(index) })) }
  })
  // A database that no longer has a partition can't answer for it: the next step asks the one that has.
  const checked = wave.flatMap(({ answer, present }) =>
    answer.hints.filter(({ hint }) => present.includes(hint.partition)),
  )
  if (checked.length === 0) return 0
  const values = sql.raw(key.map((_, index) => `value ->> ${index}`).join(', '))
  const listed = (some: unknown[]) => sql`json_each(${JSON.stringify(some)})`
  const unneeded = checked.flatMap(({ hint, since }) => (since === undefined ? [valuesOf(hint)] : []))
  const confirmed = checked.flatMap(({ hint, since }) =>
    since === undefined ? [] : [[...valuesOf(hint), since]],
  )
  const isHint = sql.raw(key.map((column, index) => `${column} = value ->> ${index}`).join(' AND '))
  const age = sql`${now} - (value ->> ${sql.raw(String(key.length))})`
  // A link that was written meanwhile has made its hint younger than `due`.
  await db.write([
    sql`DELETE FROM ${table} WHERE (${columns}) IN (SELECT ${values} FROM ${listed(unneeded)}) AND hinted_at < ${due}`,
    sql`UPDATE ${table} SET hinted_at = ${now} + max(0, min(${CONFIRMED_SECONDS}, ${age}))
      FROM ${listed(confirmed)} WHERE ${isHint} AND hinted_at < ${due}`,
  ])
  return checked.length
}
