import { type SQL, sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../../platform/context.ts'
import type { ExpectedRevisions } from '../../platform/db/revision.ts'
import { uploads } from '../../platform/db/schema.ts'
import { assignments } from '../../platform/db/sql.ts'
import { ApiError } from '../../platform/errors.ts'
import { MINUTE } from '../../platform/lib/time-units.ts'
import { isTaken, nameError } from '../assets/name.ts'
import { isOpen, isWaiting, waitsForVerdict } from './lifecycle.ts'
import { partColumns } from './multipart.ts'
import { foundUpload, type UploadAndTarget, type UploadRow, uploadAndTarget } from './row.ts'

/** How long after the completion the job asks the checker, if the request's own message has not, in seconds. */
const FIRST_PAUSE = MINUTE

/**
 * Holds arrived content until its verdict, and stores the completion's name and revisions, with which the verdict completes
 * the upload. `canComplete` (SQL) is the condition of a completion: content that can't be completed is not checked. Returns
 * the rows: the upload waits, or has ended, or the condition did not hold.
 *
 * @throws UPLOAD_NOT_FOUND, DUPLICATE_ASSET_NAME
 */
export async function beginCheck(
  ctx: RequestContext,
  upload: UploadRow,
  canComplete: SQL,
  { name = upload.name ?? undefined, expected }: { name: string | undefined; expected: ExpectedRevisions },
): Promise<UploadAndTarget> {
  const { db, user_id, config } = ctx
  const { id, asset_type } = upload
  const now = seconds(ctx)
  const isNewAsset = asset_type !== null && name !== undefined
  const changes = {
    state: 'completing' as const,
    check_state: 'waiting' as const,
    check_began_at: now,
    check_next_at: now + FIRST_PAUSE,
    expires_at: sql`max(expires_at, ${now + FIRST_PAUSE + config.UPLOAD_TTL})`,
    ...partColumns([]),
    name: isNewAsset ? name : undefined,
    expected_revisions: expected && JSON.stringify(expected),
  }
  const isFree = isNewAsset ? sql`NOT ${isTaken(name, user_id)}` : sql`true`
  const rows = await db.write({
    waiting: sql`UPDATE uploads SET ${assignments(uploads, changes)}
      WHERE ${isOpen(id, user_id)} AND check_state IS NULL AND ${isFree} AND ${canComplete}`,
    processing: sql`UPDATE files SET processing_state = 'processing', revision = revision + 1
      WHERE processing_state = 'pending'
        AND id = (SELECT file_id FROM uploads WHERE ${isOpen(id, user_id)} AND ${isWaiting})`,
    ...uploadAndTarget(id, user_id),
  })
  const found = foundUpload(rows)
  if (!found) throw new ApiError('UPLOAD_NOT_FOUND')
  if (waitsForVerdict(found.upload)) ctx.check?.asked.add(id)
  const hasNotBegun = found.upload.check_state === null && found.upload.state === 'completing'
  const error = isNewAsset && hasNotBegun ? await nameError(ctx, name) : undefined
  if (error) throw error
  return found
}
