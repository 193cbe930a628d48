import sql from 'sql-template-tag'
import { untilDecided } from '../db/once.ts'
import { ApiError } from '../errors.ts'
import { folderLevel, inTrash, pathTo, standing } from '../files/path.ts'
import { type FileRow, fileColumns } from '../files/record.ts'
import { seconds, type Work } from '../http/context.ts'

/**
 * Lifts the mark of a deletion, and so brings back what went with it and nothing that had been deleted before
 * (specification §3.2; decisions, "Trash"). It comes back to its place; at root level if that is gone, in the
 * trash or too deep by now, and so does something inside a deleted folder that is restored by itself.
 *
 * @throws FILE_NOT_FOUND, FILE_NOT_TRASHED
 */
export async function restoreFile(work: Work, id: string): Promise<FileRow> {
  const { db, config, user_id } = work
  const level = folderLevel(sql`(SELECT parent_id FROM files WHERE id = ${id})`, user_id)
  const place = sql`iif((${level}) <= ${config.MAX_FOLDER_DEPTH}, parent_id, NULL)`
  return untilDecided(async () => {
    const [restored] = await db.all<FileRow>(
      sql`UPDATE files SET
          trashed_at = NULL,
          updated_at = iif(parent_id IS (${place}), updated_at, ${seconds(work)}),
          parent_id = ${place},
          revision = revision + 1
        WHERE id = ${id} AND ${inTrash(id, user_id)}
        RETURNING ${fileColumns}`,
    )
    if (restored) return restored
    const refusal = trashRefusal(await db.all<FileRow>(pathTo(id)), user_id)
    if (refusal) throw refusal
    return undefined
  })
}

/** Why the trash's endpoints may not touch an item; undefined when it is in the caller's trash. */
export function trashRefusal(path: FileRow[], user_id: string): ApiError | undefined {
  const state = path[0]?.owner_id === user_id ? standing(path) : 'gone'
  if (state === 'gone') return new ApiError('FILE_NOT_FOUND')
  return state === 'live' ? new ApiError('FILE_NOT_TRASHED', { detail: 'Delete it first.' }) : undefined
}
