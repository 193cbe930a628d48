import { type SQL, sql } from 'drizzle-orm'
import type { RequestContext } from '../../platform/context.ts'
import { retryOnConflict } from '../../platform/db/retry.ts'
import { type ExpectedRevisions, revisionIn } from '../../platform/db/revision.ts'
import { files } from '../../platform/db/schema.ts'
import { assignments } from '../../platform/db/sql.ts'
import type { FileRow } from './row.ts'
import { isLive } from './tree/lifecycle.ts'
import { writeError } from './tree/revision.ts'
import { emptiedAt, pathTo } from './tree/walk.ts'

/**
 * Puts an item into the trash, and with it everything below (docs/conformance.md#files). Only the row of the
 * item itself is written.
 *
 * @throws FILE_NOT_FOUND, PRECONDITION_FAILED
 */
export async function deleteFile(
  ctx: RequestContext,
  id: string,
  expected: ExpectedRevisions = null,
): Promise<void> {
  const { db, user_id, now_ms } = ctx
  const values = { trashed_at: trashedAt(now_ms, user_id), revision: sql`revision + 1` }
  await retryOnConflict(async () => {
    const [deleted] = await db.write(
      sql<Pick<FileRow, 'id'>>`UPDATE files SET ${assignments(files, values)}
        WHERE id = ${id} AND ${isLive(id, user_id)} AND ${revisionIn(expected)} RETURNING id`,
    )
    if (deleted) return deleted
    const error = writeError(await db.read(pathTo(id)), user_id, expected)
    if (error) throw error
    return undefined
  })
}

/** SQL: the `trashed_at` of an item that is deleted now (milliseconds). It is above the mark even if clocks differ. */
function trashedAt(now_ms: number, owner_id: string | SQL): SQL {
  return sql`max(${now_ms}, ${emptiedAt(owner_id)} + 1)`
}
