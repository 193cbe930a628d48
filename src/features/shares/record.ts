import type { z } from '@hono/zod-openapi'
import type { SharedWithMeRow, ShareRow } from './row.ts'
import type { Share, SharedWithMe } from './schema.ts'

/** A share as the API shows it (docs/conformance.md#2-records). */
export function shareRecord(share: ShareRow): z.output<typeof Share> {
  const { id, file_id, grantee_id, permission, expires_at, created_at } = share
  return { id, file_id, grantee_id, permission, expires_at, created_at }
}

/** A share with its file, as the grantee's list shows them. */
export function sharedWithMeRecord(row: SharedWithMeRow): SharedWithMe {
  const { file_id, name, asset_type, size_bytes, mime_type, owner_id, in_trash } = row
  const file = { id: file_id, name, asset_type, size_bytes, mime_type, owner_id, in_trash: in_trash === 1 }
  return { ...shareRecord(row), file }
}
