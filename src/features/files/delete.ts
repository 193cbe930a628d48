import { type SQL, sql } from 'drizzle-orm'
import type { RequestContext } from '../../platform/context.ts'
import { retryOnConflict } from '../../platform/db/retry.ts'
import { type ExpectedRevisions, revisionIn } from '../../platform/db/revision.ts'
import { files, garbage } from '../../platform/db/schema.ts'
import { assignments, insert } from '../../platform/db/sql.ts'
import { deletionTimes } from '../../platform/storage/garbage.ts'
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

/**
 * The statement that queues the content of files for deletion from `next_at` on (Unix seconds), for the batch that removes or
 * replaces the content. `which` selects rows of `files`. With CONTENT_GRACE_DAYS the content stays that long, unless its owner
 * has been erased. The upload's URL may still create the object until the upload expires.
 */
export function enqueueContentDeletion(
  ctx: Pick<RequestContext, 'config' | 'now_ms'>,
  which: SQL,
  next_at = 0,
): SQL {
  const row = {
    object_key: sql`object_key`,
    writable_until: sql`coalesce((SELECT expires_at FROM uploads WHERE uploads.id = files.object_key), 0)`,
    ...deletionTimes(ctx, next_at, sql`size_bytes`),
  }
  return sql`${insert(garbage, row, sql`FROM files WHERE ${which} AND object_key IS NOT NULL`)}
    ON CONFLICT (object_key) DO NOTHING`
}
