import { WorkerEntrypoint } from 'cloudflare:workers'
import { seconds } from '../context.ts'
import { idempotencyKeyOf } from '../db/idempotency.ts'
import { configuration, type Env } from '../env.ts'
import { unavailable } from '../errors.ts'
import { publishNotification } from './publish.ts'
import type { Notification } from './schema.ts'

/** A service binding names the calling service in `props`. Each has its own idempotency keys. */
interface Props {
  publisher?: string
}

/**
 * Publishing for another Worker of the same account, over a service binding with `entrypoint =
 * "NotificationPublisher"` (decisions, "Notifications"). It takes no token: whoever deploys decides who may bind. The
 * rules are those of `POST /v1/notifications`.
 */
export class NotificationPublisher extends WorkerEntrypoint<Env, Props> {
  /**
   * Adds a notification `{ user_id, type, data }` to a user's inbox; `options` are `{ idempotency_key? }`. An error has
   * the code of the problem document in its `message`, and, for callers with a compatibility date from 2026-10-01 on, as
   * its `code`: VALIDATION_FAILED, IDEMPOTENCY_KEY_REUSED, UNAVAILABLE.
   */
  async publish(input: unknown, options: unknown = {}): Promise<Notification> {
    const { config } = configuration(this.env)
    if (!config) throw unavailable('The service is not configured.')
    const { parsePublication } = await import('./schema.ts')
    const { notification, idempotency_key } = parsePublication(input, options)
    const ctx = { inboxes: this.env.INBOX, config, now_ms: Date.now() }
    // No token's subject equals this: a user id has no control characters.
    const caller_id = `\u0000${this.ctx.props.publisher ?? 'service'}`
    const request = ['publish', notification]
    const key = await idempotencyKeyOf(caller_id, idempotency_key, request, seconds(ctx))
    return publishNotification(ctx, notification, key)
  }
}
