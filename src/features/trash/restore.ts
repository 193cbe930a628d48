import { type SQL, sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../../platform/context.ts'
import { retryOnConflict } from '../../platform/db/database.ts'
import { files } from '../../platform/db/schema.ts'
import { assignments, type Params, type Prepared, statement, type Values } from '../../platform/db/sql.ts'
import { updatedAt } from '../../platform/db/watermark.ts'
import { ApiError } from '../../platform/errors.ts'
import { isBlocked, isTrashed, lifecycleOf, pathTo, shownColumns } from '../files/path.ts'
import { folderLevel } from '../files/placement.ts'
import type { FileRow } from '../files/row.ts'

const restore = statement((p: Params<'id' | 'user_id' | 'max_depth' | 'now'>) => {
  const level = folderLevel(sql`(SELECT parent_id FROM files WHERE id = ${p.id})`, p.user_id)
  const parent_id = sql`iif((${level}) <= ${p.max_depth}, parent_id, NULL)`
  const stays = sql`parent_id IS (${parent_id})`
  return trashedUpdate(p, {
    trashed_at: null,
    parent_id,
    blocked: sql`iif(${stays}, blocked, ${isBlocked(p.id)})`,
    revision: sql`revision + 1`,
    updated_at: sql`iif(${stays}, updated_at, ${updatedAt(p.now)})`,
  })
})

/**
 * Restores an item with everything that was deleted with it, and nothing that was deleted before it
 * (docs/conformance.md#trash). The item returns to its folder, or to the root level when the folder is gone, in the trash
 * or too deep. So an item in a deleted folder can be restored by itself. An item that leaves a blocked folder becomes
 * blocked itself.
 *
 * @throws FILE_NOT_FOUND, FILE_NOT_TRASHED
 */
export function restoreFile(ctx: RequestContext, id: string): Promise<FileRow> {
  const { config, user_id } = ctx
  const values = { id, user_id, max_depth: config.MAX_FOLDER_DEPTH, now: seconds(ctx) }
  return updateTrashed(ctx, id, restore(values))
}

/** SQL: the UPDATE of an item of the user's trash, which answers its row. It requires that the item is in the trash. */
export function trashedUpdate(
  p: Params<'id' | 'user_id'>,
  changes: Partial<Values<typeof files>>,
): SQL<FileRow> {
  return sql`UPDATE files SET ${assignments(files, changes)}
    WHERE id = ${p.id} AND ${isTrashed(p.id, p.user_id)} RETURNING ${shownColumns}`
}

/** Updates an item of the caller's trash by a `trashedUpdate`, and returns its row. @throws FILE_NOT_FOUND, FILE_NOT_TRASHED */
export function updateTrashed(
  { db, user_id }: RequestContext,
  id: string,
  update: Prepared<FileRow>,
): Promise<FileRow> {
  return retryOnConflict(async () => {
    const [updated] = await db.write(update)
    if (updated) return updated
    const error = whyNotTrashed(await db.read(pathTo({ id })), user_id)
    if (error) throw error
    return undefined
  })
}

/** Why the item at the start of `path` is not in the user's trash; undefined when it is. */
function whyNotTrashed(path: FileRow[], user_id: string): ApiError | undefined {
  const lifecycle = path[0]?.owner_id === user_id ? lifecycleOf(path) : 'gone'
  if (lifecycle === 'gone') return new ApiError('FILE_NOT_FOUND')
  return lifecycle === 'live'
    ? new ApiError('FILE_NOT_TRASHED', {
        detail: 'The item is in its place. To delete it permanently, delete it first.',
      })
    : undefined
}
