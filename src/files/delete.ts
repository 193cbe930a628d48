import { sql } from 'drizzle-orm'
import type { RequestContext } from '../context.ts'
import { retryOnConflict } from '../db/idempotency.ts'
import { trashedAt } from '../db/marks.ts'
import { files } from '../db/schema.ts'
import { assignments } from '../db/sql.ts'
import type { ExpectedRevisions } from '../http/if-match.ts'
import { revisionIn, writeError } from './edit.ts'
import type { FileRow } from './record.ts'
import { isLive, pathTo } from './tree/walk.ts'

/**
 * Puts an item into the trash by marking it, and with it everything below, of which not one row is touched
 * (specification §3.2; decisions, "Trash").
 *
 * @throws FILE_NOT_FOUND, PRECONDITION_FAILED
 */
export async function deleteFile(
  ctx: RequestContext,
  id: string,
  expected: ExpectedRevisions = null,
): Promise<void> {
  const { db, user_id, now_ms } = ctx
  await retryOnConflict(async () => {
    const [marked] = await db.all<{ id: string }>(
      sql`UPDATE files SET ${assignments(files, { trashed_at: trashedAt(now_ms, user_id), revision: sql`revision + 1` })}
        WHERE id = ${id} AND ${isLive(id, user_id)} AND ${revisionIn(expected)}
        RETURNING id`,
    )
    if (marked) return marked
    const refusal = writeError(await db.all<FileRow>(pathTo(id)), user_id, expected)
    if (refusal) throw refusal
    return undefined
  })
}
