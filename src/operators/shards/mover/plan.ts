import { type SQL, sql } from 'drizzle-orm'
import { partitionText } from '../../../platform/db/id.ts'
import type { partitions } from '../../../platform/db/schema.ts'
import { pooled } from '../../../platform/lib/pool.ts'
import type { Databases } from '../../../platform/shards/databases.ts'
import { FIRST } from '../../../platform/shards/map.ts'
import { ROWS_OF_USER } from '../../user-rows.ts'

/** The most partitions of a portion, and about the most rows, hints included. A single partition may have more. */
export interface Portion {
  partitions: number
  rows: number
}

/** The default size of a portion. A portion is frozen while it is copied. */
export const PORTION: Portion = { partitions: 256, rows: 5_000 }

/** A range of partitions, both ends included, in three hexadecimal digits. */
export interface PartitionRange {
  first: string
  last: string
}

type StateRow = Pick<typeof partitions.$inferSelect, 'partition' | 'state'>

/** How many rows a partition has, as one statement counts them; null: none. */
interface SizeRow {
  partition: string
  size: number | null
}

/** The partitions of a range. */
export function partitionsOf({ first, last }: PartitionRange): string[] {
  const from = Number.parseInt(first, 16)
  const count = Number.parseInt(last, 16) - from + 1
  return Array.from({ length: count }, (_, index) => partitionText(from + index))
}

/** Returns which database has each partition. A partition that is being moved is not among them. */
export async function locationsOf(databases: Databases): Promise<Map<string, string>> {
  const known = await pooled(databases.names, async (name) => {
    const [rows] = await databases
      .unfenced(name)
      .send([sql<StateRow>`SELECT partition, state FROM partitions`])
    return { name, states: new Map(rows.map(({ partition, state }) => [partition, state])) }
  })
  const first = known.find(({ name }) => name === FIRST)?.states
  const locations = new Map<string, string>()
  for (const partition of partitionsOf({ first: '000', last: 'fff' })) {
    const opened = known.find(({ states }) => states.get(partition) === 'open')
    if (opened) locations.set(partition, opened.name)
    else if (!first?.has(partition)) locations.set(partition, FIRST)
  }
  return locations
}

/** The next partitions of a range that are to be moved to a database, all from one source; undefined when none is left. */
export async function nextPortion(
  databases: Databases,
  range: PartitionRange,
  target: string,
  portion: Portion,
): Promise<{ source: string; partitions: string[] } | undefined> {
  const locations = await locationsOf(databases)
  const wanted = partitionsOf(range).filter((partition) => locations.get(partition) !== target)
  const [first] = wanted
  const source = first && locations.get(first)
  if (!source) return undefined
  const candidates = wanted
    .filter((partition) => locations.get(partition) === source)
    .slice(0, portion.partitions)
  const sizes = new Map<string, number>()
  const counted = await databases.unfenced(source).send(rowsIn(candidates, portion.rows))
  for (const { partition, size } of counted.flat())
    sizes.set(partition, (sizes.get(partition) ?? 0) + (size ?? 0))
  const partitions: string[] = []
  let size = 0
  for (const partition of candidates) {
    size += sizes.get(partition) ?? 0
    if (partitions.length > 0 && size > portion.rows) break
    partitions.push(partition)
  }
  return { source, partitions }
}

/**
 * The statements that count the rows of each of these partitions: those that the users' counters know, and hints, which
 * shares and branches of other users have written. Each counts hints in the order of the partitions, up to `most` + 1: a
 * portion ends before that many.
 */
function rowsIn(partitions: string[], most: number): SQL<SizeRow>[] {
  const wanted = sql`json_each(${JSON.stringify(partitions)}) AS wanted`
  const counted = (hints: SQL) =>
    sql<SizeRow>`SELECT partition, count(*) AS size FROM (
      SELECT wanted.value AS partition FROM ${wanted} CROSS JOIN ${hints} LIMIT ${most + 1}) GROUP BY partition`
  return [
    sql<SizeRow>`SELECT value AS partition, (SELECT sum(${ROWS_OF_USER}) FROM usage WHERE usage.partition = value) AS size FROM ${wanted}`,
    counted(sql`share_hints ON grantee_partition = wanted.value`),
    // `+`: an index over an expression serves values without an affinity.
    counted(
      sql`branch_hints INDEXED BY branch_hints_by_partition ON substr(source_id, 21, 3) = +wanted.value`,
    ),
  ]
}
