/** The inbox alone, for a game that keeps nothing else here. */
import type { AnyOwnTypes, OwnTypes } from './inbox/notification.ts'
import { type InboxRequests, inboxRequestsOf } from './inbox/requests.ts'
import type { ClientOptions } from './options.ts'
import { Transport } from './transport.ts'

export {
  type ClientErrorCode,
  type ErrorCode,
  GameStorageError,
  InboxError,
  type InboxErrorCode,
  NetworkError,
  ServiceError,
} from './errors.ts'
export type { Inbox, InboxEvents, InboxOptions, InboxSnapshot } from './inbox/inbox.ts'
export type { AnyOwnTypes, Notification, OwnTypes } from './inbox/notification.ts'
export type { InboxRequests, NotificationQuery } from './inbox/requests.ts'
export type { PingOptions, WebSocketClass, WebSocketLike } from './inbox/socket.ts'
export type { InboxState } from './inbox/sync.ts'
export type { List } from './list.ts'
export type { ClientOptions, RequestOptions, RetryOptions } from './options.ts'
export type { TokenSource } from './token.ts'

/**
 * What `client.inbox` is, without the rest of the client. `Types` are the notifications of the game's own.
 *
 * @example
 * const inbox = createInbox({ baseUrl: 'https://storage.example.com', token }).open()
 * inbox.on('change', ({ unread }) => showBadge(unread))
 *
 * @throws TypeError when `baseUrl` is missing, is no http(s) URL, or ends in `/v1`; when `token` is missing
 */
export function createInbox<Types extends OwnTypes<Types> = AnyOwnTypes>(
  options: ClientOptions,
): InboxRequests<Types> {
  return inboxRequestsOf<Types>(new Transport(options))
}
