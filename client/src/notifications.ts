import { type Answered, bodyOf, bodyWithSeq } from './answers.ts'
import type { Arguments } from './arguments.ts'
import { NetworkError } from './errors.ts'
import { hasId, type InboxPage } from './inbox/messages.ts'
import type {
  Announcement,
  BatchPublication,
  KnownType,
  NewAnnouncement,
  Notification,
  OwnTypes,
  Publication,
} from './inbox/notification.ts'
import { listByCursor, listByOffset } from './list.ts'
import type { CreationOptions, RequestOptions } from './options.ts'
import type { components } from './schema.d.ts'
import type { Transport } from './transport.ts'

/** The filters and the position of a list of notifications. */
type ListQuery<Types extends OwnTypes<Types>> = Omit<Arguments<'listNotifications'>, 'type'> & {
  type?: KnownType<Types>
}

/** The methods of the operations whose notifications and announcements have the game's own types. */
export function notificationOperationsOf<Types extends OwnTypes<Types>>(transport: Transport) {
  const { http } = transport
  /** A signal has no Idempotency-Key: a repetition would send it twice. */
  const publishing = ({ persistent }: { persistent?: boolean }, options: CreationOptions) =>
    persistent === false ? transport.unrepeatable(options) : transport.creating(options)
  return {
    /**
     * List the caller’s notifications, newest first; with `state` or `type`, only those. `total` and `unread` are those of the
     * whole inbox. A socket whose `after` is the `seq` of a page reports every later change.
     *
     * @throws ServiceError, NetworkError
     */
    listNotifications: (query: ListQuery<Types> = {}, options: RequestOptions = {}) =>
      listByOffset(
        query,
        (query) =>
          notificationPage<Types>(
            http.GET('/v1/notifications', { ...transport.repeatable(options), params: { query } }),
          ),
        (page) => page.notifications,
      ),
    /**
     * Publish a notification to a user’s inbox. With `expires_in`, it goes by itself after so many seconds. With
     * `persistent: false`, only open inboxes get it, as a `signal`, and the request is not repeated. For the studio’s own
     * services: requires a token with the scope `notifications:publish`.
     *
     * @throws ServiceError: FORBIDDEN without the scope; NetworkError
     */
    publishNotification: async (body: Publication<Types>, options: CreationOptions = {}) =>
      typed<Notification<Types>>(
        await bodyOf(http.POST('/v1/notifications', { ...publishing(body, options), body: plain(body) })),
      ),
    /**
     * Publish a notification to up to 100 users. Each has a result, in the order of `user_ids`: a `notification_id`, or the
     * `code` of a failure, after which the same call with the same `idempotencyKey` publishes to those who lack it. For the
     * studio’s own services: requires a token with the scope `notifications:publish`.
     *
     * @throws ServiceError: FORBIDDEN without the scope, VALIDATION_FAILED for a wrong user id; NetworkError
     */
    publishNotifications: (body: BatchPublication<Types>, options: CreationOptions = {}) =>
      bodyOf(http.POST('/v1/notifications/batch', { ...publishing(body, options), body: plain(body) })),
    /**
     * List the announcements that are in force, newest first. Requires a token with the scope `announcements:publish`.
     *
     * @throws ServiceError: FORBIDDEN without the scope; NetworkError
     */
    listAnnouncements: (query: Arguments<'listAnnouncements'> = {}, options: RequestOptions = {}) =>
      listByCursor(
        query,
        async (query) => {
          const { announcements, ...page } = await bodyOf(
            http.GET('/v1/announcements', { ...transport.repeatable(options), params: { query } }),
          )
          return { ...page, announcements: announcements.map((one) => typed<Announcement<Types>>(one)) }
        },
        (page) => page.announcements,
      ),
    /**
     * Announce to all users. Every inbox takes the announcement in, as a notification, when its user next lists, counts or
     * connects. Requires a token with the scope `announcements:publish`. An `idempotencyKey` holds as long as the announcement
     * is in force.
     *
     * @throws ServiceError: FORBIDDEN without the scope, LIMIT_REACHED when too many are in force; NetworkError
     */
    publishAnnouncement: async (body: NewAnnouncement<Types>, options: CreationOptions = {}) =>
      typed<Announcement<Types>>(
        await bodyOf(http.POST('/v1/announcements', { ...transport.creating(options), body: plain(body) })),
      ),
  }
}

export type NotificationOperations<Types extends OwnTypes<Types>> = ReturnType<
  typeof notificationOperationsOf<Types>
>

/** The page of an answer, with the game's own types. */
export async function notificationPage<Types extends OwnTypes<Types>>(
  request: Answered<components['schemas']['NotificationPage']>,
): Promise<InboxPage<Notification<Types>>> {
  const { notifications, ...counts } = await bodyWithSeq(request)
  return { ...counts, notifications: notifications.map((one) => typed<Notification<Types>>(one)) }
}

/** An item of an answer, as the studio's types describe it: the service does not check the data of the game's own types. */
function typed<Item extends { id: string }>(item: unknown): Item {
  if (hasId<Item>(item)) return item
  throw new NetworkError('The answer has an item without an id.')
}

/** A message as the API describes it, where data is any JSON object. */
function plain<Message extends { data: object }>(message: Message) {
  return { ...message, data: { ...message.data } }
}
