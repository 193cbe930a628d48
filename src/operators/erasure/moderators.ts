import { sql } from 'drizzle-orm'
import { BATCH_SIZE, type StepContext, seconds } from '../../platform/context.ts'
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
 * each database.
 */

/** How many databases one step asks. Their queries count against the job's budget. */
const DATABASES_PER_STEP = 4

type Erasure = Pick<ErasureRow, 'user_id' | 'until' | 'asked'>

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
 * Removes an erased moderator's id from the blocks, and the parked events with this id, of the next databases: up to
 * BATCH_SIZE rows of each table. Waits while the erasure is too young to end, and while the next database is unavailable or
 * takes part in a move.
 */
export async function forgetModeratorElsewhere(ctx: StepContext, erasure: Erasure): Promise<Progress> {
  const { db, databases } = ctx
  const { user_id, until, asked } = erasure
  const others = databases.names.filter((name) => name !== db.name)
  if (others.length === 0) return { asked, changed: 0, isDone: true }
  if (until >= seconds(ctx)) return { asked, changed: 0, isDone: false }
  const first = asked === null ? 0 : others.indexOf(asked) + 1
  const some = others.slice(first, first + DATABASES_PER_STEP)
  const counts = await pooled(some, (name) => forgetIn(ctx, name, { user_id, until }))
  const unfinished = counts.findIndex((count) => count === undefined || count >= BATCH_SIZE)
  const finished = unfinished < 0 ? some : some.slice(0, unfinished)
  return {
    asked: finished.at(-1) ?? asked,
    changed: counts.reduce<number>((sum, count = 0) => sum + count, 0) + finished.length,
    isDone: first + finished.length >= others.length,
  }
}

/** Returns the number of rows changed in blocks or in the outbox, whichever is larger; undefined when the database is unavailable. */
async function forgetIn(
  ctx: StepContext,
  name: string,
  { user_id, until }: Pick<Erasure, 'user_id' | 'until'>,
): Promise<number | undefined> {
  try {
    const changed = await ctx.databases
      .whole(name)
      .write([
        forgetModerator(ctx, user_id, until, BATCH_SIZE),
        ...removeParked(ctx, user_id, until, BATCH_SIZE),
      ])
    return Math.max(...changed.map((rows) => rows.length))
  } catch (error) {
    if (isUnavailable(error)) return undefined
    throw error
  }
}

/** How many blocks one statement changes, and how many such statements one request sends to a database. */
const [BLOCKS, MAX_STATEMENTS] = [BATCH_SIZE, 20]

/**
 * Finds erased users who are the moderators of blocks from before their erasures, in any database: a restore brought these
 * blocks back. With `isRepair`, removes their ids. Returns the users, except those whose erasure is under way.
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
        WHERE EXISTS (${blocksBy(sql`value ->> 'user_id'`, sql`value ->> 'until'`)})`,
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
  const blocks = sql`SELECT blocks.kind, blocks.id FROM json_each(${JSON.stringify(notes)}) AS note
    CROSS JOIN blocks INDEXED BY blocks_by_moderator
      ON blocked_by = note.value ->> 'user_id' AND blocked_at <= note.value ->> 'until' LIMIT ${BLOCKS}`
  const forget = sql`UPDATE blocks SET blocked_by = NULL WHERE (kind, id) IN (${blocks}) RETURNING id`
  if (notes.length > 0)
    for (let sent = 0; sent < MAX_STATEMENTS; sent++)
      if ((await database.write(forget)).length < BLOCKS) break
}
