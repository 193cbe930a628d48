import { type SQL, sql } from 'drizzle-orm'
import { partitionIn, partitionOf } from '../db/id.ts'
import type { Prepared } from '../db/sql.ts'
import { pooled } from '../lib/pool.ts'
import { askFor } from './ask.ts'
import type { Databases } from './databases.ts'
import { FIRST } from './map.ts'
import { isOpenHere, locationFrom, movingPartitions, statesOf } from './partitions.ts'

/*
 * Reads of rows of several owners from the primaries of their homes: one trip for each database, several at the same time.
 * Rows of a partition that is being moved are those of the database that has the partition.
 */

/** SQL: whether the partition of an id is open in the database `name`, where the statement is executed. */
export function isAtHome(id: SQL, name: string): SQL {
  return isOpenHere(sql`substr(${id}, 21, 3)`, name)
}

/**
 * Reads rows of several users. `read` is the statement that reads the rows of these users.
 *
 * @throws UNAVAILABLE
 */
export function readFromHomes<Row extends { user_id: string }>(
  databases: Databases,
  user_ids: Iterable<string>,
  read: (user_ids: readonly string[]) => SQL<Row> | Prepared<Row>,
): Promise<Row[]> {
  return readFromEach(databases, user_ids, { read, partition: partitionOf, partitionOfRow: ownerPartition })
}

/**
 * Reads rows by ids of the service's (`isId`). Each of `wanted` has the id of a resource. `read` is the statement that reads
 * the rows for these; the `id` of a row has the partition of the id that it was read for.
 *
 * @throws UNAVAILABLE
 */
export function readByIds<Wanted extends { id: string }, Row extends { id: string }>(
  databases: Databases,
  wanted: Iterable<Wanted>,
  read: (wanted: readonly Wanted[]) => SQL<Row> | Prepared<Row>,
): Promise<Row[]> {
  return readFromEach(databases, wanted, { read, partition: idPartition, partitionOfRow: idPartition })
}

/**
 * Reads with the same statement from the primary of every database. Undefined while partitions are being moved: their rows are
 * in two databases.
 *
 * @throws UNAVAILABLE
 */
export async function readEverywhere<Row>(
  databases: Databases,
  statement: SQL<Row> | Prepared<Row>,
): Promise<{ name: string; rows: Row[] }[] | undefined> {
  const answers = await pooled(databases.names, async (name) => {
    const [rows, moving] = await primaryOf(databases, name).read([statement, movingPartitions])
    return { name, rows, isMoving: moving.length > 0 }
  })
  return answers.some(({ isMoving }) => isMoving) ? undefined : answers
}

function ownerPartition({ user_id }: { user_id: string }): string {
  return partitionOf(user_id)
}

function idPartition({ id }: { id: string }): string {
  return partitionIn(id)
}

interface Reading<Key, Row> {
  read: (keys: readonly Key[]) => SQL<Row> | Prepared<Row>
  partition: (key: Key) => string
  partitionOfRow: (row: Row) => string
}

async function readFromEach<Key, Row>(
  databases: Databases,
  keys: Iterable<Key>,
  { read, partition, partitionOfRow }: Reading<Key, Row>,
): Promise<Row[]> {
  if (databases.isSingle) return primaryOf(databases, FIRST).read(read([...keys]))
  const byPartition = Map.groupBy(keys, partition)
  const answers = await askFor(databases, byPartition.keys(), async (name, partitions) => {
    const some = partitions.flatMap((one) => byPartition.get(one) ?? [])
    const [rows, states] = await primaryOf(databases, name).read([read(some), statesOf(partitions)])
    const present = new Set(
      states.filter((state) => locationFrom([state], name) === name).map((state) => state.partition),
    )
    return { name, states, rows: rows.filter((row) => present.has(partitionOfRow(row))) }
  })
  return answers.flatMap(({ rows }) => rows)
}

function primaryOf(databases: Databases, name: string) {
  const db = databases.whole(name)
  db.usePrimary()
  return db
}
