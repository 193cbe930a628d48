import { sql } from 'drizzle-orm'
import { BUCKET_WALK } from '../../db/enumerations.ts'
import { pooled } from '../../lib/pool.ts'
import type { Databases } from '../databases.ts'
import { endIn, type Move, type MovePosition, START, takeStep } from './record.ts'
import { MOVING_PARTITIONS } from './tables.ts'

/**
 * Gives the partitions from the source to the target. The source has them no longer before the target has them, so that
 * there are never two owners; in between they are in neither, and the answer is 503.
 *
 * The target's walk through the objects goes on no earlier than the source's: the uploads of earlier objects may have
 * been deleted.
 */
export async function handOver(databases: Databases, move: Move): Promise<void> {
  const { from, target } = move
  if (!from) return
  const position: MovePosition = { ...target.position, stage: 'remove', ...START }
  if (from.position.stage !== 'remove') {
    const [[row]] = await from.session.send([
      sql<{ position: string | null }>`SELECT position FROM progress WHERE task = ${BUCKET_WALK}`,
    ])
    const walk = row?.position ?? ''
    await takeStep(move, target, target.position, [
      sql`UPDATE usage SET moving = 0 WHERE user_id IN (SELECT user_id FROM moving_users)`,
      sql`INSERT INTO progress (task, position) VALUES (${BUCKET_WALK}, ${walk})
        ON CONFLICT (task) DO UPDATE SET position = max(coalesce(position, ''), excluded.position)`,
    ])
    await takeStep(move, from, position, [sql`UPDATE partitions SET state = 'gone' WHERE state = 'frozen'`])
  }
  await pointThere(databases, move)
  await takeStep(move, target, position, [
    sql`UPDATE partitions SET state = 'open', moved_to = NULL WHERE state = 'incoming'`,
  ])
}

/** Tells the databases that once had the partitions where they are now, so that no Worker follows them from one to another. */
async function pointThere(databases: Databases, { source, target, partitions }: Move): Promise<void> {
  const others = databases.names.filter((name) => name !== source && name !== target.session.name)
  await pooled(others, (name) =>
    databases.unfenced(name).send([
      sql`UPDATE partitions SET moved_to = ${target.session.name}
          WHERE state = 'gone' AND partition IN (SELECT value FROM json_each(${JSON.stringify(partitions)}))`,
    ]),
  )
}

/** Opens the partitions in the source again. The target has them no longer: its step to open them would be refused. */
export async function takeBack(move: Move): Promise<void> {
  const { from } = move
  if (!from) return
  await endIn(move, from, [
    sql`UPDATE partitions SET state = 'open', moved_to = NULL WHERE partition IN (${MOVING_PARTITIONS})`,
  ])
  move.from = undefined
}
