import { getTableColumns, getTableName, type SQL, sql } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { ownersIn } from '../../../features/content/owned-rows.ts'
import * as schema from '../../../platform/db/schema.ts'
import { FROM_MOVING_PARTITIONS } from '../../../platform/shards/partitions.ts'
import { rowsOfPartitions, rowsOfUsers } from '../../user-rows.ts'

/** The statement that reads the partitions of this database's move. */
export const MOVING_PARTITIONS = sql<{
  partition: string
}>`SELECT partition ${sql.raw(FROM_MOVING_PARTITIONS)}`

/** A table as the mover copies it. SQLite makes a JSON array of each row, and reads it in the target. */
export interface Portable {
  name: string
  /** The name of the table. */
  table: string
  /** The columns that are copied, in the order of the array. */
  columns: string[]
  /** The columns that identify a row. */
  key: readonly string[]
  /** SQL: `FROM …` with the rows as `t`: those of these users (a JSON array), or of the move's partitions. */
  from: (users: string) => SQL
  /** Tables whose rows name a row of this one, and the column in which they do. */
  referredBy: Readonly<Record<string, string>>
  /** By column: SQL that is read from a row `t` instead of the column. It has the same value in the copy. */
  reads: Record<string, string>
  /** By column: SQL whose value the copy gets instead. */
  instead: Record<string, string>
  /** The OR clause after INSERT, and the ON CONFLICT clause after the statement. */
  conflict: string
  afterwards: string
  /** Whether the target may have rows of its own for these keys, so that the comparison leaves the table out. */
  isMerged: boolean
  /** Whether `removalOf` leaves the table out: another statement or a trigger removes or changes its rows. */
  stays: boolean
}

type Optional = 'reads' | 'instead' | 'conflict' | 'afterwards' | 'isMerged' | 'stays'

/** The exceptions of a table in copying or removing it. */
interface Special extends Partial<Pick<Portable, Optional>> {
  /** Columns that are not copied. */
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
  // Its row is removed last: `moving` keeps the triggers from counting.
  usage: { without: ['moving'], stays: true },
  // Triggers count the shares when they are copied.
  files: { instead: { share_count: '0', expired_share_count: '0' } },
  // A trigger has made a row for a copied asset that is blocked, and removes the row with its item.
  blocks: { conflict: 'OR REPLACE', stays: true },
  // The same holds for the measure of a copied branch.
  measures: { conflict: 'OR REPLACE', stays: true },
  // The target may have the erasure of a guest for the same user. The source's row becomes one.
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
  // `fillGarbage` writes these columns afterwards, so that the trigger after an insert neither counts the row nor changes its times.
  garbage: { instead: { writable_until: '0', enqueued_at: 'NULL', owner_id: 'NULL' } },
  branch_hints: {
    // `+`: an index over an expression serves values without an affinity.
    from: () => sql`FROM (${MOVING_PARTITIONS}) AS moving CROSS JOIN branch_hints AS t INDEXED BY branch_hints_by_partition
      ON ${sql.raw(rowsOfPartitions.branch_hints.partition)} = +moving.partition`,
  },
  // A turn (`next_at` below 1000000000) is one among those of its own database. The copy is due at the time of the event.
  outbox: { reads: { next_at: 'max(t.next_at, t.created_at)' } },
}

const special = new Map<string, Special & Partial<Pick<Portable, 'from'>>>(
  Object.entries({ ...specialOfUsers, ...specialOfPartitions }),
)

/** The tables whose rows belong to users, in the order in which they are written: a row comes after those that it names. */
export const tablesOfUsers: Portable[] = Object.entries(rowsOfUsers).map(([name, rows]) =>
  portable(name, { ...rows, from: (users) => rows.of(ownersIn(users)) }, special.get(name)),
)

/**
 * The tables whose rows belong to partitions. All rows of `garbage` and `erasures` are read: they are few, and an index over
 * the partition would make each of them cost another row.
 */
export const tablesOfPartitions: Portable[] = [
  ...Object.entries(rowsOfPartitions).map(([name, rows]) => {
    const from = () =>
      sql`FROM ${sql.raw(name)} AS t WHERE ${sql.raw(rows.partition)} IN (${MOVING_PARTITIONS})`
    return portable(name, { ...rows, from }, special.get(name))
  }),
  // Shares with erased users may move along. Their erasures are marked in the target, too, as those of guests.
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
