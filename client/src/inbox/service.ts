import { bodyWithSeq, done } from '../answers.ts'
import { ServiceError } from '../errors.ts'
import type { RequestOptions } from '../options.ts'
import type { Transport } from '../transport.ts'
import type { InboxPage } from './messages.ts'
import type { PageRequest } from './replica.ts'

/** The requests of an inbox. */
export interface InboxService {
  /** What comes before `/v1`, without a slash at its end. */
  readonly baseUrl: string
  token(request: { renew: boolean }): Promise<string>
  /** Lists a page. An inbox repeats this by itself, and tells of it. */
  list(page: PageRequest, options: RequestOptions): Promise<InboxPage>
  /** Succeeds when the service answers this user; otherwise it rejects with the reason. */
  check(options: RequestOptions): Promise<void>
  /** Marks these as read; undefined: all. */
  markRead(ids: string[] | undefined, options: RequestOptions): Promise<void>
  /** Deletes a notification; it is no error if there is none any more. */
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
    // With ids, a repetition changes nothing more. Without, it would mark what has come since.
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
