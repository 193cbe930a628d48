import { bodyWithSeq, done } from '../answers.ts'
import { ServiceError } from '../errors.ts'
import type { RequestOptions } from '../options.ts'
import type { Transport } from '../transport.ts'
import type { InboxPage } from './messages.ts'
import type { PageRequest } from './replica.ts'

/** The requests of an inbox. */
export interface InboxService {
  /** The URL of the service without `/v1`, and without a trailing slash. */
  readonly baseUrl: string
  token(request: { renew: boolean }): Promise<string>
  /** Lists a page. The transport does not repeat it: the inbox does, and emits `error` each time. */
  list(page: PageRequest, options: RequestOptions): Promise<InboxPage>
  /** Resolves when the service accepts the user's token; otherwise rejects with the reason. */
  check(options: RequestOptions): Promise<void>
  /** Marks these notifications as read; undefined: all. */
  markRead(ids: string[] | undefined, options: RequestOptions): Promise<void>
  /** Deletes a notification. Resolves also when it no longer exists. */
  delete(id: string, options: RequestOptions): Promise<void>
}

/** The requests of an inbox, sent by a client's transport. */
export function inboxService(transport: Transport): InboxService {
  const { http, baseUrl } = transport
  return {
    baseUrl,
    token: (request) => transport.token(request),
    list: ({ limit, offset }, options) =>
      bodyWithSeq(
        http.GET('/v1/notifications', {
          ...transport.unrepeatable(options),
          params: { query: { limit, offset } },
        }),
      ),
    check: (options) => done(http.GET('/v1/notifications/unread-count', transport.unrepeatable(options))),
    // Without ids, a repetition would also mark notifications that have arrived since.
    markRead: (ids, options) =>
      done(
        http.POST('/v1/notifications/read', {
          ...(ids ? transport.repeatable(options) : transport.unrepeatable(options)),
          body: ids ? { notification_ids: ids } : {},
        }),
      ),
    delete: (id, options) =>
      done(
        http.DELETE('/v1/notifications/{id}', { ...transport.repeatable(options), params: { path: { id } } }),
      ).catch((error) => {
        if (!(error instanceof ServiceError) || error.code !== 'NOTIFICATION_NOT_FOUND') throw error
      }),
  }
}
