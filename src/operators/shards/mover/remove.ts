import { type SQL, sql } from 'drizzle-orm'
import type { Group } from './groups.ts'
import { endIn, type Move, type MovePosition, type Side, takeStep } from './moves.ts'
import { MOST_ROWS } from './rows.ts'
import { type Portable, tablesOfPartitions, tablesOfUsers } from './tables.ts'

/**
 * Removes the next rows of a group of users or, after all users, of the partitions from one of the databases. `usage.moving`
 * keeps triggers from counting them. Erasures stay, as those of guests: shares with these users may still be here. Returns
 * whether all rows have been removed.
 */
export async function removeStep(move: Move, side: Side, group: Group): Promise<boolean> {
  const { position } = side
  const next: MovePosition = { ...position, after: group.last, table: 0, key: '' }
  if (position.after === null) {
    const removed = await takeStep(move, side, position, removalOf(tablesOfPartitions, '[]'))
    return removed.every((rows) => rows.length < MOST_ROWS)
  }
  if (group.last === null) {
    await takeStep(move, side, next, [])
    return false
  }
  const removed = await takeStep(move, side, position, [
    sql`UPDATE usage SET moving = 1 WHERE moving = 0 AND user_id IN (SELECT value FROM json_each(${group.users}))`,
    ...removalOf(tablesOfUsers, group.users),
  ])
  // A full batch may have left rows behind, also in tables that the removed rows referred to.
  if (removed.every((rows) => rows.length < MOST_ROWS))
    await takeStep(move, side, next, [
      sql`UPDATE erasures SET is_guest = 1, next_at = 0
        WHERE is_guest = 0 AND user_id IN (SELECT value FROM json_each(${group.users}))`,
      sql`DELETE FROM usage WHERE user_id IN (SELECT value FROM json_each(${group.users}))`,
    ])
  return false
}

/** Ends the move in the source, where the partitions have no rows any more. */
export async function endInSource(move: Move, from: Side): Promise<void> {
  await endIn(move, from, [sql`UPDATE partitions SET has_rows = 0 WHERE state = 'gone'`])
  move.from = undefined
}

/** Ends, in the target, a move that was taken back: the partitions are open in the source, and have no rows in the target. */
export async function endTakenBack(move: Move): Promise<void> {
  await endIn(move, move.target, [
    sql`UPDATE partitions SET state = 'gone', has_rows = 0 WHERE state = 'incoming'`,
    sql`DELETE FROM moving_users`,
  ])
}

/** The statements that remove up to MOST_ROWS rows of each of these tables. Rows that other rows refer to are left until later. */
function removalOf(tables: readonly Portable[], users: string): SQL[] {
  return tables
    .filter(({ stays }) => !stays)
    .toReversed()
    .map(({ table, key, from, referredBy }) => {
      const isFree = Object.entries(referredBy).map(
        ([other, column]) => `AND NOT EXISTS (SELECT 1 FROM ${other} WHERE ${column} = t.id)`,
      )
      const some = sql`SELECT ${sql.raw(key.map((column) => `t.${column}`).join(', '))} ${from(users)} ${sql.raw(isFree.join(' '))}`
      return sql`DELETE FROM ${sql.raw(table)} WHERE (${sql.raw(key.join(', '))}) IN (${some} LIMIT ${MOST_ROWS})
        RETURNING 1 AS removed`
    })
}
