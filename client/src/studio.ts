/** What a studio's services, its moderators and its operators do. A game's page has no use for it. */
import { bodyOf } from './answers.ts'
import { type Client, clientOf } from './client.ts'
import type {
  Announcement,
  AnyOwnTypes,
  BatchPublication,
  NewAnnouncement,
  Notification,
  OwnTypes,
  Publication,
} from './inbox/notification.ts'
import { typed } from './inbox/service.ts'
import { List, listByCursor } from './list.ts'
import {
  type StudioAuditOperations,
  type StudioCasesOperations,
  type StudioDecisionsOperations,
  type StudioModerationOperations,
  type StudioQuotaOperations,
  type StudioRecallsOperations,
  type StudioUploadsOperations,
  type StudioUsersOperations,
  studioAnnouncementsOf,
  studioAuditOf,
  studioCasesOf,
  studioDecisionsOf,
  studioModerationOf,
  studioQuotaOf,
  studioRecallsOf,
  studioUploadsOf,
  studioUsersOf,
} from './operations.ts'
import type { AuditedOptions, ClientOptions, CreationOptions, RequestOptions } from './options.ts'
import type { AnnouncementPage, BatchResults, Announcement as PlainAnnouncement } from './records.ts'
import { Transport } from './transport.ts'

export type { Client } from './client.ts'
export {
  type ErrorCode,
  GameStorageError,
  NetworkError,
  ServiceError,
} from './errors.ts'
export type {
  Announcement,
  AnyOwnTypes,
  BatchPublication,
  NewAnnouncement,
  Notification,
  OwnTypes,
  Publication,
} from './inbox/notification.ts'
export type {
  AuditedOptions,
  ClientOptions,
  CreationOptions,
  RequestOptions,
  RetryOptions,
} from './options.ts'
export type * from './records.ts'

/** Notifications of single users. Each needs a token with the scope `notifications:publish`. */
export interface StudioNotifications<Types extends OwnTypes<Types>> {
  /**
   * Publish a notification to a user’s inbox. With `expires_in`, it goes by itself after so many seconds. With
   * `persistent: false`, only open inboxes get it, as a `signal`, and the request is not repeated.
   *
   * @throws ServiceError: FORBIDDEN without the scope; NetworkError
   */
  publish(given: Publication<Types>, options?: CreationOptions): Promise<Notification<Types>>
  /**
   * Publish a notification to up to 100 users. Each has a result, in the order of `user_ids`: a `notification_id`, or the
   * `code` of a failure, after which the same call with the same `idempotencyKey` publishes to those who lack it.
   *
   * @throws ServiceError: FORBIDDEN without the scope, VALIDATION_FAILED for a wrong user id; NetworkError
   */
  publishToMany(given: BatchPublication<Types>, options?: CreationOptions): Promise<BatchResults>
}

/** Notifications for all users. Each needs a token with the scope `announcements:publish`. */
export interface StudioAnnouncements<Types extends OwnTypes<Types>> {
  /**
   * List the announcements that are in force, newest first.
   *
   * @throws ServiceError: FORBIDDEN without the scope; NetworkError
   */
  list(
    given?: {
      /** The most entries of a page. */
      limit?: number
      /** The `next_cursor` of the previous page. */
      cursor?: string
    },
    options?: RequestOptions,
  ): List<{ announcements: Announcement<Types>[]; next_cursor: string | null }, Announcement<Types>>
  /**
   * Announce to all users. Every inbox takes the announcement in, as a notification, when its user next lists, counts or
   * connects. An `idempotencyKey` holds as long as the announcement is in force.
   *
   * @throws ServiceError: FORBIDDEN without the scope, LIMIT_REACHED when too many are in force; NetworkError
   */
  publish(
    given: NewAnnouncement<Types>,
    options?: CreationOptions & AuditedOptions,
  ): Promise<Announcement<Types>>
  /** End an announcement. It goes from each inbox when its user next lists, counts or connects. */
  delete(given: { id: string }, options?: AuditedOptions): Promise<void>
}

