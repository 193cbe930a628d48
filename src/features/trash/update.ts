import { type SQL, sql } from 'drizzle-orm'
import type { RequestContext } from '../../platform/context.ts'
import { retryOnConflict } from '../../platform/db/retry.ts'
import { ApiError } from '../../platform/errors.ts'
import type { FileRow } from '../files/row.ts'
import { isTrashed, lifecycleOf } from '../files/tree/lifecycle.ts'
import { shownColumns } from '../files/tree/visibility.ts'
import { pathTo } from '../files/tree/walk.ts'

/**
 * Updates an item of the caller's trash and returns its row. The statement requires that the item is in the trash.
 * `changes` are the assignments of the UPDATE.
 *
 * @throws FILE_NOT_FOUND, FILE_NOT_TRASHED
 */
export function updateTrashed({ db, user_id }: RequestContext, id: string, changes: SQL): Promise<FileRow> {
  return retryOnConflict(async () => {
    const [updated] = await db.write(
      sql<FileRow>`UPDATE files SET ${changes} WHERE id = ${id} AND ${isTrashed(id, user_id)} RETURNING ${shownColumns}`,
    )
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
