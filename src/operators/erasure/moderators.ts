import { type SQL, sql } from 'drizzle-orm'
import { forgetInModeration, isKnownToModeration } from '../../features/moderation/forget.ts'
import { changeLists, forgetMuted, mutesNaming } from '../../features/mutes/copy.ts'
import { BATCH_SIZE, type StepContext, seconds } from '../../platform/context.ts'
import { entriesAbout, entriesBy } from '../../platform/db/audit.ts'
import type { Database } from '../../platform/db/database.ts'
import { newId } from '../../platform/db/id.ts'
import { isUnavailable } from '../../platform/jobs/owners.ts'
import { pooled } from '../../platform/lib/pool.ts'
import type { Databases } from '../../platform/shards/databases.ts'
import { removeParked } from '../events/parked.ts'
import { blocksBy, type ErasureRow, forgetModerator } from './remove.ts'
import type { ErasureNote } from './repeat.ts'

/*
 * A block is in the database of the blocked item's owner, and a mute in that of the user who muted, so the id of an erased user may
 * be in every database. No hint leads to these databases, because both are rare: before an erasure ends, the job of the user's
 * home asks each database. One of them has the audit and moderation.
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
 * Removes an erased user's id from the blocks, where it is the moderator's, from the audit and moderation, and from others' mutes, and
 * the parked events with this id, of the next databases: up to BATCH_SIZE rows of a table, and of LISTS_PER_ERASURE_STEP users' mutes.
 * Waits while the erasure is too young to end, and while the next database is unavailable or
 * takes part in a move.
 */
export async function forgetUserElsewhere(ctx: StepContext, erasure: Erasure): Promise<Progress> {
  const { db, databases } = ctx
  const { until, asked } = erasure
  const others = databases.names.filter((name) => name !== db.name)
  if (others.length === 0) return { asked, changed: 0, isDone: true }
  if (until >= seconds(ctx)) return { asked, changed: 0, isDone: false }
  const first = asked === null ? 0 : others.indexOf(asked) + 1
  const some = others.slice(first, first + DATABASES_PER_STEP)
  const counts = await pooled(some, (name) => forgetIn(ctx, name, erasure))
  const unfinished = counts.findIndex((count) => count === undefined || !count.isFinished)
  const finished = unfinished < 0 ? some : some.slice(0, unfinished)
  return {
    asked: finished.at(-1) ?? asked,
    changed: counts.reduce((sum, count) => sum + (count?.changed ?? 0), 0) + finished.length,
    isDone: first + finished.length >= others.length,
  }
}

/** Returns the number of changed rows, and whether none is left; undefined when the database is unavailable. */
async function forgetIn(
  ctx: StepContext,
  name: string,
  erasure: Erasure,
): Promise<{ changed: number; isFinished: boolean } | undefined> {
  const { user_id, until } = erasure
  try {
    const db = ctx.databases.whole(name)
    const changes = await db.write([
      ...forgetModerator(ctx, erasure, BATCH_SIZE),
      ...removeParked(ctx, user_id, until, BATCH_SIZE),
    ])
    const changed = Math.max(...changes.map((rows) => rows.length))
    const { found, forgotten } = await forgetMuted(ctx, db, { user_id, until })
    const isMore = changed >= BATCH_SIZE || found > 0
    return { changed: changed + forgotten, isFinished: !isMore }
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
 * Finds erased users whom blocks, the audit, moderation or others' mutes name from before their erasures, in any database: a restore
 * brought these rows back. With `isRepair`, removes the ids; the job then copies the lists of mutes. Returns the users, except those
 * whose erasure is under way.
 *
 * @throws UNAVAILABLE
 */
export async function findNamedBack(
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
          OR EXISTS (${mutesNaming(...ofNote)}) OR ${isKnownToModeration(...ofNote)}`,
    )
    const users = new Set(found.map(({ user_id }) => user_id))
    const some: ErasureNote[] = []
    for (const note of notes)
      if (users.has(note.user_id) && !(await isUnderWay(databases, note))) some.push(note)
    for (const { user_id } of some) back.add(user_id)
    if (isRepair) {
      await forgetModerators(database, some)
      for (const note of some) await removeMutesNaming(database, note)
    }
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
  for (const note of notes)
    for (let sent = 0; sent < MAX_BATCHES; sent++)
      if ((await database.write(forgetInModeration({ ...note }))).length === 0) break
}

/** Removes the mutes that name an erased user. The job copies the lists at its next run. */
async function removeMutesNaming(database: Database, { user_id, until }: ErasureNote): Promise<void> {
  for (let sent = 0; sent < MAX_BATCHES; sent++) {
    const some = sql`${mutesNaming(user_id, until)} ORDER BY mutes.user_id LIMIT ${BATCH_SIZE}`
    const { removed } = await database.write({
      changed: changeLists(sql`user_id IN (${some})`, newId(user_id), 0),
      removed: sql`DELETE FROM mutes WHERE muted_id = ${user_id} AND user_id IN (${some}) RETURNING user_id`,
    })
    if (removed.length < BATCH_SIZE) break
  }
}
