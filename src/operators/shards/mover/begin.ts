import { sql } from 'drizzle-orm'
import { partitionOf } from '../../../platform/db/id.ts'
import type { movingUsers } from '../../../platform/db/schema.ts'
import { UniqueViolation } from '../../../platform/db/session.ts'
import type { Databases } from '../../../platform/shards/databases.ts'
import { ROWS_OF_USER } from '../../user-rows.ts'
import { endIn, isTaken, type Move, type MovePosition, START, takeStep } from './moves.ts'
import { MOVING_PARTITIONS } from './tables.ts'

/** The most users that one step lists. */
const MAX_USERS = 5_000

/** Records a move in its target. The partitions are then incoming there, and still open in the source. */
export async function announce(
  databases: Databases,
  { source, target, partitions }: { source: string; target: string; partitions: string[] },
): Promise<void> {
  const position: MovePosition = { stage: 'begin', ...START, copied: 0, compared: {}, frozen_ms: 0 }
  const session = databases.unfenced(target)
  try {
    await session.send([
      sql`INSERT INTO moves (one, id, role, other, position)
        VALUES (1, ${crypto.randomUUID()}, 'target', ${source}, ${JSON.stringify(position)})`,
      sql`DELETE FROM moving_users`,
      sql`INSERT INTO partitions (partition, state, moved_to, has_rows)
        SELECT value, 'incoming', ${source}, 1 FROM json_each(${JSON.stringify(partitions)}) WHERE true
        ON CONFLICT (partition) DO UPDATE SET state = 'incoming', moved_to = excluded.moved_to, has_rows = 1`,
    ])
  } catch (error) {
    // Another mover has recorded its move: `currentMove` finds that one.
    if (!isTaken(error) && !(error instanceof UniqueViolation)) throw error
  }
}

/**
 * Freezes the partitions in the source, where they have to be open. When one is not, another mover has moved it since the
 * move was planned: the move is taken back.
 */
export async function freeze(databases: Databases, move: Move): Promise<void> {
  const { target } = move
  const session = databases.unfenced(move.source)
  const partitions = JSON.stringify(move.partitions)
  const position: MovePosition = { ...target.position, stage: 'users', ...START, frozen_ms: Date.now() }
  try {
    await session.send([
      sql`INSERT INTO fence (partition, database) SELECT value, ${move.source} FROM json_each(${partitions})`,
      sql`INSERT INTO moves (one, id, role, other, position)
        VALUES (1, ${move.id}, 'source', ${target.session.name}, ${JSON.stringify(position)})`,
      sql`INSERT INTO partitions (partition, state, moved_to)
        SELECT value, 'frozen', ${target.session.name} FROM json_each(${partitions}) WHERE true
        ON CONFLICT (partition) DO UPDATE SET state = 'frozen', moved_to = excluded.moved_to, has_rows = 1`,
    ])
  } catch (error) {
    if (!isTaken(error)) throw error
    const reason = 'the partitions are not open in the source; the same command begins anew'
    await takeStep(move, target, { ...target.position, stage: 'undo', ...START, reason }, [])
    return
  }
  move.from = { session, step: 0, position }
  await takeStep(move, target, position, [])
}

type UserRow = typeof movingUsers.$inferSelect

/** Lists the next users of the partitions: first those with a row of `usage`, then those with only an erasure or an emptied trash. */
export async function listUsers(move: Move): Promise<void> {
  const { from, target } = move
  if (!from) return
  const { position } = target
  const { table, key } = position
  const [found] = await from.session.send([
    table === 0
      ? sql<UserRow>`SELECT user_id, ${ROWS_OF_USER} AS size FROM usage
          WHERE partition IN (${MOVING_PARTITIONS}) AND user_id > ${key} ORDER BY user_id LIMIT ${MAX_USERS}`
      : sql<UserRow>`SELECT user_id, 0 AS size FROM (
            SELECT user_id FROM erasures WHERE user_id > ${key} UNION SELECT owner_id FROM trash_emptied WHERE owner_id > ${key}
          ) ORDER BY user_id LIMIT ${MAX_USERS}`,
  ])
  const partitions = new Set(move.partitions)
  const users = found.filter(({ user_id }) => partitions.has(partitionOf(user_id)))
  const next = found.at(-1)
  const isDone = found.length < MAX_USERS
  const following: MovePosition =
    isDone && table > 0 ? { ...position, stage: 'copy', ...START } : { ...position, ...START, table: 1 }
  await takeStep(move, target, isDone ? following : { ...position, key: next?.user_id ?? key }, [
    sql`INSERT OR IGNORE INTO moving_users (user_id, size)
      SELECT value ->> 'user_id', value ->> 'size' FROM json_each(${JSON.stringify(users)})`,
  ])
}

/** Ends a move in its target once the source has ended it, and deletes the list of its users. */
export async function forget(move: Move): Promise<void> {
  await endIn(move, move.target, [sql`DELETE FROM moving_users`])
}
