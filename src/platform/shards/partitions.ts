import { type SQL, sql } from 'drizzle-orm'
import type { partitions } from '../db/schema.ts'
import type { Rendered } from '../db/sql.ts'
import { FIRST } from './map.ts'

/** What stands in the fence for a whole database. */
const EVERY_PARTITION = '*'

/** What a database knows of a partition. A partition without a row is open in the first database, and in no other. */
export type StateRow = Pick<typeof partitions.$inferSelect, 'state' | 'moved_to'>

const stateText = 'SELECT state, moved_to FROM partitions WHERE partition = ?'

/**
 * The statement that a write begins with. It writes nothing, and refuses the batch unless the partition is open in this
 * database; without a partition, unless no partition of this database moves.
 */
export function fence(partition: string | undefined, database: string): Rendered {
  if (partition === undefined)
    return {
      sql: 'INSERT INTO fence (partition, database) VALUES (?, ?)',
      params: [EVERY_PARTITION, database],
    }
  if (database === FIRST)
    return { sql: 'INSERT INTO partition_fence (partition) VALUES (?)', params: [partition] }
  return {
    sql: 'INSERT INTO partition_fence (partition, otherwise) VALUES (?, ?)',
    params: [partition, 'gone'],
  }
}

/** The statement that refuses a batch unless a second partition is open in this database, too. */
export function linkedFence(partition: string, database: string): Rendered {
  if (database === FIRST)
    return { sql: 'INSERT INTO linked_partition_fence (partition) VALUES (?)', params: [partition] }
  return {
    sql: 'INSERT INTO linked_partition_fence (partition, otherwise) VALUES (?, ?)',
    params: [partition, 'gone'],
  }
}

/** The statement that reads the state of a partition. */
export function stateOf(partition: string): Rendered<StateRow> {
  return { sql: stateText, params: [partition] }
}

/** SQL: whether a partition is open in the database of that name, in which the statement is executed. */
export function isOpenHere(partition: SQL, name: string): SQL {
  const withoutRow = name === FIRST ? 'open' : 'gone'
  return sql`coalesce((SELECT place.state FROM partitions AS place WHERE place.partition = ${partition}), ${withoutRow}) = 'open'`
}

/** A partition that is being moved, as one of the two databases knows it. */
export interface MovingPartition extends StateRow {
  partition: string
}

/** The statement that reads which partitions a database gives or takes just now. */
export const moves: Rendered<MovingPartition> = {
  sql: `SELECT partition, state, moved_to FROM partitions INDEXED BY partitions_moving
    WHERE state IN ('frozen', 'incoming') OR (state = 'gone' AND has_rows = 1)`,
  params: [],
}

/** What a database knows of a partition: nulls when it has no row. */
export type PartitionState = MovingPartition | { partition: string; state: null; moved_to: null }

/** The statement that reads what a database knows of these partitions. */
export function statesOf(wanted: readonly string[]): Rendered<PartitionState> {
  return {
    sql: `SELECT value AS partition, (SELECT state FROM partitions WHERE partition = value) AS state,
      (SELECT moved_to FROM partitions WHERE partition = value) AS moved_to FROM json_each(?)`,
    params: [JSON.stringify(wanted)],
  }
}

/**
 * SQL: whether a row counts, by its id. The rows of a partition that is being copied to this database, or has been moved from
 * it, don't. For statements about rows of many partitions, with several databases.
 */
export function isHere(id: SQL): SQL {
  return sql`NOT EXISTS (SELECT 1 FROM partitions AS place
    WHERE place.partition = substr(${id}, 21, 3) AND place.state IN ('incoming', 'gone'))`
}

type KnownState = Pick<PartitionState, 'state' | 'moved_to'>

/** The name of the database that has the partition, by what the database `name` answered to `stateOf`. */
export function whereItIs([row]: readonly KnownState[], name: string): string {
  if (!row || row.state === null) return FIRST
  return row.state === 'open' || row.state === 'frozen' ? name : (row.moved_to ?? FIRST)
}

/** Whether that partition is being copied from this database. */
export function isFrozen([row]: readonly KnownState[]): boolean {
  return row?.state === 'frozen'
}
