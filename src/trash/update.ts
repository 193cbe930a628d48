import { type SQL, sql } from 'drizzle-orm'
import type { RequestContext } from '../context.ts'
import { retryOnConflict } from '../db/retry.ts'
import { ApiError } from '../errors.ts'
import type { FileRow } from '../files/record.ts'
import { isTrashed, lifecycleOf } from '../files/tree/lifecycle.ts'
import { shownColumns } from '../files/tree/visibility.ts'
import { pathTo } from '../files/tree/walk.ts'

/**
 * Changes an item only while it is in the caller's trash, which the statement itself requires, and answers with
 * its row. `changes` are the assignments of its UPDATE.
 *
 * @throws FILE_NOT_FOUND, FILE_NOT_TRASHED
 */
export function updateTrashed({ db, user_id }: RequestContext, id: string, changes: SQL): Promise<FileRow> {
  return retryOnConflict(async () => {
    const [changed] = await db.all<FileRow>(
      sql`UPDATE files SET ${changes}, revision = revision + 1
        WHERE id = ${id} AND ${isTrashed(id, user_id)} RETURNING ${shownColumns}`,
    )
    if (changed) return changed
    const refusal = trashRefusal(await db.all<FileRow>(pathTo(id)), user_id)
    if (refusal) throw refusal
    return undefined
  })
}

/** Why the trash's endpoints may not touch an item; undefined when it is in the caller's trash. */
function trashRefusal(path: FileRow[], user_id: string): ApiError | undefined {
  const state = path[0]?.owner_id === user_id ? lifecycleOf(path) : 'gone'
  if (state === 'gone') return new ApiError('FILE_NOT_FOUND')
  return state === 'live' ? new ApiError('FILE_NOT_TRASHED', { detail: 'Delete it first.' }) : undefined
}
