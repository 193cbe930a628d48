import { sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../../platform/context.ts'
import { updatedAt } from '../../platform/db/marks.ts'
import { files } from '../../platform/db/schema.ts'
import { assignments } from '../../platform/db/sql.ts'
import type { FileRow } from '../files/row.ts'
import { folderLevel } from '../files/tree/placement.ts'
import { isBlocked } from '../files/tree/visibility.ts'
import { updateTrashed } from './update.ts'

/**
 * Restores an item with everything that was deleted with it, and nothing that was deleted before it
 * (docs/conformance.md#files). The item returns to its folder, or to the root level when the folder is gone, in the trash
 * or too deep. So an item in a deleted folder can be restored by itself. An item that leaves a blocked folder becomes
 * blocked itself.
 *
 * @throws FILE_NOT_FOUND, FILE_NOT_TRASHED
 */
export async function restoreFile(ctx: RequestContext, id: string): Promise<FileRow> {
  const { config, user_id } = ctx
  const level = folderLevel(sql`(SELECT parent_id FROM files WHERE id = ${id})`, user_id)
  const parent_id = sql`iif((${level}) <= ${config.MAX_FOLDER_DEPTH}, parent_id, NULL)`
  const stays = sql`parent_id IS (${parent_id})`
  const restored = {
    trashed_at: null,
    parent_id,
    blocked: sql`iif(${stays}, blocked, ${isBlocked(id)})`,
    revision: sql`revision + 1`,
    updated_at: sql`iif(${stays}, updated_at, ${updatedAt(seconds(ctx))})`,
  }
  return updateTrashed(ctx, id, assignments(files, restored))
}
