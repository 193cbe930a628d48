import { type SQL, sql } from 'drizzle-orm'
import type { Prepared } from '../../platform/db/sql.ts'
import type { ErrorCode } from '../../platform/errors.ts'
import { type EventContext, eventStatement } from '../../platform/events/record.ts'
import type { EventData } from '../../platform/events/types.ts'

/* The statements that write the events of uploads: an event for each row of `uploads` that `which` selects. */

/**
 * The events of a file and of its uploads have one order, and so have those of an asset and of its uploads. The failed
 * upload of a new asset has no asset.
 */
const resource_id = sql`coalesce(file_id, asset_id, id)`

const upload = {
  upload_id: sql`id`,
  owner_id: sql`owner_id`,
  upload_type: sql`upload_type`,
  size_bytes: sql`size_bytes`,
  file_id: sql`file_id`,
  asset_id: sql`asset_id`,
}

/** The events of completed uploads. They follow the statements that complete the uploads, in their batch. */
export function uploadCompleted(ctx: EventContext, which: SQL): Prepared[] {
  const version = sql`(SELECT made.version FROM asset_versions AS made WHERE made.id = uploads.completion_id)`
  return eventStatement(ctx, 'upload.completed', () => ({
    resource_id,
    data: { ...upload, mime_type: sql`mime_type`, version },
    from: sql`FROM uploads WHERE ${which}`,
  }))
}

/** The `reason` of an `upload.failed`, by the upload's error code. */
export function failureOf(code: ErrorCode): EventData<'upload.failed'>['reason'] {
  if (code === 'UPLOAD_MISMATCH') return 'mismatch'
  return code === 'UPLOAD_REJECTED' ? 'rejected' : 'target_gone'
}

/** The events of uploads that end without content, of those that are open. They precede the statement that ends the uploads, in its batch. */
export function uploadFailed(
  ctx: EventContext,
  which: SQL,
  reason: EventData<'upload.failed'>['reason'],
): Prepared[] {
  return eventStatement(ctx, 'upload.failed', () => ({
    resource_id,
    data: { ...upload, reason },
    from: sql`FROM uploads WHERE ${which} AND state IN ('open', 'completing')`,
  }))
}