/** What services, moderators and operators do, each with a token of a scope of its own. `Types` are the game's own. */
export interface Studio<Types extends OwnTypes<Types> = AnyOwnTypes> {
  readonly notifications: StudioNotifications<Types>
  readonly announcements: StudioAnnouncements<Types>
  readonly audit: StudioAuditOperations
  readonly cases: StudioCasesOperations
  readonly decisions: StudioDecisionsOperations
  readonly moderation: StudioModerationOperations
  readonly quota: StudioQuotaOperations
  readonly recalls: StudioRecallsOperations
  readonly uploads: StudioUploadsOperations
  readonly users: StudioUsersOperations
  /**
   * A client that does everything for a player, as the player's own client would, with a token that has the scope
   * `players:write`, to read `players:read`, and for saves `saves:write` or `saves:read`. `reason` is what the audit says of each
   * request. What changes something needs one, except under the scopes of saves.
   *
   * @example
   * const ada = studio.onBehalfOf('ada', 'Ticket 4711: her world is gone')
   * await ada.assets.restore({ id })
   *
   * @throws TypeError without a `user_id`
   */
  onBehalfOf(user_id: string, reason?: string): Client<Types>
}

/**
 * Makes a studio's client of the service at `baseUrl`. `token` is one of a service, a moderator or an operator.
 *
 * @example
 * const studio = createStudio({ baseUrl: 'https://storage.example.com', token })
 * await studio.notifications.publish({ user_id: 'ada', type: 'shop.gift', data: { gift_id: 'sword' } })
 *
 * @throws TypeError when `baseUrl` is missing, is no http(s) URL, or ends in `/v1`; when `token` is missing
 */
export function createStudio<Types extends OwnTypes<Types> = AnyOwnTypes>(
  options: ClientOptions,
): Studio<Types> {
  const transport = new Transport(options)
  return {
    notifications: notificationsOf<Types>(transport),
    announcements: announcementsOf<Types>(transport),
    audit: studioAuditOf(transport),
    cases: studioCasesOf(transport),
    decisions: studioDecisionsOf(transport),
    moderation: studioModerationOf(transport),
    quota: studioQuotaOf(transport),
    recalls: studioRecallsOf(transport),
    uploads: studioUploadsOf(transport),
    users: studioUsersOf(transport),
    onBehalfOf: (user_id, reason) => clientOf<Types>(transport.onBehalfOf(user_id, reason)),
  }
}

function notificationsOf<Types extends OwnTypes<Types>>(transport: Transport): StudioNotifications<Types> {
  /** A signal has no Idempotency-Key: a repetition would send it twice. */
  const publish = (path: string, given: { persistent?: boolean }, options: CreationOptions = {}) =>
    given.persistent === false
      ? transport.unrepeatable('POST', path, given, options)
      : transport.creating(path, given, options)
  return {
    publish: async (given, options) =>
      typed<Notification<Types>>(await bodyOf(publish('/v1/notifications', given, options))),
    publishToMany: (given, options) => bodyOf(publish('/v1/notifications/batch', given, options)),
  }
}

function announcementsOf<Types extends OwnTypes<Types>>(transport: Transport): StudioAnnouncements<Types> {
  return {
    ...studioAnnouncementsOf(transport),
    list: (given, options) => {
      const plain = listByCursor<AnnouncementPage, PlainAnnouncement, 'announcements'>(
        transport,
        '/v1/announcements',
        'announcements',
        given,
        options,
      )
      return new List(
        async function* () {
          for await (const { announcements, ...page } of plain.pages())
            yield { ...page, announcements: announcements.map((one) => typed<Announcement<Types>>(one)) }
        },
        (page) => page.announcements,
      )
    },
    publish: async (given, options) =>
      typed<Announcement<Types>>(await bodyOf(transport.creating('/v1/announcements', given, options))),
  }
}
