import { type SQL, sql } from 'drizzle-orm'
import { keptUntil, type RequestContext, seconds } from '../../platform/context.ts'
import { retryOnConflict } from '../../platform/db/retry.ts'
import { type ExpectedRevisions, listOfRevisions, revisionIn } from '../../platform/db/revision.ts'
import { garbage } from '../../platform/db/schema.ts'
import {
  type Bindable,
  insert,
  type Params,
  type Prepared,
  perShape,
  statement,
} from '../../platform/db/sql.ts'
import { deletionTimes } from '../../platform/storage/garbage.ts'
import type { FileRow } from './row.ts'
import { isLive, writeError } from './tree/lifecycle.ts'
import { emptiedAt, pathTo } from './tree/walk.ts'

/** The `trashed_at` is above the time until which the trash was emptied, even if clocks differ. */
const trash = statement(
  (p: Params<'id' | 'user_id' | 'now_ms' | 'expected'>) =>
    sql<
      Pick<FileRow, 'id'>
    >`UPDATE files SET trashed_at = max(${p.now_ms}, ${emptiedAt(p.user_id)} + 1), revision = revision + 1
      WHERE id = ${p.id} AND ${isLive(p.id, p.user_id)} AND ${revisionIn(p.expected)} RETURNING id`,
)

/**
 * Puts an item into the trash, and with it everything below (docs/conformance.md#files). Only the row of the
 * item itself is written.
 *
 * @throws FILE_NOT_FOUND, PRECONDITION_FAILED
 */
export async function deleteFile(
  { db, user_id, now_ms }: RequestContext,
  id: string,
  expected: ExpectedRevisions = null,
): Promise<void> {
  await retryOnConflict(async () => {
    const [deleted] = await db.write(trash({ id, user_id, now_ms, expected: listOfRevisions(expected) }))
    if (deleted) return deleted
    const error = writeError(await db.read(pathTo({ id })), user_id, expected)
    if (error) throw error
    return undefined
  })
}

/**
 * The maker of the statement that queues the content of files for deletion from `next_at` on (Unix seconds), for the batch that
 * removes or replaces the content. `which` selects rows of `files`. With CONTENT_GRACE_DAYS the content stays that long, unless
 * its owner has been erased. The upload's URL may still create the object until the upload expires.
 */
export function contentDeletion<Name extends string>(which: (p: Params<Name>) => SQL) {
  const enqueue = perShape((isKept: boolean) =>
    statement((p: Params<string>) => {
      const [now, next_at, kept_until] = [sql`${p.now}`, sql`${p.next_at}`, sql`${p.kept_until}`]
      const row = {
        object_key: sql`object_key`,
        writable_until: sql`coalesce((SELECT expires_at FROM uploads WHERE uploads.id = files.object_key), 0)`,
        ...deletionTimes({ now, next_at, kept_until: isKept ? kept_until : null }, sql`size_bytes`),
      }
      return sql`${insert(garbage, row, sql`FROM files WHERE ${which(p)} AND object_key IS NOT NULL`)}
        ON CONFLICT (object_key) DO NOTHING`
    }),
  )
  return (
    ctx: Pick<RequestContext, 'config' | 'now_ms'>,
    values: { [One in Name]: Bindable },
    next_at = 0,
  ): Prepared => {
    const kept_until = keptUntil(ctx)
    return enqueue(kept_until !== null)({ ...values, now: seconds(ctx), next_at, kept_until })
  }
}
