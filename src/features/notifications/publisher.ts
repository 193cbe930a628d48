import { WorkerEntrypoint } from 'cloudflare:workers'
import { configuration } from '../../platform/config/configuration.ts'
import type { Env } from '../../platform/config/env.ts'
import { inboxesOf } from '../../platform/config/namespaces.ts'
import type { Config } from '../../platform/config/variables.ts'
import { type IdempotencyKey, idempotencyKeyOf } from '../../platform/db/idempotency.ts'
import { unavailable } from '../../platform/errors.ts'
import {
  keyedPart,
  type Outcome,
  type PublicationContext,
  publishBatch,
  publishNotification,
} from './publish.ts'
import type { Notification, PublishNotification } from './schema.ts'

/** The `props` of a service binding. */
interface Props {
  /** The calling service. Each has its own idempotency keys. */
  publisher?: string
}

/**
 * Publishes for another Worker of the same account, over a service binding with `entrypoint = "NotificationPublisher"`
 * (docs/conformance.md#notifications). It takes no token: whoever deploys decides who may bind. The rules are those of
 * `POST /v1/notifications`.
 */
export class NotificationPublisher extends WorkerEntrypoint<Env, Props> {
  /**
   * Adds a notification `{ user_id, type, data, expires_in?, persistent?, sender_id?, region? }` to a user's inbox; `options` are
   * `{ idempotency_key? }`. An error has the code of the problem document in its `message`, and, for callers with a
   * compatibility date from 2026-10-01 on, as its `code`: VALIDATION_FAILED, IDEMPOTENCY_KEY_REUSED, MUTED_BY_USER,
   * UNAVAILABLE.
   */
  async publish(input: unknown, options: unknown = {}): Promise<Notification> {
    const config = this.#config()
    const { parsePublication } = await import('./schema.ts')
    const { notification, idempotency_key } = parsePublication(input, options)
    const key = await this.#keyOf(notification, idempotency_key)
    return publishNotification(this.#context(config), notification, key)
  }

  /**
   * Adds up to 1,000 notifications to the inboxes of many users. The options are as in `publish`; the key applies to each
   * recipient separately. Returns `{ notification }` or `{ error }` with a code for each notification, in their order. An
   * error is thrown only when nothing was published: VALIDATION_FAILED, UNAVAILABLE.
   */
  async publishAll(inputs: unknown, options: unknown = {}): Promise<Outcome[]> {
    const config = this.#config()
    const { parsePublications } = await import('./schema.ts')
    const { notifications, idempotency_key } = parsePublications(inputs, options)
    const keyOf = (notification: PublishNotification) => this.#keyOf(notification, idempotency_key)
    const outcomes = await publishBatch(this.#context(config), notifications, keyOf)
    return outcomes.map(({ user_id: _, ...outcome }) => outcome)
  }

  #config(): Config {
    const { config } = configuration(this.env)
    if (!config) throw unavailable('The service is not configured.')
    return config
  }

  #context(config: Config): PublicationContext {
    return { inboxes: inboxesOf(this.env, config), config, now_ms: Date.now() }
  }

  #keyOf(notification: PublishNotification, key: string | undefined): Promise<IdempotencyKey | undefined> {
    // No token's subject equals this: a user id has no control characters.
    const caller_id = `\u0000${this.ctx.props.publisher ?? 'service'}`
    const request = ['publish', keyedPart(notification)]
    return idempotencyKeyOf(caller_id, key, request, Math.floor(Date.now() / 1_000))
  }
}
