import { sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../../context.ts'
import { progress } from '../../db/schema.ts'
import { insert } from '../../db/sql.ts'
import { MINUTE } from '../../lib/time-units.ts'
import type { Databases } from '../databases.ts'

/*
 * The job of a database waits while partitions are moved from or to it, and a long move is one portion after another. So the
 * job notes since when it waits, and the mover leaves it a turn between two portions.
 */

/** The names under which `progress` has since when the job waits for a turn, and since when the mover leaves it one (Unix seconds). */
const WAITS = 'job_waits'
const TURN = 'job_turn'

/** How long the job waits at most, but for the portion that is under way, in seconds: about as long as its schedule's interval. */
const LONGEST_WAIT = 5 * MINUTE

/** How long the mover leaves a turn to a job that does not come or does not end, in seconds. */
const PATIENCE = 2 * MINUTE

/** Notes that the job of a database waits, since now unless it did before. Not fenced: this row is the database's own. */
export async function noteWaiting(databases: Databases, name: string, now: number): Promise<void> {
  await databases
    .unfenced(name)
    .send([sql`${insert(progress, { task: WAITS, position: String(now) })} ON CONFLICT (task) DO NOTHING`])
}

/** Notes that the job of a database has had a turn: to its end, or until a move cut it off. Then it waits anew. */
export async function noteTurn(
  { db, databases }: Pick<RequestContext, 'db' | 'databases'>,
  now: number,
  wasCutOff: boolean,
): Promise<void> {
  if (!wasCutOff) await db.write(endTurn)
  else
    await databases
      .unfenced(db.name)
      .send([endTurn, insert(progress, { task: WAITS, position: String(now) })])
}

const endTurn = sql`DELETE FROM progress WHERE task IN (${WAITS}, ${TURN})`

/**
 * Finds, among these databases, one whose job is to have its turn before anything else is moved, and notes since when it may
 * have it. A job that has not had it after PATIENCE waits anew when it comes.
 */
export async function waitingAmong(
  { databases, now_ms }: Pick<RequestContext, 'databases' | 'now_ms'>,
  names: readonly string[],
): Promise<string | undefined> {
  const now = seconds({ now_ms })
  const isSince = (task: string, latest: number) =>
    sql`EXISTS (SELECT 1 FROM progress WHERE task = ${task} AND CAST(position AS INTEGER) <= ${latest})`
  const waits = names.map(async (name) => {
    const [, , rows] = await databases.unfenced(name).send([
      sql`${endTurn} AND ${isSince(TURN, now - PATIENCE)}`,
      sql`INSERT INTO progress (task, position) SELECT ${TURN}, ${String(now)} WHERE ${isSince(WAITS, now - LONGEST_WAIT)}
        ON CONFLICT (task) DO NOTHING`,
      sql`SELECT 1 AS one FROM progress WHERE task = ${TURN}`,
    ])
    return rows.length > 0 ? [name] : []
  })
  return (await Promise.all(waits)).flat()[0]
}
