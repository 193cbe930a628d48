import { type SavesContext, seconds } from '../../platform/context.ts'
import { keyReused } from '../../platform/db/idempotency-key.ts'
import { ApiError, limitReached, unavailable } from '../../platform/errors.ts'
import { callObject } from '../../platform/lib/call-object.ts'
import type { SaveRefusal, SaveRules, SavesMethods } from './rpc.ts'

/**
 * Calls a user's saves. An idempotent call may be repeated.
 *
 * @throws UNAVAILABLE when the object cannot be reached or does not answer in time
 */
export function callSaves<Answer>(
  ctx: Pick<SavesContext, 'saves' | 'config'>,
  user_id: string,
  call: (saves: DurableObjectStub<SavesMethods>) => Promise<Answer>,
  isIdempotent: boolean,
): Promise<Answer> {
  return callObject({
    stub: () => ctx.saves.getByName(user_id),
    call,
    isIdempotent,
    timeout_ms: ctx.config.CALL_TIMEOUT_MS,
    unanswered: (cause) => unavailable('The saves did not answer. Try again.', cause),
  })
}

/**
 * Calls the caller's saves with the time and the limits of the request. An idempotent call may be repeated.
 *
 * @throws the error of a refusal; UNAVAILABLE
 */
export async function callOwnSaves<Answer extends { error?: never }>(
  ctx: SavesContext,
  call: (saves: DurableObjectStub<SavesMethods>, rules: SaveRules) => Promise<Answer | SaveRefusal>,
  isIdempotent: boolean,
): Promise<Answer> {
  const rules = rulesOf(ctx)
  return accepted(await callSaves(ctx, ctx.user_id, (saves) => call(saves, rules), isIdempotent))
}

function rulesOf(ctx: SavesContext): SaveRules {
  const { config } = ctx
  return {
    now: seconds(ctx),
    retention_days: config.TRASH_RETENTION_DAYS,
    max_slots: config.MAX_SAVE_SLOTS,
    max_revisions: config.SAVE_REVISIONS,
    limit_bytes: config.SAVE_BYTES,
  }
}

function accepted<Answer extends { error?: never }>(answer: Answer | SaveRefusal): Answer {
  if (answer.error === undefined) return answer
  const { error, current, kept_revision } = answer
  if (error === 'LIMIT_REACHED') throw limitReached('save_slots')
  if (error === 'QUOTA_EXCEEDED')
    throw new ApiError(error, {
      detail: 'The saves have no room left: those of other slots fill SAVE_BYTES. Delete one.',
    })
  if (error === 'IDEMPOTENCY_KEY_REUSED') throw keyReused()
  if (error !== 'PRECONDITION_FAILED') throw new ApiError(error)
  const detail = current
    ? `The save is at revision ${current.revision}.`
    : 'The slot is empty, so that it has no revision to match.'
  throw new ApiError(error, { detail, current, kept_revision })
}
