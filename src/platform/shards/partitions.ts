import { type SQL, sql } from 'drizzle-orm'
import type { partitions } from '../db/schema.ts'
import { type Params, type Prepared, perShape, statement } from '../db/sql.ts'
import { FIRST } from './map.ts'

/** The partition that the view `fence` takes for a whole database. */
const EVERY_PARTITION = '*'

/** The row of a partition. A partition without a row is open in the first database, and is in no other. */
export type StateRow = Pick<typeof partitions.$inferSelect, 'state' | 'moved_to'>

/**
 * The statement that a write begins with. It writes nothing, and refuses the batch unless the partition is open in this
 * database; without a partition, unless no partition of this database moves.
 */
export function fence(partition: string | undefined, database: string): Prepared {
  if (partition !== undefined) return fenceIn('partition_fence', partition, database)
  return fenceOfAll({ partition: EVERY_PARTITION, database })
}

const fenceOfAll = statement(
  (p: Params<'partition' | 'database'>) =>
    sql`INSERT INTO fence (partition, database) VALUES (${p.partition}, ${p.database})`,
)

/** The statement that refuses a batch unless a second partition is open in this database, too. */
export function linkedFence(partition: string, database: string): Prepared {
  return fenceIn('linked_partition_fence', partition, database)
}

type FenceView = 'partition_fence' | 'linked_partition_fence'

function fenceIn(view: FenceView, partition: string, database: string): Prepared {
  return (database === FIRST ? fenceInFirst : fenceInOther)(view)({ partition })
}

const fenceInFirst = perShape((view: FenceView) =>
  statement(
    (p: Params<'partition'>) => sql`INSERT INTO ${sql.raw(view)} (partition) VALUES (${p.partition})`,
  ),
)
const fenceInOther = perShape((view: FenceView) =>
  statement(
    (p: Params<'partition'>) =>
      sql`INSERT INTO ${sql.raw(view)} (partition, state_without_row) VALUES (${p.partition}, 'gone')`,
  ),
)

/** The statement that reads the state of a partition. */
export const stateOf = statement(
  (p: Params<'partition'>) =>
    sql<StateRow>`SELECT state, moved_to FROM partitions WHERE partition = ${p.partition}`,
)

/** SQL: whether a partition is open in the database `name`, where the statement is executed. */
export function isOpenHere(partition: SQL, name: string): SQL {
  const withoutRow = name === FIRST ? 'open' : 'gone'
  return sql`coalesce((SELECT known.state FROM partitions AS known WHERE known.partition = ${partition}), ${withoutRow}) = 'open'`
}

/** A partition that is being moved, as one of the two databases knows it. */
export interface MovingPartition extends StateRow {
  partition: string
}

/** SQL: the partitions that are being moved from or to this database. */
export const FROM_MOVING_PARTITIONS = `FROM partitions INDEXED BY partitions_moving
  WHERE state IN ('frozen', 'incoming') OR (state = 'gone' AND has_rows = 1)`

/** The statement that reads the partitions that are being moved from or to a database. */
export const movingPartitions = statement(
  () => sql<MovingPartition>`SELECT partition, state, moved_to ${sql.raw(FROM_MOVING_PARTITIONS)}`,
)()

/** The state of a partition in a database: nulls when there is no row. */
export type PartitionState = MovingPartition | { partition: string; state: null; moved_to: null }

/** SQL: the columns `state` and `moved_to` of a partition, nulls without a row. `partition` is text of SQL. */
export function stateColumns(partition: string): string {
  return `(SELECT known.state FROM partitions AS known WHERE known.partition = ${partition}) AS state,
    (SELECT known.moved_to FROM partitions AS known WHERE known.partition = ${partition}) AS moved_to`
}

/** The statement that reads the states of these partitions in a database. */
export function statesOf(wanted: readonly string[]): Prepared<PartitionState> {
  return statesIn({ wanted: JSON.stringify(wanted) })
}

const statesIn = statement(
  (p: Params<'wanted'>) =>
    sql<PartitionState>`SELECT wanted.value AS partition, ${sql.raw(stateColumns('wanted.value'))} FROM json_each(${p.wanted}) AS wanted`,
)

/**
 * SQL: whether the row with this id is in a partition of this database. Rows of a partition that is being copied to the
 * database, or has been moved away from it, are not. For statements about rows of many partitions.
 */
export function isHere(id: SQL): SQL {
  return sql`NOT EXISTS (SELECT 1 FROM partitions AS known
    WHERE known.partition = substr(${id}, 21, 3) AND known.state IN ('incoming', 'gone'))`
}

type KnownState = Pick<PartitionState, 'state' | 'moved_to'>

/** The name of the database that has a partition, from the answer of the database `name` to `stateOf`. */
export function locationFrom([row]: readonly KnownState[], name: string): string {
  if (!row || row.state === null) return FIRST
  return row.state === 'open' || row.state === 'frozen' ? name : (row.moved_to ?? FIRST)
}

/** Whether a partition is being copied from this database. */
export function isFrozen([row]: readonly KnownState[]): boolean {
  return row?.state === 'frozen'
}
