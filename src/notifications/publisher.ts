import { WorkerEntrypoint } from 'cloudflare:workers'
import { z } from '@hono/zod-openapi'
import { seconds } from '../context.ts'
import { idempotencyKeyOf } from '../db/idempotency.ts'
import { configuration, type Env } from '../env.ts'
import { unavailable } from '../errors.ts'
import { invalid } from '../http/validation.ts'
import { publishNotification } from './publish.ts'
import { type Notification, PublishNotification } from './schema.ts'

/** How a service binding names the service that calls, in `props`; each has idempotency keys of its own. */
interface Props {
  publisher?: string
}

const Options = z.strictObject({ idempotency_key: z.string().min(1).max(255).optional() })

/**
 * Publishing for another Worker of the same account, over a service binding with `entrypoint =
 * "NotificationPublisher"` (decisions, "Notifications"). Who may bind is decided by whoever deploys, so there is no
 * token; the rules are those of `POST /v1/notifications`.
 */
export class NotificationPublisher extends WorkerEntrypoint<Env, Props> {
  /**
   * Puts a notification into a user's inbox: `{ user_id, type, data }`, and `{ idempotency_key? }`. An error that it
   * throws has the code of the problem document in its `message`, and, for callers with a compatibility date from
   * 2026-10-01 on, as its `code`: VALIDATION_FAILED, IDEMPOTENCY_KEY_REUSED, UNAVAILABLE.
   */
  async publish(input: unknown, options: unknown = {}): Promise<Notification> {
    const { config } = configuration(this.env)
    if (!config) throw unavailable('The service is not configured.')
    const notification = PublishNotification.safeParse(input)
    const given = Options.safeParse(options)
    if (!notification.success) throw invalid(notification.error.issues, 'body')
    if (!given.success) throw invalid(given.error.issues, 'header')
    const work = { inboxes: this.env.INBOX, config, now_ms: Date.now() }
    // A token's subject can't be this one: it has a control character.
    const caller_id = `\u0000${this.ctx.props.publisher ?? 'service'}`
    const request = ['publish', notification.data]
    const key = await idempotencyKeyOf(caller_id, given.data.idempotency_key, request, seconds(work))
    return publishNotification(work, notification.data, key)
  }
}
