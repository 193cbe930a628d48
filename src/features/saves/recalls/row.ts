import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import { recalls } from '../../../platform/db/schema.ts'
import { columnsOf, type Params, type Prepared, type RowOf, statement } from '../../../platform/db/sql.ts'
import type { RecallRecord } from './schema.ts'

const { key_hash: _, changed: __, ...columns } = getTableColumns(recalls)

/** SQL: the columns of a RecallRow. */
export const recallColumns = columnsOf(columns)

/** A row of `recalls`. Its slots are JSON. */
export interface RecallRow extends RowOf<typeof columns> {}

/** A recall as the API shows it. */
export function recallRecord(row: RecallRow): RecallRecord {
  const { number: _, request_hash: __, from_time: from, until_time: until, slots, ...others } = row
  return { ...others, from, until, slots: slotsIn(slots) }
}

/** A recall in force, as the object with a player's saves gets it. */
export interface Recall {
  id: string
  /** Rises with each recall. An object that has applied one applies no lower one any more. */
  number: number
  /** Unix seconds: what was written from the one on and before the other goes back to before. */
  from: number
  until: number
  /** Whether slots that were written since go back, too. */
  reverts_newer: boolean
  /** The slots that go back; null: all of the player's. */
  slots: string[] | null
}

/** The recalls in force, at a version of their list. */
export interface Recalls {
  version: number
  recalls: Recall[]
}

interface VersionRow {
  version: number | null
}

const readVersion = statement(() => sql<VersionRow>`SELECT max(changed) AS version FROM recalls`)

const readInForce = statement(
  () => sql<RecallRow>`SELECT ${recallColumns} FROM recalls INDEXED BY recalls_in_force
    WHERE ended_at IS NULL ORDER BY number`,
)

/** The statements that read all recalls in force, and the version of their list. */
export function wholeList(): [Prepared<VersionRow>, Prepared<RecallRow>] {
  return [readVersion(), readInForce()]
}

/** The list in the answers to `wholeList`. */
export function listOf([list]: readonly VersionRow[], rows: readonly RecallRow[]): Recalls {
  return { version: list?.version ?? 0, recalls: rows.map(inForce) }
}

/** A row as objects get it. */
export function inForce({ id, number, from_time: from, until_time: until, newer, slots }: RecallRow): Recall {
  return { id, number, from, until, reverts_newer: newer === 'revert', slots: slotsIn(slots) }
}

function slotsIn(slots: string | null): string[] | null {
  return slots === null ? null : JSON.parse(slots)
}

/** SQL: the version of the list after a change at `now_ms`. It rises also after going back to an earlier state of the database. */
export function nextVersion(now_ms: SQL): SQL {
  return sql`max((SELECT coalesce(max(changed), 0) FROM recalls) + 1, ${now_ms})`
}

const find = statement(
  (p: Params<'id'>) => sql<RecallRow>`SELECT ${recallColumns} FROM recalls WHERE id = ${p.id}`,
)
/** The statement that reads a recall. */
export const findRecall = (id: string): Prepared<RecallRow> => find({ id })
