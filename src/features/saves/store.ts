import { createTables, forgetTables, hasTables, type Row } from '../../platform/lib/durable-object.ts'
import { steps } from './migrations.ts'
import type { RecallReport } from './recalls/report.ts'
import { columns, type RevisionRow } from './row.ts'
import { slotsOf } from './slots.ts'

/** The state that the object keeps besides the revisions, as one value. It outlives an erasure. */
export interface Account {
  /** The highest revision of all slots that are forgotten. A new slot begins above it. */
  floor: number
  /** The id of the last erasure. */
  mark?: string
  /** The days of the last deletion, for the alarm. */
  retention_days?: number
  /** The highest number of a recall that had something of its time here. */
  recalled?: number
  /** What recalls have come to here, until the first database has it. */
  reports?: RecallReport[]
}

const ACCOUNT = 'account'

/** The row of a new revision, without what the store decides. */
export type NewRow = Omit<RevisionRow, 'id' | 'last_revision' | 'change_number'>

const COLUMNS = columns.join(', ')
const INSERT = `INSERT INTO revisions (${COLUMNS}, id, bytes) VALUES (${columns.map(() => '?').join(', ')}, ?, `
const UPDATE = `UPDATE revisions SET ${columns.map((column) => `${column} = ?`).join(', ')} WHERE id = ?`

/**
 * The revisions of one user, in the SQLite of the user's object. Every method is synchronous. Changes are made within
 * `transaction`. The rows without their bytes stay in memory between calls, because only this object writes to its storage.
 */
