import { done } from '../answers.ts'
import { ServiceError } from '../errors.ts'
import { notificationPage } from '../notifications.ts'
import type { RequestOptions } from '../options.ts'
import type { components } from '../schema.d.ts'
import type { Transport } from '../transport.ts'
import type { InboxPage, Item } from './messages.ts'
import type { Notification, OwnTypes } from './notification.ts'
import type { PageRequest } from './replica.ts'

/** The notifications that a request deletes. */
export type Selection = components['schemas']['DeleteNotifications']

/** The requests of an inbox. */
export interface InboxService<One extends Item> {
  /** The URL of the service without `/v1`, and without a trailing slash. */
  readonly baseUrl: string
  token(request: { renew: boolean }): Promise<string>
  /** Lists a page. The transport does not repeat it: the inbox does, and emits `error` each time. */
  list(page: PageRequest, options: RequestOptions): Promise<InboxPage<One>>
  /** Resolves when the service accepts the user's token; otherwise rejects with the reason. */
  check(options: RequestOptions): Promise<void>
  /** Marks these notifications as read; undefined: all. */
  markRead(ids: string[] | undefined, options: RequestOptions): Promise<void>
  /** Deletes a notification. Resolves also when it no longer exists. */
  delete(id: string, options: RequestOptions): Promise<void>
  deleteSelected(selection: Selection, options: RequestOptions): Promise<void>
}

/** The requests of an inbox, sent by a client's transport. */
export function inboxService<Types extends OwnTypes<Types>>(
  transport: Transport,
): InboxService<Notification<Types>> {
  const { http, baseUrl } = transport
  // Without ids, a repetition would also change notifications that have arrived since.
  const repeatableFor = (ids: string[] | undefined, options: RequestOptions) =>
    ids ? transport.repeatable(options) : transport.unrepeatable(options)
  return {
    baseUrl,
    token: (request) => transport.token(request),
    list: ({ limit, offset }, options) =>
      notificationPage<Types>(
        http.GET('/v1/notifications', {
          ...transport.unrepeatable(options),
          params: { query: { limit, offset } },
        }),
      ),
    check: (options) => done(http.GET('/v1/notifications/unread-count', transport.unrepeatable(options))),
    markRead: (ids, options) =>
      done(
        http.POST('/v1/notifications/read', {
          ...repeatableFor(ids, options),
          body: ids ? { notification_ids: ids } : {},
        }),
      ),
    delete: (id, options) =>
      done(
        http.DELETE('/v1/notifications/{id}', { ...transport.repeatable(options), params: { path: { id } } }),
      ).catch((error) => {
        if (!(error instanceof ServiceError) || error.code !== 'NOTIFICATION_NOT_FOUND') throw error
      }),
    deleteSelected: (body, options) =>
      done(http.POST('/v1/notifications/delete', { ...repeatableFor(body.notification_ids, options), body })),
  }
}
