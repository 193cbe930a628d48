import type { IdempotencyKey } from '../../platform/db/idempotency-key.ts'
import { ApiError } from '../../platform/errors.ts'
import { logError, logWarning } from '../../platform/lib/log.ts'
import { CONNECTIONS, pooled } from '../../platform/lib/pool.ts'
import { checkLife, type PublicationContext, publishNotification } from './publish.ts'
import { BatchCode, type Notification, type PublishNotification } from './schema.ts'

/** A batch begins no further call after so many calls without an answer, and so many timeouts of a call. */
const MAX_UNANSWERED = 2 * CONNECTIONS
const MAX_TIMEOUTS = 2

/** The outcome for one recipient. */
export type Outcome =
  | { notification: Notification; error?: never }
  | { error: BatchCode; notification?: never }
export type OutcomeOf = Outcome & { user_id: string }

/**
 * Publishes a notification to each of these recipients, to six at a time. Returns the outcomes in the order of `inputs`; one
 * that fails does not touch the others. When many inboxes don't answer, a batch ends early: the recipients that are left get
 * UNAVAILABLE, and nothing is sent to them. `keyOf` makes the key of a recipient.
 *
 * @throws VALIDATION_FAILED (expires_in), before anything is published
 */
export async function publishBatch(
  ctx: PublicationContext,
  inputs: readonly PublishNotification[],
  keyOf: (input: PublishNotification) => Promise<IdempotencyKey | undefined>,
): Promise<OutcomeOf[]> {
  for (const { expires_in } of inputs) checkLife(ctx, expires_in)
  const last_ms = Date.now() + MAX_TIMEOUTS * ctx.config.CALL_TIMEOUT_MS
  let unanswered = 0
  const outcomes = await pooled(inputs, async (input): Promise<OutcomeOf> => {
    const { user_id } = input
    if (unanswered >= MAX_UNANSWERED && Date.now() > last_ms) return { user_id, error: 'UNAVAILABLE' }
    try {
      return { user_id, notification: await publishNotification(ctx, input, await keyOf(input)) }
    } catch (error) {
      const code = BatchCode.safeParse(error instanceof ApiError ? error.code : undefined)
      if (code.data === 'UNAVAILABLE') unanswered++
      if (code.success) return { user_id, error: code.data }
      logError('a publication failed', { error: String(error) })
      return { user_id, error: 'INTERNAL' }
    }
  })
  const count = outcomes.filter(({ error }) => error === 'UNAVAILABLE').length
  if (count > 0) logWarning('inboxes did not answer', { count, recipients: outcomes.length })
  return outcomes
}
