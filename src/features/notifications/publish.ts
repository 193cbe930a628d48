import { type InboxContext, seconds } from '../../platform/context.ts'
import { newId } from '../../platform/db/id.ts'
import type { IdempotencyKey } from '../../platform/db/idempotency.ts'
import { ApiError } from '../../platform/errors.ts'
import { isWanted } from '../../platform/events/record.ts'
import { logError, logWarning } from '../../platform/lib/log.ts'
import { CONNECTIONS, pooled } from '../../platform/lib/pool.ts'
import { DAY } from '../../platform/lib/units.ts'
import { type BatchCode, batchCodes } from './batch-codes.ts'
import { callInbox } from './call-inbox.ts'
import type { InboxRules, Published } from './rpc.ts'
import type { BatchResult, Notification, PublishNotification } from './schema.ts'

/** The context of a publication. Its publisher need not be a user. */
export type PublicationContext = Pick<InboxContext, 'inboxes' | 'config' | 'now_ms'>

/**
 * Adds a notification to a user's inbox, which sends it to the user's sockets (docs/conformance.md#notifications). With a key, a
 * repetition within 24 hours adds nothing and returns the first notification. A notification that is not `persistent` is only
 * sent to the sockets that are open.
 *
 * @throws VALIDATION_FAILED (expires_in), IDEMPOTENCY_KEY_REUSED, MUTED_BY_USER, UNAVAILABLE
 */
export async function publishNotification(
  ctx: PublicationContext,
  input: PublishNotification,
  idempotencyKey?: IdempotencyKey,
): Promise<Notification> {
  const { user_id, sender_id, type, data, expires_in, persistent = true, region } = input
  checkLife(ctx, expires_in)
  if (!persistent) return signal(ctx, input)
  const key = idempotencyKey && {
    publisher: idempotencyKey.caller_id,
    key: idempotencyKey.key,
    request_hash: idempotencyKey.request_hash,
  }
  const expires_at = expires_in === undefined ? undefined : seconds(ctx) + expires_in
  const published = await callInbox(
    ctx,
    user_id,
    async (inbox): Promise<Published> =>
      inbox.publish({ user_id, type, data, expires_at, sender_id }, rulesOf(ctx), key),
    key !== undefined,
    region,
  )
  if (published.error === 'MUTED_BY_USER') throw mutedByUser()
  if (published.error)
    throw new ApiError('IDEMPOTENCY_KEY_REUSED', {
      detail: 'This Idempotency-Key belongs to another notification. Use a new key for each.',
    })
  return published.notification
}

/** The error of a publication whose sender the recipient has muted. */
function mutedByUser(): ApiError {
  return new ApiError('MUTED_BY_USER', { detail: 'Drop the notification, and do not let the sender know.' })
}

/** What the Idempotency-Key of a publication belongs to: all except the region, which changes nothing that is stored. */
export function keyedPart({
  region: _,
  ...publication
}: PublishNotification): Omit<PublishNotification, 'region'> {
  return publication
}

/** The rules of the inboxes in a request. */
export function rulesOf(ctx: PublicationContext): InboxRules {
  return {
    now: seconds(ctx),
    retention_days: ctx.config.NOTIFICATION_RETENTION_DAYS,
    max_notifications: ctx.config.MAX_NOTIFICATIONS,
    ...(isWanted(ctx, 'notification.undelivered') && { reports_undelivered: true }),
  }
}

/** Sends a notification to the sockets of a user. A repetition would send it twice. */
async function signal(
  ctx: PublicationContext,
  { user_id, sender_id, type, data, region }: PublishNotification,
): Promise<Notification> {
  const notification: Notification = {
    id: newId(user_id),
    type,
    data,
    state: 'unread',
    created_at: seconds(ctx),
  }
  const isMuted = await callInbox(
    ctx,
    user_id,
    (inbox) => inbox.signal(notification, sender_id),
    false,
    region,
  )
  if (isMuted) throw mutedByUser()
  return notification
}

/** Rejects a life that is longer than the retention. @throws VALIDATION_FAILED */
function checkLife({ config }: PublicationContext, expires_in: number | undefined): void {
  const longest = config.NOTIFICATION_RETENTION_DAYS * DAY
  if (expires_in === undefined || expires_in <= longest) return
  throw new ApiError('VALIDATION_FAILED', {
    detail: 'expires_in is longer than notifications are kept.',
    errors: [{ in: 'body', path: '/expires_in', message: `It may be at most ${longest}.` }],
  })
}

/**
 * A batch begins no further call after MAX_UNANSWERED calls without an answer, once MAX_TIMEOUTS timeouts of a call have passed.
 */
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
      const code = batchCodes.find((known) => error instanceof ApiError && error.code === known)
      if (code === 'UNAVAILABLE') unanswered++
      if (code) return { user_id, error: code }
      logError('a publication failed', { error: String(error) })
      return { user_id, error: 'INTERNAL' }
    }
  })
  const count = outcomes.filter(({ error }) => error === 'UNAVAILABLE').length
  if (count > 0) logWarning('inboxes did not answer', { count, recipients: outcomes.length })
  return outcomes
}

/** The outcome for a recipient of a batch, as the API shows it. */
export function batchResult({ user_id, notification, error }: OutcomeOf): BatchResult {
  return notification ? { user_id, notification_id: notification.id } : { user_id, code: error }
}
