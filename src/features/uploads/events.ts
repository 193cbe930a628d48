import { type SQL, sql } from 'drizzle-orm'
import type { Params } from '../../platform/db/sql.ts'
import type { ErrorCode } from '../../platform/errors.ts'
import { type EventWriter, eventWriter } from '../../platform/events/record.ts'
import type { EventData } from '../../platform/events/types.ts'

/* The statements that write the events of uploads: an event for each row of `uploads` that `which` selects. */

/** Why an upload ended without content. */
export type FailureReason = EventData<'upload.failed'>['reason']

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

/** The event of a completed upload. It follows the statements that complete the upload, in their batch. */
export const uploadCompleted = eventWriter('upload.completed', (p: Params<'id' | 'completion_id'>) => ({
  resource_id,
  data: {
    ...upload,
    mime_type: sql`mime_type`,
    version: sql`coalesce(version, (SELECT made.version FROM asset_versions AS made WHERE made.id = uploads.completion_id))`,
  },
  from: sql`FROM uploads WHERE id = ${p.id} AND completion_id = ${p.completion_id}`,
}))

/** The `reason` of an `upload.failed`, by the upload's error code. */
export function failureOf(code: ErrorCode): FailureReason {
  if (code === 'UPLOAD_MISMATCH') return 'mismatch'
  return code === 'UPLOAD_REJECTED' ? 'rejected' : 'target_gone'
}

/**
 * The maker of the events of open uploads that end without content. They precede the statement that ends the uploads, in its
 * batch.
 */
export function uploadFailed<Name extends string>(
  which: (p: Params<Name>) => SQL,
): EventWriter<Name | 'reason'> {
  return eventWriter('upload.failed', (p: Params<Name | 'reason'>) => ({
    resource_id,
    data: { ...upload, reason: p.reason },
    from: sql`FROM uploads WHERE ${which(p)} AND state IN ('open', 'completing')`,
  }))
}
