import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { RequestContext } from '../../platform/context.ts'
import { files, garbage } from '../../platform/db/schema.ts'
import { columnsOf, insert, type RowOf } from '../../platform/db/sql.ts'
import { deletionTimes } from '../../platform/storage/garbage.ts'

const { charged_bytes, share_count, expired_share_count, ...columns } = getTableColumns(files)

/** The columns of `files` that rules and records use. */
export const itemColumns = columns

/** A row of `files` with the columns that rules and records use. */
export interface FileRow extends RowOf<typeof itemColumns> {}

/** SQL: the columns of a FileRow, by their plain names. */
export const fileColumns = columnsOf(itemColumns)

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
