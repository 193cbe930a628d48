import { type SQL, sql } from 'drizzle-orm'
import type { Rendered } from '../../platform/db/sql.ts'
import type { ErrorCode } from '../../platform/errors.ts'
import { type EventContext, eventStatement } from '../../platform/events/record.ts'
import type { EventData } from '../../platform/events/types.ts'

/* The statements that write the events of uploads: one for each row of `uploads` that the condition selects. */

/** The events of a file with its uploads, and of an asset with its, have one order. A new asset that was not made has none. */
const resource_id = sql`coalesce(file_id, asset_id, id)`

const upload = {
  upload_id: sql`id`,
  owner_id: sql`owner_id`,
  upload_type: sql`upload_type`,
  size_bytes: sql`size_bytes`,
  file_id: sql`file_id`,
  asset_id: sql`asset_id`,
}

/** For the batch that completes an upload, after the statements that do. */
export function uploadCompleted(ctx: EventContext, which: SQL): Rendered[] {
  const version = sql`(SELECT made.version FROM asset_versions AS made WHERE made.id = uploads.completion_id)`
  return eventStatement(ctx, 'upload.completed', () => ({
    resource_id,
    data: { ...upload, mime_type: sql`mime_type`, version },
    from: sql`FROM uploads WHERE ${which}`,
  }))
}

/** Why an upload has failed, by the error code that its owner is told. */
export function failureOf(code: ErrorCode): EventData<'upload.failed'>['reason'] {
  if (code === 'UPLOAD_MISMATCH') return 'mismatch'
  return code === 'UPLOAD_REJECTED' ? 'rejected' : 'target_gone'
}

/** For the batch that ends uploads without content, before the statement that does. Takes those that are open. */
export function uploadFailed(
  ctx: EventContext,
  which: SQL,
  reason: EventData<'upload.failed'>['reason'],
): Rendered[] {
  return eventStatement(ctx, 'upload.failed', () => ({
    resource_id,
    data: { ...upload, reason },
    from: sql`FROM uploads WHERE ${which} AND state IN ('open', 'completing')`,
  }))
}
