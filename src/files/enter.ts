import sql, { type Sql } from 'sql-template-tag'
import { ApiError, type ErrorCode } from '../errors.ts'
import type { Work } from '../work.ts'
import { folderLevel, isOwn, pathTo } from './path.ts'
import type { FileRow } from './record.ts'

/** The name of the limit that a tree that grows too deep meets. */
const DEPTH = { limit: 'folder_depth', detail: 'There would be too many folders above an item.' }

/** SQL: whether something new may be put into `parent_id` (null: the root). Repeated by the write itself. */
export function mayCreateIn(parent_id: string | null, owner_id: string, maxDepth: number): Sql {
  return parent_id === null ? sql`1` : sql`(${folderLevel(parent_id, owner_id)}) <= ${maxDepth}`
}

/**
 * SQL: whether `id` may move into `parent_id`: a live folder of the owner's that is neither the item nor below
 * it, and with everything below the item at most `maxDepth` folders deep. It walks up from the new parent, and
 * down through folders only; what is in the trash counts, since it can be restored to its place.
 */
export function mayMoveInto(id: string, parent_id: string | null, owner_id: string, maxDepth: number): Sql {
  if (parent_id === null) return sql`1`
  return sql`NOT EXISTS (
    WITH RECURSIVE below (id, level) AS (
      SELECT ${id}, (${folderLevel(parent_id, owner_id, id)})
      UNION ALL
      SELECT folder.id, below.level + 1 FROM below JOIN files AS folder ON folder.parent_id = below.id
      WHERE folder.asset_type = 'folder' AND below.level <= ${maxDepth}
    )
    SELECT 1 FROM below WHERE level IS NULL OR level > ${maxDepth} OR (
      level = ${maxDepth} AND EXISTS (
        SELECT 1 FROM files AS inside
        WHERE inside.owner_id = ${owner_id} AND inside.parent_id = below.id AND inside.trashed_at IS NULL
      )
    )
  )`
}

/** Why nothing could be created in a folder, found out after the write did not happen. */
export async function creationRefusedBecause(
  { db, config, user_id }: Work,
  parent_id: string | null,
): Promise<ApiError | undefined> {
  if (parent_id === null) return undefined
  return creationRefusal(await db.all<FileRow>(pathTo(parent_id)), user_id, config.MAX_FOLDER_DEPTH)
}

/** Why nothing new may be put into the folder whose path is given (itself first); undefined when it may. */
export function creationRefusal(path: FileRow[], owner_id: string, maxDepth: number): ApiError | undefined {
  return (
    parentRefusal(path, owner_id) ??
    (path.length > maxDepth ? new ApiError('LIMIT_REACHED', DEPTH) : undefined)
  )
}

/**
 * Why `id` may not move into the folder whose path is given (itself first, then up to the root); undefined when
 * it may. `fits` is what the depth limit says.
 */
export function moveRefusal(
  id: string,
  path: FileRow[],
  owner_id: string,
  fits: boolean,
): ApiError | undefined {
  const refusal = parentRefusal(path, owner_id)
  if (refusal) return refusal
  if (path.some((folder) => folder.id === id)) return new ApiError('FILE_CYCLIC_MOVE')
  return fits ? undefined : new ApiError('LIMIT_REACHED', DEPTH)
}

function parentRefusal(path: FileRow[], owner_id: string): ApiError | undefined {
  const code: ErrorCode | undefined = !isOwn(path, owner_id)
    ? 'FILE_PARENT_NOT_FOUND'
    : path[0]?.asset_type !== 'folder'
      ? 'FILE_PARENT_NOT_FOLDER'
      : undefined
  return code && new ApiError(code)
}
