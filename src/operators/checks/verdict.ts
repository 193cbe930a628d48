import { sql } from 'drizzle-orm'
import { expectedOf, rejectImpossible } from '../../features/uploads/complete.ts'
import {
  isOpen,
  isWaiting,
  type OwnUpload,
  type UploadRow,
  uploadColumns,
  uploadExists,
  waitsForVerdict,
} from '../../features/uploads/row.ts'
import { markCompleted, markFailed } from '../../features/uploads/transitions.ts'
import { type RequestContext, seconds } from '../../platform/context.ts'
import { retryOnConflict } from '../../platform/db/database.ts'
import { type Params, statement } from '../../platform/db/sql.ts'
import { ApiError } from '../../platform/errors.ts'
import type { Verdict } from './schema.ts'

/**
 * Ends the check of an upload's content (docs/content-check.md): completes the upload for its owner, or marks the upload as
 * failed and releases its bytes. Repeating the verdict changes nothing. An accepted upload that can't be completed now, for
 * example because its name is taken, waits for its owner to complete it again.
 *
 * @throws UPLOAD_NOT_FOUND when no content waits for a verdict; UPLOAD_COMPLETED when the upload is complete without a check,
 *   or the other verdict was given before
 */
export async function giveVerdict(ctx: RequestContext, id: string, verdict: Verdict): Promise<void> {
  const first = await readForVerdict(ctx, id)
  const owner = { ...ctx, user_id: first.owner_id, db: ctx.databases.home(first.owner_id) }
  const ended = waitsForVerdict(first) ? await end(owner, first, verdict) : first
  const error = verdictError(ended, verdict)
  if (error) throw error
}

const uploadWithId = statement(
  (p: Params<'id'>) =>
    sql<UploadRow>`SELECT ${uploadColumns} FROM uploads WHERE id = ${p.id} AND ${uploadExists}`,
)

/** Reads an upload of any owner. @throws UPLOAD_NOT_FOUND */
async function readForVerdict({ databases }: RequestContext, id: string): Promise<UploadRow> {
  const db = databases.of(id)
  db.usePrimary()
  const [upload] = await db.read(uploadWithId({ id }))
  if (!upload) throw new ApiError('UPLOAD_NOT_FOUND')
  return upload
}

/** Ends the check of a waiting upload. Returns the upload, which another request may have ended meanwhile. */
function end(owner: RequestContext, upload: UploadRow, verdict: Verdict): Promise<UploadRow> {
  return retryOnConflict(async () => {
    const ended =
      verdict.verdict === 'failed' ? await reject(owner, upload, verdict.reason) : await accept(owner, upload)
    return waitsForVerdict(ended) ? undefined : ended
  })
}

async function reject(owner: RequestContext, { id }: UploadRow, reason: string): Promise<UploadRow> {
  return (await markFailed(owner, id, 'UPLOAD_REJECTED', reason, 'failed')).upload
}

const recordReady = statement(
  (p: OwnUpload & Params<'expires_at'>) => sql`UPDATE uploads SET check_state = 'ready', check_next_at = NULL,
      expires_at = max(expires_at, ${p.expires_at})
    WHERE ${isOpen(p)} AND ${isWaiting}`,
)

/** Completes the upload, or records the verdict when the upload can't be completed now. */
async function accept(owner: RequestContext, upload: UploadRow): Promise<UploadRow> {
  const { db, user_id, config } = owner
  const { id } = upload
  const expected = expectedOf({ upload })
  try {
    const ended = await markCompleted(owner, upload, { expected, verdict: 'ready' })
    if (!waitsForVerdict(ended.upload)) return ended.upload
    // Marks the upload as failed when its asset no longer exists.
    await rejectImpossible(owner, ended, expected)
  } catch (error) {
    if (!(error instanceof ApiError) || !isLeftToOwner(error)) throw error
  }
  await db.write(recordReady({ id, user_id, expires_at: seconds(owner) + config.UPLOAD_TTL }))
  return readForVerdict(owner, id)
}

/** Whether an error leaves the upload to its owner, who may complete it again or has removed its target. */
function isLeftToOwner({ code }: ApiError): boolean {
  return code !== 'UNAVAILABLE' && code !== 'INTERNAL' && code !== 'UPLOAD_NOT_FOUND'
}

/** The error for a verdict that doesn't match the upload: no check was under way, or the other verdict was given. */
function verdictError({ state, check_state }: UploadRow, { verdict }: Verdict): ApiError | undefined {
  if (check_state === verdict) return undefined
  if (check_state === 'ready' || check_state === 'failed')
    return new ApiError('UPLOAD_COMPLETED', { detail: `The verdict was ${check_state}, and is final.` })
  if (state === 'completed')
    return new ApiError('UPLOAD_COMPLETED', { detail: 'Its content was not to be checked.' })
  const detail = state === 'failed' ? 'It has failed before its verdict.' : 'Its content has not arrived yet.'
  return new ApiError('UPLOAD_NOT_FOUND', { detail })
}
