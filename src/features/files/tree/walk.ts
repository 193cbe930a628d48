import { type SQL, sql } from 'drizzle-orm'
import { erasedUntil } from '../../../platform/db/marks.ts'
import { columnsOf, joined, type Params, statement } from '../../../platform/db/sql.ts'
import { type FileRow, itemColumns } from '../row.ts'

/** The bound of the walk, in case a cycle gets into the tree. MAX_FOLDER_DEPTH allows paths of up to 1,001 items. */
const LONGEST_WALK = 2_000

/** The columns that a walk reads, and how far it goes. */
export interface Walk {
  /** Columns that each row of the walk has of its own, beside `parent_id`. */
  columns?: Partial<typeof itemColumns>
  /** Other columns: the value at the item, and the value at the folder `above` that follows the row `walk`. */
  carried?: Record<string, { atItem: SQL; atFolder: SQL }>
  /** The condition on which the walk continues from the row `walk` to the folder `above`. */
  continues?: SQL
}

/**
 * SQL: the walk from an item up to the root, as a WITH clause; a SELECT from `walk` has to follow. The rows are the item
 * (`level` 1) and each folder above it. Each level costs two rows read.
 *
 * `start` is the clause that finds the item, `FROM files AS item WHERE …`; it is empty when `item` is a row of the
 * enclosing statement. A plain column name binds to the innermost table that has it, so conditions name their table.
 */
export function walkUp(start: SQL, { columns, carried = {}, continues = sql`1` }: Walk = {}): SQL {
  const own = { parent_id: itemColumns.parent_id, ...columns }
  const names = sql.raw(['level', ...Object.keys(own), ...Object.keys(carried)].join(', '))
  const values = Object.values(carried)
  const item = [sql`1`, columnsOf(own, 'item'), ...values.map(({ atItem }) => atItem)]
  const folder = [sql`walk.level + 1`, columnsOf(own, 'above'), ...values.map(({ atFolder }) => atFolder)]
  return sql`WITH RECURSIVE walk (${names}) AS (
      SELECT ${joined(item, ', ')} ${start}
      UNION ALL
      SELECT ${joined(folder, ', ')} FROM walk JOIN files AS above ON above.id = walk.parent_id
      WHERE walk.level < ${sql.raw(String(LONGEST_WALK))} AND ${continues}
    )`
}

/** SQL: the start of a walk at the item with this id. */
export function fromItem(id: string | SQL): SQL {
  return sql`FROM files AS item WHERE item.id = ${id}`
}

const { purging, ...others } = itemColumns

/**
 * The statement that reads the path of an item: the item first, then each folder above it. It answers every question about
 * the item's place (docs/architecture.md#the-path-to-the-root). Items that were erased with their owner are left out.
 */
export const pathTo = statement((p: Params<'id'>) => pathFrom(p.id))

/** SQL: the SELECT of `pathTo`. */
export function pathFrom(id: SQL): SQL<FileRow> {
  return sql`${walkUp(fromItem(id), { columns: itemColumns })} ${shownRows()}`
}

/** SQL: the SELECT of the rows of a walk that has the columns of a FileRow. */
function shownRows(): SQL {
  return sql`SELECT ${columnsOf(others)}, ${isPurging(sql`walk`)} AS purging
    FROM walk WHERE walk.created_at > ${erasedUntil(sql`walk.owner_id`)}`
}

/**
 * The statement that reads the rows of the paths of several items (`pathTo`; `ids` is a JSON list), each row once: items in
 * one folder share the folders above them. `pathIn` puts the path of an item together.
 */
export const pathsTo = statement(
  (p: Params<'ids'>) => sql<FileRow>`WITH RECURSIVE walk (${columnsOf(itemColumns)}) AS (
      SELECT ${columnsOf(itemColumns, 'item')}
      FROM json_each(${p.ids}) AS wanted CROSS JOIN files AS item ON item.id = wanted.value
      UNION
      SELECT ${columnsOf(itemColumns, 'above')} FROM walk JOIN files AS above ON above.id = walk.parent_id
    ) ${shownRows()}`,
)

/** The path of an item, out of the rows of `pathsTo` by their ids; empty for an unknown item. */
export function pathIn(rows: ReadonlyMap<string, FileRow>, id: string): FileRow[] {
  const path: FileRow[] = []
  let row = rows.get(id)
  while (row && path.length < LONGEST_WALK) {
    path.push(row)
    row = row.parent_id === null ? undefined : rows.get(row.parent_id)
  }
  return path
}

/** SQL: 1 when a row of `files` is being deleted permanently: it is marked, or its trash was emptied after its deletion. */
export function isPurging(row: SQL): SQL {
  return sql`iif(${row}.trashed_at IS NULL, 0, max(${row}.purging, ${row}.trashed_at <= ${emptiedAt(sql`${row}.owner_id`)}))`
}

/** SQL: the time (milliseconds) such that everything that this owner deleted by then is being deleted permanently. */
export function emptiedAt(owner_id: string | SQL): SQL {
  return sql`coalesce((SELECT mark.emptied_at FROM trash_emptied AS mark WHERE mark.owner_id = ${owner_id}), -1)`
}

/**
 * The two indexes that together hold every item that was not deleted by itself, by place and type, with the `blocked` of
 * each.
 */
const indexes = [
  ['files_by_created_at', 0],
  ['files_blocked_by_type_and_created_at', 1],
] as const

/**
 * SQL: a SELECT of the ids of items that lie directly in folders, or at the root of users, and were not deleted by
 * themselves. `parents` is the table expression that `child` is joined to, and `which` joins them by the child's owner,
 * parent and type. CROSS JOIN keeps SQLite from reading the children first.
 */
export function childIds(parents: SQL, which: SQL): SQL {
  const [shown, blocked] = indexes.map(
    ([
      index,
      value,
    ]) => sql`SELECT child.id FROM ${parents} CROSS JOIN files AS child INDEXED BY ${sql.raw(index)}
      WHERE ${which} AND child.trashed_at IS NULL AND child.blocked = ${sql.raw(String(value))}`,
  )
  return sql`${shown} UNION ALL ${blocked}`
}

/** SQL: whether a folder directly contains an item that was not deleted by itself. */
export function hasChildren(owner_id: SQL, parent_id: SQL): SQL {
  const [shown, blocked] = indexes.map(
    ([index, value]) => sql`EXISTS (SELECT 1 FROM files AS child INDEXED BY ${sql.raw(index)}
      WHERE child.owner_id = ${owner_id} AND child.parent_id = ${parent_id}
        AND child.trashed_at IS NULL AND child.blocked = ${sql.raw(String(value))})`,
  )
  return sql`(${shown} OR ${blocked})`
}
