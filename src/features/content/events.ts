import { type SQL, sql } from 'drizzle-orm'
import type { Prepared } from '../../platform/db/sql.ts'
import { type EventContext, eventStatement } from '../../platform/events/record.ts'

/** SQL: whether a row of `files` is the file with this content. */
export function hasContent(id: string, object_key: string): SQL {
  return sql`id = ${id} AND object_key = ${object_key}`
}

/**
 * The event of content that came in one request: that of a completed upload, whose id is the key of the content. It follows the
 * statement that writes the content, in its batch.
 */
export function contentArrived(ctx: EventContext, id: string, object_key: string): Prepared[] {
  return eventStatement(ctx, 'upload.completed', () => ({
    resource_id: sql`id`,
    data: {
      upload_id: sql`object_key`,
      owner_id: sql`owner_id`,
      upload_type: 'file' as const,
      size_bytes: sql`size_bytes`,
      file_id: sql`id`,
      asset_id: null,
      mime_type: sql`mime_type`,
      version: null,
    },
    from: sql`FROM files WHERE ${hasContent(id, object_key)}`,
  }))
}
