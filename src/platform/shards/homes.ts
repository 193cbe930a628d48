import type { SQL } from 'drizzle-orm'
import { partitionOf } from '../db/id.ts'
import type { Rendered } from '../db/sql.ts'
import { askFor } from './ask.ts'
import type { Databases } from './databases.ts'
import { FIRST } from './map.ts'
import { locationFrom, statesOf } from './partitions.ts'

/**
 * Reads rows of several users from the primaries of their homes: one trip for each database, several at the same time. Rows
 * of a partition that is being moved are those of the database that has the partition. `read` is the statement that reads the
 * rows of these users.
 *
 * @throws UNAVAILABLE
 */
export async function readFromHomes<Row extends { user_id: string }>(
  databases: Databases,
  user_ids: Iterable<string>,
  read: (user_ids: readonly string[]) => SQL<Row> | Rendered<Row>,
): Promise<Row[]> {
  if (databases.isSingle) return primaryOf(databases, FIRST).read(read([...user_ids]))
  const byPartition = Map.groupBy(user_ids, partitionOf)
  const answers = await askFor(databases, byPartition.keys(), async (name, partitions) => {
    const users = partitions.flatMap((partition) => byPartition.get(partition) ?? [])
    const [rows, states] = await primaryOf(databases, name).read([read(users), statesOf(partitions)])
    const present = new Set(
      states.filter((state) => locationFrom([state], name) === name).map(({ partition }) => partition),
    )
    return { name, states, rows: rows.filter(({ user_id }) => present.has(partitionOf(user_id))) }
  })
  return answers.flatMap(({ rows }) => rows)
}

function primaryOf(databases: Databases, name: string) {
  const db = databases.whole(name)
  db.usePrimary()
  return db
}
