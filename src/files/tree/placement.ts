import { type SQL, sql } from 'drizzle-orm'
import type { RequestContext } from '../../context.ts'
import type { Config } from '../../env.ts'
import { ApiError, type ErrorCode, type Limit, limitReached } from '../../errors.ts'
import type { FileRow } from '../record.ts'
import { holdsAnything } from './inside.ts'
import { folderLevel, isOwn, liveAncestry, pathTo } from './walk.ts'

/** SQL: whether something new may be put into `parent_id` (null: the root). Repeated by the write itself. */
export function canCreateIn(parent_id: string | null, owner_id: string, maxDepth: number): SQL {
  return parent_id === null ? sql`1` : sql`(${folderLevel(parent_id, owner_id)}) <= ${maxDepth}`
}

/**
 * SQL: a SELECT of one row about a move of `id` into `parent_id` (null: the root), and of none when the item is not
 * the owner's or not live. `level` is the length of its path, `entry` how many folders would lie above it: null when the
 * new parent is not a live folder of the owner's, or is the item or below it. `blocked_above` is the nearest blocked folder
 * above it now. Two walks up, each a scalar or a row that LIMIT keeps from being asked for twice.
 */
export function moveOf(id: string, parent_id: string | null, owner_id: string): SQL {
  const entry = parent_id === null ? sql`0` : sql`(${folderLevel(parent_id, owner_id, id)})`
  return sql`SELECT place.level, place.asset_type, place.blocked_above, ${entry} AS entry FROM (${liveAncestry(id, owner_id)}) AS place LIMIT 1`
}

/**
 * SQL: what keeps the move `move` (a row of `moveOf`) from happening: null when nothing does. What comes to lie no
 * deeper than before can't break the depth limit, so only for what goes deeper is there a walk down, through at most
 * `MAX_FOLDERS_MOVED` folders, a level at a time (a LIMIT on rows would not keep a level from being read); what is in the trash counts, since it can be restored to its place.
 */
export function moveObstacle(
  id: string,
  owner_id: string,
  { MAX_FOLDER_DEPTH, MAX_FOLDERS_MOVED }: Pick<Config, 'MAX_FOLDER_DEPTH' | 'MAX_FOLDERS_MOVED'>,
): SQL {
  return sql`CASE WHEN move.entry IS NULL THEN 'parent'
    WHEN move.entry < move.level THEN NULL
    WHEN move.entry > ${MAX_FOLDER_DEPTH} THEN 'folder_depth'
    WHEN move.asset_type = 'folder' THEN (
      WITH RECURSIVE below (ids, level, passed) AS (
        SELECT json_array(${id}), move.entry, 0
        UNION ALL
        SELECT (SELECT json_group_array(id) FROM (
            SELECT folder.id FROM json_each(below.ids) AS above CROSS JOIN files AS folder
            WHERE folder.parent_id = above.value AND folder.asset_type = 'folder' LIMIT ${MAX_FOLDERS_MOVED + 1}
          )), below.level + 1, below.passed + json_array_length(below.ids)
        FROM below
        WHERE json_array_length(below.ids) > 0 AND below.passed <= ${MAX_FOLDERS_MOVED} AND below.level <= ${MAX_FOLDER_DEPTH}
      )
      SELECT CASE WHEN max(below.passed + json_array_length(below.ids)) > ${MAX_FOLDERS_MOVED + 1} THEN 'folders_moved'
        WHEN max(json_array_length(below.ids) > 0 AND (below.level > ${MAX_FOLDER_DEPTH} OR EXISTS (
          SELECT 1 FROM json_each(below.ids) AS above
          WHERE below.level = ${MAX_FOLDER_DEPTH} AND ${holdsAnything(sql`${owner_id}`, sql`above.value`)}
        ))) THEN 'folder_depth' END
      FROM below
    ) END`
}

/** SQL: whether the folder or what lies above it is the one that `folder` names. */
export function liesIn(id: string, folder: SQL): SQL {
  return sql`EXISTS (WITH RECURSIVE walk (id, parent_id) AS (
      SELECT item.id, item.parent_id FROM files AS item WHERE item.id = ${id}
      UNION ALL
      SELECT above.id, above.parent_id FROM walk JOIN files AS above ON above.id = walk.parent_id
    )
    SELECT 1 FROM walk WHERE walk.id = ${folder})`
}

/** Why nothing could be created in a folder, found out after the write did not happen. */
export async function whyNotCreated(
  { db, config, user_id }: RequestContext,
  parent_id: string | null,
): Promise<ApiError | undefined> {
  if (parent_id === null) return undefined
  return creationError(await db.all<FileRow>(pathTo(parent_id)), user_id, config.MAX_FOLDER_DEPTH)
}

/** Why nothing new may be put into the folder whose path is given (itself first); undefined when it may. */
export function creationError(path: FileRow[], owner_id: string, maxDepth: number): ApiError | undefined {
  return parentRefusal(path, owner_id) ?? (path.length > maxDepth ? limitReached('folder_depth') : undefined)
}

/**
 * Why `id` may not move into the folder whose path is given (itself first, then up to the root); undefined when
 * it may. `limit` is the one that the move would break.
 */
export function moveError(
  id: string,
  path: FileRow[],
  owner_id: string,
  limit: Limit | undefined,
): ApiError | undefined {
  const refusal = parentRefusal(path, owner_id)
  if (refusal) return refusal
  if (path.some((folder) => folder.id === id)) return new ApiError('FILE_CYCLIC_MOVE')
  return limit && limitReached(limit)
}

function parentRefusal(path: FileRow[], owner_id: string): ApiError | undefined {
  const code: ErrorCode | undefined = !isOwn(path, owner_id)
    ? 'FILE_PARENT_NOT_FOUND'
    : path[0]?.asset_type !== 'folder'
      ? 'FILE_PARENT_NOT_FOLDER'
      : undefined
  return code && new ApiError(code)
}
