import { sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../context.ts'
import { updatedAt } from '../db/marks.ts'
import type { FileRow } from '../files/record.ts'
import { folderLevel } from '../files/tree/placement.ts'
import { isBlocked } from '../files/tree/visibility.ts'
import { updateTrashed } from './update.ts'

/**
 * Lifts the mark of a deletion, and so brings back what went with it and nothing that had been deleted before
 * (specification §3.2; decisions, "Trash"). It comes back to its place; at root level if that is gone, in the
 * trash or too deep by now, and so does something inside a deleted folder that is restored by itself.
 *
 * @throws FILE_NOT_FOUND, FILE_NOT_TRASHED
 */
export async function restoreFile(ctx: RequestContext, id: string): Promise<FileRow> {
  const { config, user_id } = ctx
  const level = folderLevel(sql`(SELECT parent_id FROM files WHERE id = ${id})`, user_id)
  const place = sql`iif((${level}) <= ${config.MAX_FOLDER_DEPTH}, parent_id, NULL)`
  return updateTrashed(
    ctx,
    id,
    sql`trashed_at = NULL,
      updated_at = iif(parent_id IS (${place}), updated_at, ${updatedAt(seconds(ctx))}),
      blocked = iif(parent_id IS (${place}), blocked, ${isBlocked(id)}),
      parent_id = ${place}`,
  )
}
