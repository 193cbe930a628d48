import { sql } from 'drizzle-orm'
import { BATCH_SIZE, type StepContext, seconds } from '../../platform/context.ts'
import type { Database } from '../../platform/db/database.ts'
import { isUnavailable } from '../../platform/jobs/owners.ts'
import { pooled } from '../../platform/lib/pool.ts'
import type { Databases } from '../../platform/shards/databases.ts'
import { removeParked } from '../events/parked.ts'
import type { ErasureNote } from './log.ts'
import { blocksBy, type ErasureRow, forgetModerator } from './remove.ts'

/*
 * A block stands with the thing that is blocked, in the database of its owner. So an erased moderator's id may be in every
 * database. No hint leads there, because an erasure is rare: the job of the user's home asks each database once, when the
 * erasure is about to end.
 */

/** How many databases one step asks: their queries count in the job's budget. */
const DATABASES = 4

type Erasure = Pick<ErasureRow, 'user_id' | 'until' | 'asked'>

/** How far the databases have been asked. */
interface Progress {
  /** The last database in which nothing is left, as those before it. */
  asked: string | null
  /** How much was done: rows that were changed, and databases that were asked. */
  changed: number
  /** Whether each database has been asked. */
  isDone: boolean
}

/**
 * Takes an erased moderator's id out of blocks and parked events of the next databases, up to BATCH_SIZE of each. An erasure
 * that is too young to end waits. So does one whose next database does not answer, or is part of a move.
 */
export async function forgetModeratorElsewhere(ctx: StepContext, erasure: Erasure): Promise<Progress> {
  const { db, databases } = ctx
  const { user_id, until, asked } = erasure
  const others = databases.names.filter((name) => name !== db.name)
  if (others.length === 0) return { asked, changed: 0, isDone: true }
  if (until >= seconds(ctx)) return { asked, changed: 0, isDone: false }
  const first = asked === null ? 0 : others.indexOf(asked) + 1
  const some = others.slice(first, first + DATABASES)
  const counts = await pooled(some, (name) => forgetIn(ctx, name, { user_id, until }))
  const unfinished = counts.findIndex((count) => count === undefined || count >= BATCH_SIZE)
  const finished = unfinished < 0 ? some : some.slice(0, unfinished)
  return {
    asked: finished.at(-1) ?? asked,
    changed: counts.reduce<number>((sum, count = 0) => sum + count, 0) + finished.length,
    isDone: first + finished.length >= others.length,
  }
}

/** Returns how many rows of a table were changed, the larger number; undefined when the database takes no write. */
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

/** How many blocks one statement changes, and how many such statements a database takes at most in one request. */
const [BLOCKS, STATEMENTS] = [BATCH_SIZE, 20]

/**
 * Looks for users who were erased before and stand as moderators in blocks of then, in whatever database: one that was
 * restored. Takes their ids out if that is asked for. Returns the users, without those whose erasure is under way.
 */
export async function moderatorsBack(
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

/** Whether the job has yet to end that erasure. */
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
    for (let sent = 0; sent < STATEMENTS; sent++) if ((await database.write(forget)).length < BLOCKS) break
}
