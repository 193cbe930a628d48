import { type RequestContext, seconds } from '../../platform/context.ts'
import type { IdempotencyKey } from '../../platform/db/idempotency-key.ts'
import { ApiError } from '../../platform/errors.ts'
import { isWanted } from '../../platform/events/wanted.ts'
import { callInbox } from './call-inbox.ts'
import type { Published } from './rpc.ts'
import type { Notification, PublishNotification } from './schema.ts'

/**
 * Adds a notification to a user's inbox, which sends it to the user's sockets (docs/conformance.md#notifications). With a key it
 * does so once within 24 hours; a repetition gets the notification of the first.
 *
 * @throws IDEMPOTENCY_KEY_REUSED, UNAVAILABLE
 */
export async function publishNotification(
  ctx: Pick<RequestContext, 'inboxes' | 'config' | 'now_ms'>,
  input: PublishNotification,
  idempotencyKey?: IdempotencyKey,
): Promise<Notification> {
  const rules = {
    now: seconds(ctx),
    retention_days: ctx.config.NOTIFICATION_RETENTION_DAYS,
    max_notifications: ctx.config.MAX_NOTIFICATIONS,
    ...(isWanted(ctx, 'notification.undelivered') && { reports_undelivered: true }),
  }
  const key = idempotencyKey && {
    publisher: idempotencyKey.caller_id,
    key: idempotencyKey.key,
    request_hash: idempotencyKey.request_hash,
  }
  const published = await callInbox(
    ctx,
    input.user_id,
    async (inbox): Promise<Published> => inbox.publish(input, rules, key),
    key !== undefined,
  )
  if (published.error)
    throw new ApiError(published.error, {
      detail: 'This Idempotency-Key belongs to another notification. Use a new key for each.',
    })
  return published.notification
}
