import { sql } from 'drizzle-orm'
import { BUCKET_WALK } from '../../../platform/db/enumerations.ts'
import { pooled } from '../../../platform/lib/pool.ts'
import type { Databases } from '../../../platform/shards/databases.ts'
import { endIn, type Move, type MovePosition, START, takeStep } from './moves.ts'
import { MOVING_PARTITIONS } from './tables.ts'

/**
 * Hands the partitions over from the source to the target. The source closes them before the target opens them, so that they
 * are never open in both; in between, requests are answered with 503.
 *
 * The target's walk through the bucket continues at the later position of the two: the upload rows of earlier objects may have
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
  await recordLocation(databases, move)
  await takeStep(move, target, position, [
    sql`UPDATE partitions SET state = 'open', moved_to = NULL WHERE state = 'incoming'`,
  ])
}

/** Records the target in every other database that once had the partitions, so that no Worker follows them from one to another. */
async function recordLocation(databases: Databases, { source, target, partitions }: Move): Promise<void> {
  const others = databases.names.filter((name) => name !== source && name !== target.session.name)
  await pooled(others, (name) =>
    databases.unfenced(name).send([
      sql`UPDATE partitions SET moved_to = ${target.session.name}
          WHERE state = 'gone' AND partition IN (SELECT value FROM json_each(${JSON.stringify(partitions)}))`,
    ]),
  )
}

/** Opens the partitions in the source again. The target is already at stage `undo`, so no mover can open them there. */
export async function takeBack(move: Move): Promise<void> {
  const { from } = move
  if (!from) return
  await endIn(move, from, [
    sql`UPDATE partitions SET state = 'open', moved_to = NULL WHERE partition IN (${MOVING_PARTITIONS})`,
  ])
  move.from = undefined
}
