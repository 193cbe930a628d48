import { type SQL, sql } from 'drizzle-orm'
import type { RequestContext } from '../../platform/context.ts'
import type { Params } from '../../platform/db/sql.ts'
import { ApiError, type Limit, limitReached } from '../../platform/errors.ts'
import { fromItem, hasChildren, isOwn, liveAncestry, pathTo, walkUp } from './path.ts'
import { type FileRow, itemColumns } from './row.ts'

/**
 * SQL: whether an item can be created in the folder `parent_id` (null: the root). The triggers of migrations/0001_usage.sql enforce the limits of items and
 * bytes.
 */
export function canCreateIn(parent_id: SQL, user_id: SQL, max_depth: SQL): SQL {
  return sql`(${parent_id} IS NULL OR (${folderLevel(parent_id, user_id)}) <= ${max_depth})`
}

/**
 * SQL: a SELECT of the number of folders above an item in this folder, itself included, and of no row unless it is a live
 * folder of the user's. With `outside`, also of no row when the folder is that item or lies below it: a move of that item
 * would close a cycle.
 */
export function folderLevel(id: SQL, user_id: SQL, outside?: SQL): SQL {
  const isOther = (row: SQL) => (outside === undefined ? sql`1` : sql`${row}.id <> ${outside}`)
  return liveAncestry(id, user_id, {
    start: sql`AND item.asset_type = 'folder' AND ${isOther(sql`item`)}`,
    continues: isOther(sql`above`),
  })
}

/**
 * SQL: a SELECT of one row, to be called `move`, about a move of an item into `parent_id` (null: the root), and of no row
 * unless the item is live and the user's. `level` is the length of the item's path and `asset_type` its type. `entry` is
 * the number of folders above the item after the move; NULL when the new parent is not a live folder of the user's, is
 * the item, or lies below it. `blocked_above` is the topmost blocked folder above the item before the move.
 */
export function moveOf({ id, parent_id, user_id }: Params<'id' | 'parent_id' | 'user_id'>): SQL {
  const entry = sql`iif(${parent_id} IS NULL, 0, (${folderLevel(parent_id, user_id, id)}))`
  const ancestry = liveAncestry(id, user_id, {
    carried: {
      asset_type: { atItem: sql`item.asset_type`, atFolder: sql`walk.asset_type` },
      blocked_above: {
        atItem: sql`NULL`,
        atFolder: sql`iif(above.blocked, above.id, walk.blocked_above)`,
      },
    },
  })
  // LIMIT 1 keeps SQLite from flattening the subquery and evaluating it twice.
  return sql`SELECT place.level, place.asset_type, place.blocked_above, ${entry} AS entry FROM (${ancestry}) AS place LIMIT 1`
}

/**
 * SQL: what prevents the move `move` (see `moveOf`): 'parent', 'folder_depth' or 'folders_moved'; NULL when nothing does.
 * Only an item that goes deeper can break the depth limit, so only such a move costs a walk down. The walk takes a level
 * at a time, up to `max_folders` folders: a LIMIT on its rows would not stop it within a level. Items in the trash
 * count, because they can be restored to their place.
 */
export function moveObstacle({
  id,
  user_id,
  max_depth,
  max_folders,
}: Params<'id' | 'user_id' | 'max_depth' | 'max_folders'>): SQL {
  return sql`CASE WHEN move.entry IS NULL THEN 'parent'
    WHEN move.entry < move.level THEN NULL
    WHEN move.entry > ${max_depth} THEN 'folder_depth'
    WHEN move.asset_type = 'folder' THEN (
      WITH RECURSIVE below (ids, level, passed) AS (
        SELECT json_array(${id}), move.entry, 0
        UNION ALL
        SELECT (SELECT json_group_array(id) FROM (
            SELECT folder.id FROM json_each(below.ids) AS above CROSS JOIN files AS folder
            WHERE folder.parent_id = above.value AND folder.asset_type = 'folder' LIMIT ${max_folders} + 1
          )), below.level + 1, below.passed + json_array_length(below.ids)
        FROM below
        WHERE json_array_length(below.ids) > 0 AND below.passed <= ${max_folders} AND below.level <= ${max_depth}
      )
      SELECT CASE WHEN max(below.passed + json_array_length(below.ids)) > ${max_folders} + 1 THEN 'folders_moved'
        WHEN max(json_array_length(below.ids) > 0 AND (below.level > ${max_depth} OR EXISTS (
          SELECT 1 FROM json_each(below.ids) AS above
          WHERE below.level = ${max_depth} AND ${hasChildren(user_id, sql`above.value`)}
        ))) THEN 'folder_depth' END
      FROM below
    ) END`
}

/**
 * SQL: the `blocked` of an item after the move `move` (see `moveOf`). An item that leaves every blocked folder
 * above it becomes blocked itself, so that a move out of a blocked folder never undoes a moderator's block.
 */
export function blockedAfterMove(parent_id: SQL): SQL {
  const staysInside = sql`EXISTS (${walkUp(fromItem(parent_id), { columns: { id: itemColumns.id } })}
      SELECT 1 FROM walk WHERE walk.id = move.blocked_above)`
  return sql`CASE WHEN move.blocked_above IS NULL OR parent_id IS ${parent_id} OR ${staysInside} THEN blocked ELSE 1 END`
}

/** Why nothing was created in a folder, for the answer to a write that changed nothing. */
export async function whyNotCreated(
  { db, config, user_id }: RequestContext,
  parent_id: string | null,
): Promise<ApiError | undefined> {
  if (parent_id === null) return undefined
  return creationError(await db.read(pathTo({ id: parent_id })), user_id, config.MAX_FOLDER_DEPTH)
}

/** Why the user may not create an item in the folder at the start of `path`. */
export function creationError(path: FileRow[], user_id: string, maxDepth: number): ApiError | undefined {
  return parentError(path, user_id) ?? (path.length > maxDepth ? limitReached('folder_depth') : undefined)
}

/** Why the user may not move the item `id` into the folder at the start of `path`; `limit` is the one that the move breaks. */
export function moveError(
  id: string,
  path: FileRow[],
  user_id: string,
  limit: Limit | undefined,
): ApiError | undefined {
  const error = parentError(path, user_id)
  if (error) return error
  if (path.some((folder) => folder.id === id)) return new ApiError('FILE_CYCLIC_MOVE')
  return limit && limitReached(limit)
}

function parentError(path: FileRow[], user_id: string): ApiError | undefined {
  if (!isOwn(path, user_id)) return new ApiError('FILE_PARENT_NOT_FOUND')
  return path[0]?.asset_type === 'folder' ? undefined : new ApiError('FILE_PARENT_NOT_FOLDER')
}
