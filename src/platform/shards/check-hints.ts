import { type SQL, sql } from 'drizzle-orm'
import { type JobContext, seconds } from '../context.ts'
import type { branchHints, shareHints } from '../db/schema.ts'
import { DAY, HOUR, MINUTE } from '../lib/time-units.ts'
import { askOnce } from './ask.ts'
import { statesOf } from './partitions.ts'

/*
 * What crosses users stands with one of them, and has a hint with the other: the partition in which it stands
 * (docs/scaling.md). The hint is written before it and removed after it, so that there is a hint for each such thing, and
 * may be hints for none.
 */

/** A hint of that age is written anew by the next thing that it is for, in seconds. */
const FRESH = 10 * MINUTE

/** A hint is kept that long after it was written, in seconds: the thing may be under way. Much longer than FRESH. */
const KEPT = HOUR

/**
 * How long the job relies at most on what it has found behind a hint, in seconds: as long as that has existed. So the
 * hint of something that is gone stays about as long as the thing was there, and the hints that one user leaves with
 * others are about twice as many as the things that the user had at once.
 */
const CONFIRMED = 30 * DAY

/** In how many databases one step looks at most. */
const DATABASES = 4

/** SQL: the rest of an INSERT of a hint: one that is there is written anew when it is no longer fresh. */
export function orFresher(...key: string[]): SQL {
  return sql`ON CONFLICT (${sql.raw(key.join(', '))})
    DO UPDATE SET hinted_at = excluded.hinted_at WHERE hinted_at < excluded.hinted_at - ${FRESH}`
}

/** Whether a hint that was written then is left as it is now (Unix seconds): what `orFresher` decides. */
export function isFresh(hinted_at: number, now: number): boolean {
  return hinted_at >= now - FRESH
}

interface Kind<Hint> {
  table: typeof shareHints | typeof branchHints
  /** The columns of the table's key. */
  key: readonly (keyof Hint & string)[]
  /** How many hints a step looks at. */
  limit: number
  /**
   * The statement that answers the places of those hints that something stands behind, of a JSON array of keys, and since
   * when that exists (Unix seconds).
   */
  needed: (hints: string) => SQL<Found>
}

/** The place of a hint, and since when what stands behind it exists, in Unix seconds. */
export interface Found {
  place: number
  since: number
}

/**
 * Looks for what stands behind the oldest hints, and removes hints that nothing stands behind. Returns how many it looked
 * at.
 */
export async function checkHints<Hint extends { partition: string }>(
  { db, databases, now_ms }: JobContext,
  { table, key, limit, needed }: Kind<Hint>,
): Promise<number> {
  const now = seconds({ now_ms })
  const due = now - KEPT
  const columns = sql.raw(key.join(', '))
  const oldest = await db.read(
    sql<Hint>`SELECT ${columns} FROM ${table} WHERE hinted_at < ${due} ORDER BY hinted_at LIMIT ${limit}`,
  )
  if (oldest.length === 0) return 0
  const valuesOf = (hint: Hint) => key.map((column) => hint[column])
  const byDatabase = Map.groupBy(oldest, ({ partition }) => databases.nameFor(partition))
  const hints = [...byDatabase.values()].slice(0, DATABASES).flat()
  const byPartition = Map.groupBy(hints, ({ partition }) => partition)
  const wave = await askOnce(databases, [...byPartition.keys()], async (name, partitions) => {
    const asked = partitions.flatMap((partition) => byPartition.get(partition) ?? [])
    const statements = { states: statesOf(partitions), found: needed(JSON.stringify(asked.map(valuesOf))) }
    const { states, found } = await databases.whole(name).read(statements)
    const since = new Map(found.map((one) => [one.place, one.since]))
    return { name, states, hints: asked.map((hint, place) => ({ hint, since: since.get(place) })) }
  })
  // What a partition's former database answers says nothing: the next step asks where the partition is.
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
  // What has come in between has made its hint younger.
  await db.write([
    sql`DELETE FROM ${table} WHERE (${columns}) IN (SELECT ${values} FROM ${listed(unneeded)}) AND hinted_at < ${due}`,
    sql`UPDATE ${table} SET hinted_at = ${now} + max(0, min(${CONFIRMED}, ${age}))
      FROM ${listed(confirmed)} WHERE ${isHint} AND hinted_at < ${due}`,
  ])
  return checked.length
}
