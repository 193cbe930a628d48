import { type SQL, sql } from 'drizzle-orm'
import { erasedUntil } from '../../../platform/db/marks.ts'
import { type ExpectedRevisions, revisionError } from '../../../platform/db/revision.ts'
import { ApiError } from '../../../platform/errors.ts'
import { type FileRow, itemColumns } from '../row.ts'
import { fromItem, isPurging, type Walk, walkUp } from './walk.ts'

const { owner_id, created_at, trashed_at, purging } = itemColumns

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
export function isLive(id: string | SQL, user_id: string | SQL): SQL {
  return sql`(${liveAncestry(id, user_id)}) IS NOT NULL`
}

/**
 * SQL: a SELECT of one row about the path of a live item of the user's, and of no row for any other item: `level`, the
 * length of the path, and the `carried` columns at the root. `start` is a further condition on the item, `AND item.…`.
 */
export function liveAncestry(
  id: string | SQL,
  user_id: string | SQL,
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
