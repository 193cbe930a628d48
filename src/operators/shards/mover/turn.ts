import { sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../../../platform/context.ts'
import { progress } from '../../../platform/db/schema.ts'
import { insert } from '../../../platform/db/sql.ts'
import { MINUTE } from '../../../platform/lib/units.ts'
import type { Databases } from '../../../platform/shards/databases.ts'

/*
 * The job of a database waits while partitions are moved from or to the database, and a long move is one portion after
 * another. So the job records when it began to wait, and the mover gives it a turn between two portions.
 */

/** The task of `progress` with the time at which the job began to wait, in Unix seconds. */
const WAITS = 'job_waits'

/** The task of `progress` with the time at which the mover gave the job its turn, in Unix seconds. */
const TURN = 'job_turn'

/** The mover begins no portion after the job has waited this long, in seconds: about the interval of its schedule. */
const LONGEST_WAIT_SECONDS = 5 * MINUTE

/** The longest turn of a job that does not begin or does not end, in seconds. */
const LONGEST_TURN_SECONDS = 2 * MINUTE

/** Records that the job of a database waits since `now` (Unix seconds), or since an earlier call. Not fenced: the row belongs to no user. */
export async function recordWaiting(databases: Databases, name: string, now: number): Promise<void> {
  await databases
    .unfenced(name)
    .send([sql`${insert(progress, { task: WAITS, position: String(now) })} ON CONFLICT (task) DO NOTHING`])
}

/** Records that the job of a database has had its turn. A job that a move has interrupted waits again. */
export async function recordTurn(
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
 * Finds one of these databases whose job has to have its turn before the next portion is moved, and records when the turn began.
 * A turn ends after LONGEST_TURN_SECONDS; a job that comes later waits again.
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
      sql`${endTurn} AND ${isSince(TURN, now - LONGEST_TURN_SECONDS)}`,
      sql`INSERT INTO progress (task, position) SELECT ${TURN}, ${String(now)} WHERE ${isSince(WAITS, now - LONGEST_WAIT_SECONDS)}
        ON CONFLICT (task) DO NOTHING`,
      sql`SELECT 1 AS one FROM progress WHERE task = ${TURN}`,
    ])
    return rows.length > 0 ? [name] : []
  })
  return (await Promise.all(waits)).flat()[0]
}
