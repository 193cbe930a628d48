import { type SQL, sql } from 'drizzle-orm'
import type { Group } from './groups.ts'
import { endIn, type Move, type Position, type Side, takeStep } from './record.ts'
import { MOST_ROWS } from './rows.ts'
import { type Portable, tablesOfPartitions, tablesOfUsers } from './tables.ts'

const named = new Map([...tablesOfUsers, ...tablesOfPartitions].map((table) => [table.name, table]))

/**
 * Removes the next rows of a group of users, or of the partitions themselves, from one of the databases. Triggers count
 * nothing there any more, and queue no content. Erasures stay, as those of guests: what others shared with these users
 * may still be here.
 *
 * Returns whether all rows have been removed.
 */
export async function removeStep(move: Move, side: Side, group: Group): Promise<boolean> {
  const { position } = side
  const next: Position = { ...position, after: group.last, table: 0, key: '' }
  if (position.after === null) {
    const removed = await takeStep(move, side, position, removalOfPartitions())
    return removed.every((rows) => rows.length < MOST_ROWS)
  }
  if (group.last === null) {
    await takeStep(move, side, next, [])
    return false
  }
  const removed = await takeStep(move, side, position, removalOfUsers(group.users))
  // A table whose rows others refer to may have been left with some.
  if (removed.every((rows) => rows.length < MOST_ROWS))
    await takeStep(move, side, next, [
      sql`UPDATE erasures SET is_guest = 1, next_at = 0
        WHERE is_guest = 0 AND user_id IN (SELECT value FROM json_each(${group.users}))`,
      sql`DELETE FROM usage WHERE user_id IN (SELECT value FROM json_each(${group.users}))`,
    ])
  return false
}

/** Ends the move in the source: the partitions have no rows there. */
export async function endInSource(move: Move, from: Side): Promise<void> {
  await endIn(move, from, [sql`UPDATE partitions SET has_rows = 0 WHERE state = 'gone'`])
  move.from = undefined
}

/** Ends a move that was taken back in its target: the partitions are where they came from, and have no rows here. */
export async function endTakenBack(move: Move): Promise<void> {
  await endIn(move, move.target, [
    sql`UPDATE partitions SET state = 'gone', has_rows = 0 WHERE state = 'incoming'`,
    sql`DELETE FROM moving_users`,
  ])
}

/** The statements that remove up to MOST_ROWS rows of each table but `usage`, those that refer to others first. */
function removalOfUsers(users: string): SQL[] {
  const some = (name: string, column: string, condition = sql`true`) =>
    sql`(SELECT ${sql.raw(column)} ${from(name, users)} AND ${condition} LIMIT ${MOST_ROWS})`
  return [
    sql`UPDATE usage SET moving = 1 WHERE moving = 0 AND user_id IN (SELECT value FROM json_each(${users}))`,
    sql`DELETE FROM shares WHERE id IN ${some('shares', 't.id')} RETURNING 1 AS removed`,
    sql`DELETE FROM uploads WHERE id IN ${some('uploads', 't.id')} RETURNING 1 AS removed`,
    sql`DELETE FROM files WHERE id IN ${some(
      'files',
      't.id',
      sql`NOT EXISTS (SELECT 1 FROM uploads WHERE file_id = t.id) AND NOT EXISTS (SELECT 1 FROM shares WHERE file_id = t.id)`,
    )} RETURNING 1 AS removed`,
    sql`DELETE FROM asset_versions WHERE id IN ${some('asset_versions', 't.id')} RETURNING 1 AS removed`,
    sql`DELETE FROM game_assets WHERE id IN ${some(
      'game_assets',
      't.id',
      sql`NOT EXISTS (SELECT 1 FROM asset_versions WHERE asset_id = t.id)`,
    )} RETURNING 1 AS removed`,
    sql`DELETE FROM idempotency WHERE (caller_id, key) IN ${some('idempotency', 't.caller_id, t.key')}
      RETURNING 1 AS removed`,
    sql`DELETE FROM trash_emptied WHERE owner_id IN ${some('trash_emptied', 't.owner_id')} RETURNING 1 AS removed`,
  ]
}

function removalOfPartitions(): SQL[] {
  return [
    sql`DELETE FROM garbage WHERE object_key IN (SELECT t.object_key ${from('garbage')} LIMIT ${MOST_ROWS})
      RETURNING 1 AS removed`,
    sql`DELETE FROM share_hints WHERE (grantee_partition, grantee_id, partition) IN (
        SELECT t.grantee_partition, t.grantee_id, t.partition ${from('share_hints')} LIMIT ${MOST_ROWS}
      ) RETURNING 1 AS removed`,
    sql`DELETE FROM branch_hints WHERE (source_id, partition) IN (
        SELECT t.source_id, t.partition ${from('branch_hints')} LIMIT ${MOST_ROWS}
      ) RETURNING 1 AS removed`,
    sql`DELETE FROM outbox WHERE id IN (SELECT t.id ${from('outbox')} LIMIT ${MOST_ROWS}) RETURNING 1 AS removed`,
  ]
}

function from(name: string, users = '[]'): SQL {
  const table: Portable | undefined = named.get(name)
  if (!table) throw new Error(`no table ${name}`)
  return table.from(users)
}
