import { getTableColumns, getTableName, type SQL, sql } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { ownersIn } from '../../db/owned-rows.ts'
import * as schema from '../../db/schema.ts'
import { rowsOfPartitions, rowsOfUsers } from '../../db/user-rows.ts'

/** SQL: the partitions of this database's move. */
export const MOVING_PARTITIONS = sql<{
  partition: string
}>`SELECT partition FROM partitions INDEXED BY partitions_moving
  WHERE state IN ('frozen', 'incoming') OR (state = 'gone' AND has_rows = 1)`

/** A table as the mover copies it. Its rows travel as JSON arrays, which SQLite makes and reads. */
export interface Portable {
  name: string
  /** The name of the table. */
  table: string
  /** The columns that travel, in the order of the array. */
  columns: string[]
  /** The columns that identify a row. */
  key: readonly string[]
  /** SQL: `FROM …` with the rows as `t`: those of these users (a JSON array), or of the move's partitions. */
  from: (users: string) => SQL
  /** Tables whose rows name a row of this one, and the column in which they do. */
  referredBy: Readonly<Record<string, string>>
  /** What is read of a row `t` in place of a column: text of SQL. Read of its copy, it is the same. */
  reads: Record<string, string>
  /** What a column gets in the copy in place of what it has: text of SQL. */
  instead: Record<string, string>
  /** The OR clause after INSERT, and the ON CONFLICT clause after the statement. */
  conflict: string
  afterwards: string
  /** Whether rows meet others, so that the two databases need not agree. */
  isMerged: boolean
  /** Whether the removal of rows leaves these out: something else removes or changes them. */
  stays: boolean
}

type Optional = 'reads' | 'instead' | 'conflict' | 'afterwards' | 'isMerged' | 'stays'

/** What is special about copying or removing a table. */
interface Special extends Partial<Pick<Portable, Optional>> {
  /** Columns that the copy makes itself. */
  without?: string[]
}

interface Rows extends Pick<Portable, 'key' | 'from'>, Partial<Pick<Portable, 'referredBy'>> {
  table: SQLiteTable
}

function portable(
  name: string,
  { table, key, from, referredBy = {} }: Rows,
  { without = [], ...special }: Special = {},
): Portable {
  const stored = Object.entries(getTableColumns(table)).filter(([, column]) => !column.generated)
  const columns = stored.map(([column]) => column).filter((column) => !without.includes(column))
  const standard = { reads: {}, instead: {}, conflict: '', afterwards: '', isMerged: false, stays: false }
  return { name, table: getTableName(table), columns, key, from, referredBy, ...standard, ...special }
}

const specialOfUsers: { [Name in keyof typeof rowsOfUsers]?: Special } = {
  // Its row is removed last: it says that the user moves.
  usage: { without: ['moving'], stays: true },
  // The shares count themselves.
  files: { instead: { share_count: '0', expired_share_count: '0' } },
  // Numbers that are taken: see `spilled`.
  game_assets: { afterwards: 'ON CONFLICT (number) DO NOTHING' },
  // The insert of a blocked asset has made a row. A trigger removes it with the item.
  blocks: { conflict: 'OR REPLACE', stays: true },
  // There may be the erasure of a guest. What is left behind becomes one.
  erasures: {
    afterwards: `ON CONFLICT (user_id) DO UPDATE SET until = max(until, excluded.until),
      mark = max(mark, excluded.mark), inbox_erased = excluded.inbox_erased, next_at = 0, is_guest = 0`,
    isMerged: true,
    stays: true,
  },
}

const specialOfPartitions: {
  [Name in keyof typeof rowsOfPartitions]?: Special & Partial<Pick<Portable, 'from'>>
} = {
  // `fillGarbage` gives them these, so that the trigger of an insert neither counts the row nor changes its times.
  garbage: { instead: { writable_until: '0', enqueued_at: 'NULL', owner_id: 'NULL' } },
  branch_hints: {
    // `+`: an index over an expression serves values without an affinity.
    from: () => sql`FROM (${MOVING_PARTITIONS}) AS moving CROSS JOIN branch_hints AS t INDEXED BY branch_hints_by_partition
      ON ${sql.raw(rowsOfPartitions.branch_hints.partition)} = +moving.partition`,
  },
  // The order of a thing's events is a column of theirs, so they may be copied in any order.
  // A turn counts among those of its own database. Due since it happened, the event is delivered among those that come again.
  outbox: { reads: { next_at: 'max(t.next_at, t.created_at)' } },
}

const special = new Map<string, Special & Partial<Pick<Portable, 'from'>>>(
  Object.entries({ ...specialOfUsers, ...specialOfPartitions }),
)

/** The tables whose rows belong to users, in the order in which they are written: what is referred to comes first. */
export const tablesOfUsers: Portable[] = Object.entries(rowsOfUsers).map(([name, rows]) =>
  portable(name, { ...rows, from: (users) => rows.of(ownersIn(users)) }, special.get(name)),
)

/**
 * The tables whose rows belong to partitions. Garbage and erasures are read as a whole: an index over the partition would cost
 * each row that is queued another row, and what is queued is what the job has not removed yet.
 */
export const tablesOfPartitions: Portable[] = [
  ...Object.entries(rowsOfPartitions).map(([name, rows]) => {
    const from = () =>
      sql`FROM ${sql.raw(name)} AS t WHERE ${sql.raw(rows.partition)} IN (${MOVING_PARTITIONS})`
    return portable(name, { ...rows, from }, special.get(name))
  }),
  // What was shared with these users may move along: then it is to be removed there.
  portable(
    'guests',
    { table: schema.erasures, key: ['user_id'], from: () => sql`FROM erasures AS t WHERE true` },
    {
      instead: { is_guest: '1', next_at: '0' },
      afterwards: `ON CONFLICT (user_id) DO UPDATE SET until = excluded.until, next_at = 0 WHERE until < excluded.until`,
      isMerged: true,
      stays: true,
    },
  ),
]
