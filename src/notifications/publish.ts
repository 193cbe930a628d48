import { type RequestContext, seconds } from '../context.ts'
import type { IdempotencyKey } from '../db/idempotency.ts'
import { ApiError } from '../errors.ts'
import { callInbox } from './call-inbox.ts'
import type { Published } from './inbox.ts'
import type { Notification, PublishNotification } from './schema.ts'

/**
 * Puts a notification into a user's inbox, and so onto all of their devices (decisions, "Notifications"). With a key
 * it does so once within 24 hours, and a retry is answered as the first was; the key belongs to this publisher and
 * this recipient.
 *
 * @throws IDEMPOTENCY_KEY_REUSED, UNAVAILABLE
 */
export async function publishNotification(
  ctx: Pick<RequestContext, 'inboxes' | 'config' | 'now_ms'>,
  { user_id, type, data }: PublishNotification,
  retry?: IdempotencyKey,
): Promise<Notification> {
  const rules = {
    now: seconds(ctx),
    retention_days: ctx.config.NOTIFICATION_RETENTION_DAYS,
    max_notifications: ctx.config.MAX_NOTIFICATIONS,
  }
  const key = retry && { publisher: retry.caller_id, key: retry.key, request_hash: retry.request_hash }
  const published = await callInbox(
    ctx,
    user_id,
    async (inbox): Promise<Published> => inbox.publish({ type, data }, rules, key),
    key !== undefined,
  )
  if (published.refused)
    throw new ApiError('IDEMPOTENCY_KEY_REUSED', {
      detail: 'This Idempotency-Key came with another notification. Use a new key for each.',
    })
  return published.notification
}