export class SavesStore {
  readonly #storage: DurableObjectStorage
  readonly #sql: SqlStorage
  #rows: RevisionRow[] | undefined
  #account: Account | undefined

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage
    this.#sql = storage.sql
  }

  /** Runs changes, and writes all of them or none. */
  transaction<Answer>(change: () => Answer): Answer {
    try {
      return this.#storage.transactionSync(change)
    } catch (error) {
      this.#rows = undefined
      this.#account = undefined
      throw error
    }
  }

  /** All revisions, without their bytes. Callers don't change them. */
  rows(): readonly RevisionRow[] {
    if (!this.#rows)
      this.#rows = hasTables(this.#storage)
        ? this.#sql.exec<Row<RevisionRow>>(`SELECT id, ${COLUMNS} FROM revisions`).toArray()
        : []
    return this.#rows
  }

  account(): Account {
    this.#account ??= this.#storage.kv.get<Account>(ACCOUNT) ?? { floor: 0 }
    return this.#account
  }

  /** The bytes of a revision. */
  bytes({ id }: RevisionRow): ArrayBuffer {
    return this.#sql.exec<{ bytes: ArrayBuffer }>('SELECT bytes FROM revisions WHERE id = ?', id).one().bytes
  }

  /**
   * Adds a revision, with these bytes or with those of another revision, and removes others. The new one takes the row of
   * the first that is removed, so that both together write one row.
   */
  replace(added: NewRow, content: ArrayBuffer | RevisionRow, removed: RevisionRow[]): RevisionRow {
    createTables(this.#storage, steps)
    const rows = this.rows()
    const [reused, ...others] = removed
    const row: RevisionRow = {
      ...added,
      id: reused?.id ?? Math.max(0, ...rows.map(({ id }) => id)) + 1,
      last_revision: added.revision,
      change_number: this.#nextChange(),
    }
    this.#write(row, content, reused !== undefined)
    this.#forget(others, removed, row)
    return row
  }

  /** Removes revisions. */
  remove(removed: RevisionRow[]): void {
    this.#forget(removed, removed, undefined)
  }

  /** Marks a slot as deleted, by its current revision. */
  markDeleted(current: RevisionRow, deleted_at: number): void {
    const change_number = this.#nextChange()
    this.#sql.exec(
      'UPDATE revisions SET deleted_at = ?, change_number = ? WHERE id = ?',
      deleted_at,
      change_number,
      current.id,
    )
    this.#exchange({ ...current, deleted_at, change_number })
  }

  /** Keeps the days of the retention for the alarm. */
  keepRetention(retention_days: number): void {
    if (this.account().retention_days !== retention_days)
      this.#putAccount({ ...this.account(), retention_days })
  }

  /** Notes that the recalls up to a number are applied, with what is to be reported. */
  noteRecalls(recalled: number, reports: readonly RecallReport[]): void {
    const all = [...(this.account().reports ?? []), ...reports]
    this.#putAccount({ ...this.account(), recalled, ...(all.length > 0 && { reports: all }) })
  }

  /** Forgets reports that the first database has. */
  forgetReports(ids: ReadonlySet<string>): void {
    const { reports = [], ...account } = this.account()
    const left = reports.filter(({ id }) => !ids.has(id))
    this.#putAccount({ ...account, ...(left.length > 0 && { reports: left }) })
  }

  /** Removes everything except the floor, the id of the erasure and what recalls need. Returns how many revisions there were. */
  erase(erasure_id: string): number {
    const rows = this.rows()
    const lasts = [...slotsOf(rows).values()].map(({ last }) => last)
    const { floor, recalled, reports } = this.account()
    this.#putAccount({
      floor: Math.max(floor, ...lasts),
      mark: erasure_id,
      ...(recalled !== undefined && { recalled }),
      ...(reports && { reports }),
    })
    if (hasTables(this.#storage)) {
      this.#sql.exec('DROP TABLE revisions')
      forgetTables(this.#storage)
    }
    this.#rows = []
    return rows.length
  }

  #putAccount(account: Account): void {
    this.#storage.kv.put(ACCOUNT, account)
    this.#account = account
  }

  #write(row: RevisionRow, content: ArrayBuffer | RevisionRow, isReused: boolean): void {
    const values = [...columns.map((column) => row[column]), row.id]
    const isCopy = !(content instanceof ArrayBuffer)
    const bytes = isCopy ? '(SELECT bytes FROM revisions WHERE id = ?)' : '?'
    const value = isCopy ? content.id : content
    if (!isReused) this.#sql.exec(`${INSERT}${bytes})`, ...values, value)
    else
      this.#sql.exec(
        UPDATE.replace(' WHERE', `, bytes = ${bytes} WHERE`),
        ...values.slice(0, -1),
        value,
        row.id,
      )
  }

  /** Deletes the rows of `deleted`, and keeps the highest numbers of the slots that lose `removed`. */
  #forget(deleted: RevisionRow[], removed: RevisionRow[], added: RevisionRow | undefined): void {
    for (const { id } of deleted) this.#sql.exec('DELETE FROM revisions WHERE id = ?', id)
    const before = slotsOf(this.rows())
    const gone = new Set(removed)
    this.#rows = [...this.rows().filter((row) => !gone.has(row)), ...(added ? [added] : [])]
    const after = slotsOf(this.#rows)
    let floor = 0
    for (const name of new Set(removed.map(({ slot }) => slot))) {
      const last = before.get(name)?.last ?? 0
      const left = after.get(name)
      if (!left) floor = Math.max(floor, last)
      else if (left.last < last) this.#keepLast(left.current, last)
    }
    if (floor > this.account().floor) this.#putAccount({ ...this.account(), floor })
  }

  /** Keeps the highest number of a slot when the kept revision that had it goes. */
  #keepLast(current: RevisionRow, last_revision: number): void {
    this.#sql.exec('UPDATE revisions SET last_revision = ? WHERE id = ?', last_revision, current.id)
    this.#exchange({ ...current, last_revision })
  }

  #exchange(changed: RevisionRow): void {
    this.#rows = this.rows().map((row) => (row.id === changed.id ? changed : row))
  }

  #nextChange(): number {
    return Math.max(0, ...this.rows().map(({ change_number }) => change_number)) + 1
  }
}
