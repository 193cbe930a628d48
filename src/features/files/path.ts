import { type SQL, sql } from 'drizzle-orm'
import { type ExpectedRevisions, revisionError } from '../../platform/db/revision.ts'
import { columnsOf, joined, type Params, statement } from '../../platform/db/sql.ts'
import { erasedUntil } from '../../platform/db/watermark.ts'
import { ApiError } from '../../platform/errors.ts'
import { type FileRow, itemColumns, withoutShares } from './row.ts'

/** The bound of the walk, in case a cycle gets into the tree. MAX_FOLDER_DEPTH allows paths of up to 1,001 items. */
const LONGEST_WALK = 2_000

/** The columns that a walk reads, and how far it goes. */
export interface Walk {
  /** Columns that each row of the walk has of its own, besides `parent_id`. */
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
export function fromItem(id: SQL): SQL {
  return sql`FROM files AS item WHERE item.id = ${id}`
}

const { owner_id, created_at, trashed_at, purging, blocked } = itemColumns
const { purging: _, ...unpurged } = itemColumns

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
  return sql`SELECT ${columnsOf(unpurged)}, ${isPurging(sql`walk`)} AS purging
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
function isPurging(row: SQL): SQL {
  return sql`iif(${row}.trashed_at IS NULL, 0, max(${row}.purging, ${row}.trashed_at <= ${emptiedAt(sql`${row}.owner_id`)}))`
}

/** SQL: the time (milliseconds) such that everything that this owner deleted by then is being deleted permanently. */
export function emptiedAt(owner_id: SQL): SQL {
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

/**
 * The state of the item at the start of `path`. It is `trashed` when the item or a folder above it was deleted, and `gone`
 * when the nearest deleted one is being purged, or when the path does not reach the root. The nearest deletion decides,
 * because an item that was deleted before its folder is a separate entry of the trash.
 */
export function lifecycleOf(path: FileRow[]): 'live' | 'trashed' | 'gone' {
  const deleted = path.find((row) => row.trashed_at !== null)
  if (deleted) return deleted.purging ? 'gone' : 'trashed'
  return path.at(-1)?.parent_id === null ? 'live' : 'gone'
}

/** Whether the item at the start of `path` is live and belongs to the user. */
export function isOwn(path: FileRow[], user_id: string): boolean {
  return path[0]?.owner_id === user_id && lifecycleOf(path) === 'live'
}

/** SQL: whether the item is live and belongs to the user. */
export function isLive(id: SQL, user_id: SQL): SQL {
  return sql`(${liveAncestry(id, user_id)}) IS NOT NULL`
}

/**
 * SQL: a SELECT of one row about the path of a live item of the user's, and of no row for any other item: `level`, the
 * length of the path, and the `carried` columns at the root. `start` is a further condition on the item, `AND item.…`.
 */
export function liveAncestry(
  id: SQL,
  user_id: SQL,
  { start = sql.empty(), carried = {}, continues = sql`1` }: Omit<Walk, 'columns'> & { start?: SQL } = {},
): SQL {
  const found = sql`${fromItem(id)} AND item.owner_id = ${user_id} AND item.trashed_at IS NULL ${start}`
  const walk = { columns: { created_at }, carried, continues: sql`above.trashed_at IS NULL AND ${continues}` }
  return sql`${walkUp(found, walk)}
    SELECT ${sql.raw(['level', ...Object.keys(carried)].join(', '))} FROM walk
    WHERE walk.parent_id IS NULL AND walk.created_at > ${erasedUntil(user_id)} LIMIT 1`
}

/** SQL: whether the item belongs to the user and is in the trash, as `lifecycleOf` decides. */
export function isTrashed(id: SQL, user_id: SQL): SQL {
  const start = sql`${fromItem(id)} AND item.owner_id = ${user_id}`
  return sql`(${upToDeletion(start)}
    SELECT ${isPurging(sql`walk`)} FROM walk WHERE walk.trashed_at IS NOT NULL) = 0`
}

/** SQL: whether the item is live or in the trash, so neither it nor a folder above it is being purged. */
export function exists(id: SQL): SQL {
  return sql`(${upToDeletion(fromItem(id))} SELECT ${isAnyGone} FROM walk) = 0`
}

/** SQL: whether neither the item nor a folder above it is being purged; true of an unknown item. */
export function isNotPurging(id: SQL): SQL {
  return sql`(${upToDeletion(fromItem(id))} SELECT ${isAnyGone} FROM walk) IS NOT 1`
}

/** SQL: 1 when a row of `files` at root level is being purged or has been erased with its owner. */
export function isGoneAtRoot(row: SQL): SQL {
  return sql`max(${isPurging(row)}, ${row}.created_at <= ${erasedUntil(sql`${row}.owner_id`)})`
}

/** SQL: 1 when any row of a walk is gone. */
const isAnyGone = sql`max(${isGoneAtRoot(sql`walk`)})`

/** SQL: the walk from an item up to the nearest deletion, or to the root. */
function upToDeletion(start: SQL): SQL {
  const columns = { owner_id, created_at, trashed_at, purging }
  return walkUp(start, { columns, continues: sql`walk.trashed_at IS NULL` })
}

/** Why the user may not write to the item at the start of `path`: FILE_NOT_FOUND or PRECONDITION_FAILED. */
export function writeError(
  path: FileRow[],
  user_id: string,
  expected: ExpectedRevisions,
): ApiError | undefined {
  const [item] = path
  if (!item || !isOwn(path, user_id)) return new ApiError('FILE_NOT_FOUND')
  return revisionError(item, expected, 'item')
}

/** An item as a user may see it, and the folders above it from the topmost down. */
export interface VisibleItem {
  item: FileRow
  ancestors: FileRow[]
}

/**
 * The item at the start of `path` as `user_id` sees it; undefined when the item does not exist for this user. The owner
 * sees every live item. Others see an item that is public or lies in a public folder: from the topmost public item down,
 * nothing above it, nothing that is blocked, and not whether it is shared.
 */
export function visibleTo(path: FileRow[], user_id: string): VisibleItem | undefined {
  const [item] = path
  if (!item || lifecycleOf(path) !== 'live') return undefined
  if (item.owner_id === user_id)
    return { item: { ...item, blocked: isAnyBlocked(path) ? 1 : 0 }, ancestors: path.slice(1).reverse() }
  if (isAnyBlocked(path)) return undefined
  const top = path.findLastIndex((row) => row.is_public === 1)
  const [visible, ...above] = path
    .slice(0, top + 1)
    .map((row, index) => (index === top ? { ...row, parent_id: null } : row))
  return visible && { item: withoutShares(visible), ancestors: above.reverse() }
}

/** Whether the item at the start of `path`, or a folder above it, is blocked. */
export function isAnyBlocked(path: FileRow[]): boolean {
  return path.some((row) => row.blocked === 1)
}

/** SQL: 1 when the item or a folder above it is blocked, else 0; NULL for an unknown item. */
export function isBlocked(id: SQL): SQL {
  return sql`(${walkUp(fromItem(id), { columns: { blocked }, continues: sql`walk.blocked = 0` })}
    SELECT max(blocked) FROM walk)`
}

const { blocked: __, ...unblocked } = itemColumns

/**
 * SQL: the columns of a FileRow as its owner sees it: an item below a blocked folder is `blocked` too. The statement's
 * table is `files`; RETURNING accepts these columns as well. They cost one row when the owner has no blocked item, else a
 * walk.
 */
export const shownColumns = sql`${columnsOf(unblocked)}, iif(blocked = 1, 1, iif(
    EXISTS (SELECT 1 FROM files AS any_file INDEXED BY files_blocked WHERE any_file.owner_id = files.owner_id AND any_file.blocked = 1),
    coalesce(${isBlocked(sql`files.parent_id`)}, 0), 0)) AS blocked`

/**
 * SQL: of `item`, a row of `files` in the enclosing statement: 1 when it is in the trash, 0 when it is live, and NULL when
 * users that it is shared with may not see it, because it or a folder above it is blocked, or it is gone.
 */
export const isTrashedForGrantee = sql`(${walkUp(sql.empty(), {
  columns: { created_at: itemColumns.created_at },
  carried: {
    trashed_at: { atItem: sql`item.trashed_at`, atFolder: sql`coalesce(walk.trashed_at, above.trashed_at)` },
    purging: {
      atItem: sql`item.purging`,
      atFolder: sql`iif(walk.trashed_at IS NULL, above.purging, walk.purging)`,
    },
    any_blocked: { atItem: sql`item.blocked`, atFolder: sql`walk.any_blocked OR above.blocked` },
  },
})}
  SELECT iif(any_blocked OR purging OR iif(trashed_at IS NULL,
      parent_id IS NOT NULL OR created_at <= ${erasedUntil(sql`item.owner_id`)},
      trashed_at <= ${emptiedAt(sql`item.owner_id`)}
    ), NULL, trashed_at IS NOT NULL)
  FROM walk ORDER BY level DESC LIMIT 1)`
