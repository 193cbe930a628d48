import { sql } from 'drizzle-orm'
import { expectedOf, rejectImpossible } from '../../features/uploads/complete.ts'
import { contentOf } from '../../features/uploads/content.ts'
import { isOpen, isWaiting, uploadExists, waitsForVerdict } from '../../features/uploads/lifecycle.ts'
import { type UploadRow, uploadColumns } from '../../features/uploads/row.ts'
import { markCompleted, markFailed } from '../../features/uploads/transitions.ts'
import { type RequestContext, seconds } from '../../platform/context.ts'
import { retryOnConflict } from '../../platform/db/retry.ts'
import { ApiError } from '../../platform/errors.ts'
import type { Verdict } from './schema.ts'

/**
 * Ends the check of an upload's content (docs/content-check.md): completes the upload for its owner, or marks it as failed
 * and releases its bytes. The same verdict again changes nothing. Content that may be ready but can't be completed now,
 * because its name is taken for example, waits for its owner to complete it again.
 *
 * @throws UPLOAD_NOT_FOUND when nothing is to be checked, UPLOAD_COMPLETED when it is complete or the other verdict has come
 */
export async function giveVerdict(ctx: RequestContext, id: string, verdict: Verdict): Promise<void> {
  const first = await readForVerdict(ctx, id)
  const owner = { ...ctx, user_id: first.owner_id, db: ctx.databases.home(first.owner_id) }
  const ended = waitsForVerdict(first) ? await end(owner, first, verdict) : first
  const error = verdictError(ended, verdict)
  if (error) throw error
}

/** The upload, whoever it belongs to. @throws UPLOAD_NOT_FOUND */
async function readForVerdict({ databases }: RequestContext, id: string): Promise<UploadRow> {
  const db = databases.of(id)
  db.usePrimary()
  const [upload] = await db.read<UploadRow>(
    sql`SELECT ${uploadColumns} FROM uploads WHERE id = ${id} AND ${uploadExists}`,
  )
  if (!upload) throw new ApiError('UPLOAD_NOT_FOUND')
  return upload
}

/** Ends the check of an upload that waits. Returns the upload, which may have ended otherwise meanwhile. */
function end(owner: RequestContext, upload: UploadRow, verdict: Verdict): Promise<UploadRow> {
  return retryOnConflict(async () => {
    const ended =
      verdict.verdict === 'failed' ? await reject(owner, upload, verdict.reason) : await accept(owner, upload)
    return waitsForVerdict(ended) ? undefined : ended
  })
}

async function reject(owner: RequestContext, { id }: UploadRow, reason: string): Promise<UploadRow> {
  const verdict = { check_state: 'failed', check_next_at: null } as const
  return (await markFailed(owner, id, 'UPLOAD_REJECTED', reason, verdict)).upload
}

/** Completes the upload, or notes the verdict when it can't be completed now. */
async function accept(owner: RequestContext, upload: UploadRow): Promise<UploadRow> {
  const { db, user_id, config } = owner
  const { id } = upload
  const verdict = { check_state: 'ready', check_next_at: null } as const
  const expected = expectedOf({ upload })
  try {
    const ended = await markCompleted(owner, id, contentOf(owner, upload, expected), verdict)
    if (!waitsForVerdict(ended.upload)) return ended.upload
    // Marks it as failed when its asset is gone for good.
    await rejectImpossible(owner, ended, expected)
  } catch (error) {
    if (!(error instanceof ApiError) || !isOwnersToSettle(error)) throw error
  }
  await db.write(
    sql`UPDATE uploads SET check_state = 'ready', check_next_at = NULL,
        expires_at = max(expires_at, ${seconds(owner) + config.UPLOAD_TTL})
      WHERE ${isOpen(id, user_id)} AND ${isWaiting}`,
  )
  return readForVerdict(owner, id)
}

/** Whether the owner can do something about what keeps an upload from being completed, or it is gone. */
function isOwnersToSettle({ code }: ApiError): boolean {
  return code !== 'UNAVAILABLE' && code !== 'INTERNAL' && code !== 'UPLOAD_NOT_FOUND'
}

/** Why a verdict on an upload is refused: none was asked for, or another has come; undefined when it is the one. */
function verdictError({ state, check_state }: UploadRow, { verdict }: Verdict): ApiError | undefined {
  if (check_state === verdict) return undefined
  if (check_state === 'ready' || check_state === 'failed')
    return new ApiError('UPLOAD_COMPLETED', { detail: `The verdict was ${check_state}, and is final.` })
  if (state === 'completed')
    return new ApiError('UPLOAD_COMPLETED', { detail: 'Its content was not to be checked.' })
  const detail = state === 'failed' ? 'It has failed before its verdict.' : 'Its content has not arrived yet.'
  return new ApiError('UPLOAD_NOT_FOUND', { detail })
}
