import { type SQL, sql } from 'drizzle-orm'
import { forgetInModeration, isKnownToModeration } from '../../features/moderation/forget.ts'
import { BATCH_SIZE, type StepContext, seconds } from '../../platform/context.ts'
import { entriesAbout, entriesBy } from '../../platform/db/audit.ts'
import type { Database } from '../../platform/db/database.ts'
import { isUnavailable } from '../../platform/jobs/owners.ts'
import { pooled } from '../../platform/lib/pool.ts'
import type { Databases } from '../../platform/shards/databases.ts'
import { removeParked } from '../events/parked.ts'
import { blocksBy, type ErasureRow, forgetModerator } from './remove.ts'
import type { ErasureNote } from './repeat.ts'

/*
 * A block is in the database of the blocked item's owner, so the id of an erased moderator may be in every database. No hint
 * leads to these databases, because moderators are rarely erased: before an erasure ends, the job of the user's home asks
 * each database. One of them has the audit.
 */

/** How many databases one step asks. Their queries count against the job's budget. */
const DATABASES_PER_STEP = 4

type Erasure = Pick<ErasureRow, 'user_id' | 'until' | 'mark' | 'asked'>

/** How many of the databases are finished. */
interface Progress {
  /** The last finished database: neither it nor those before it have the user's id any more. */
  asked: string | null
  /** How many rows were changed and databases finished. */
  changed: number
  /** Whether every database is finished. */
  isDone: boolean
}

/**
 * Removes an erased user's id from the blocks and the audit, and the parked events with this id, of the next databases: up to
 * BATCH_SIZE rows of each table. Waits while the erasure is too young to end, and while the next database is unavailable or
 * takes part in a move.
 */
export async function forgetModeratorElsewhere(ctx: StepContext, erasure: Erasure): Promise<Progress> {
  const { db, databases } = ctx
  const { until, asked } = erasure
  const others = databases.names.filter((name) => name !== db.name)
  if (others.length === 0) return { asked, changed: 0, isDone: true }
  if (until >= seconds(ctx)) return { asked, changed: 0, isDone: false }
  const first = asked === null ? 0 : others.indexOf(asked) + 1
  const some = others.slice(first, first + DATABASES_PER_STEP)
  const counts = await pooled(some, (name) => forgetIn(ctx, name, erasure))
  const unfinished = counts.findIndex((count) => count === undefined || count >= BATCH_SIZE)
  const finished = unfinished < 0 ? some : some.slice(0, unfinished)
  return {
    asked: finished.at(-1) ?? asked,
    changed: counts.reduce<number>((sum, count = 0) => sum + count, 0) + finished.length,
    isDone: first + finished.length >= others.length,
  }
}

/** Returns the largest number of rows that one statement changed; undefined when the database is unavailable. */
async function forgetIn(ctx: StepContext, name: string, erasure: Erasure): Promise<number | undefined> {
  try {
    const changed = await ctx.databases
      .whole(name)
      .write([
        ...forgetModerator(ctx, erasure, BATCH_SIZE),
        ...removeParked(ctx, erasure.user_id, erasure.until, BATCH_SIZE),
      ])
    return Math.max(...changed.map((rows) => rows.length))
  } catch (error) {
    if (isUnavailable(error)) return undefined
    throw error
  }
}

/** How many rows one statement changes, and how many such batches one request sends to a database. */
const [ROWS, MAX_BATCHES] = [BATCH_SIZE, 20]

/** A note, as a row of json_each. */
const ofNote = [sql`value ->> 'user_id'`, sql`value ->> 'until'`] as const

/**
 * Finds erased users whom blocks or entries of the audit from before their erasures name, in any database: a restore brought these
 * rows back. With `isRepair`, removes their ids. Returns the users, except those whose erasure is under way.
 *
 * @throws UNAVAILABLE
 */
export async function findModeratorsBack(
  databases: Databases,
  notes: readonly ErasureNote[],
  isRepair: boolean,
): Promise<Set<string>> {
  const back = new Set<string>()
  for (const name of databases.names) {
    const database = databases.whole(name)
    const found = await database.read(
      sql<{ user_id: string }>`SELECT value ->> 'user_id' AS user_id FROM json_each(${JSON.stringify(notes)})
        WHERE EXISTS (${blocksBy(...ofNote)}) OR EXISTS (${entriesBy(...ofNote)}) OR EXISTS (${entriesAbout(...ofNote)})
          OR ${isKnownToModeration(...ofNote)}`,
    )
    const users = new Set(found.map(({ user_id }) => user_id))
    const some: ErasureNote[] = []
    for (const note of notes)
      if (users.has(note.user_id) && !(await isUnderWay(databases, note))) some.push(note)
    for (const { user_id } of some) back.add(user_id)
    if (isRepair) await forgetModerators(database, some)
  }
  return back
}

/** Whether the erasure has not ended yet. */
async function isUnderWay(databases: Databases, { user_id, until }: ErasureNote): Promise<boolean> {
  const erasures = await databases
    .home(user_id)
    .read(
      sql`SELECT 1 AS one FROM erasures WHERE user_id = ${user_id} AND until >= ${until} AND is_guest = 0`,
    )
  return erasures.length > 0
}

async function forgetModerators(database: Database, notes: readonly ErasureNote[]): Promise<void> {
  const given = JSON.stringify(notes)
  /** The keys of the rows of a table that name one of the users in `column`. */
  const naming = (
    keys: SQL,
    table: SQL,
    column: SQL,
    time: SQL,
  ) => sql`SELECT ${keys} FROM json_each(${given}) AS note
    CROSS JOIN ${table} ON ${column} = note.value ->> 'user_id' AND ${time} <= note.value ->> 'until' LIMIT ${ROWS}`
  const markOf = (column: SQL) =>
    sql`(SELECT note.value ->> 'mark' FROM json_each(${given}) AS note WHERE note.value ->> 'user_id' = ${column})`
  const blocks = naming(
    sql`blocks.kind, blocks.id`,
    sql`blocks INDEXED BY blocks_by_moderator`,
    sql`blocked_by`,
    sql`blocked_at`,
  )
  const by = naming(sql`audit.id`, sql`audit INDEXED BY audit_by_actor`, sql`actor`, sql`at`)
  const about = naming(sql`audit.id`, sql`audit INDEXED BY audit_about_user`, sql`user_id`, sql`at`)
  const forget = [
    sql`UPDATE blocks SET blocked_by = NULL WHERE (kind, id) IN (${blocks}) RETURNING id`,
    sql`UPDATE audit SET actor = ${markOf(sql`actor`)} WHERE id IN (${by}) RETURNING id`,
    sql`UPDATE audit SET user_id = ${markOf(sql`user_id`)}, resource = NULL, reason = NULL WHERE id IN (${about}) RETURNING id`,
  ]
  if (notes.length > 0)
    for (let sent = 0; sent < MAX_BATCHES; sent++)
      if ((await database.write(forget)).every((rows) => rows.length < ROWS)) break
  for (const note of notes) await database.write(forgetInModeration(note, ROWS))
}
