import { z } from '@hono/zod-openapi'
import { Id, IdInPath, PageLimit, Timestamp, UserId } from '../../platform/http/fields.ts'
import { validationError } from '../../platform/http/validation.ts'
import { integer } from '../../platform/lib/integer.ts'
import { isMisleading, isVisible } from '../../platform/lib/visible-text.ts'

const notificationTypes = ['friend_request', 'friend_accepted'] as const

const NotificationType = z.enum(notificationTypes).openapi({ 'x-name': 'NotificationType' })

/** The user who has asked for the friendship, or accepted it. */
const NotificationData = z
  .object({
    from_user_id: z
      .int()
      .openapi({ description: 'The social service’s own number of the user, not a `sub`' }),
    from_display_name: z
      .string()
      .refine((name) => name.isWellFormed() && name !== '' && [...name].length <= 255, {
        error: 'must have 1 to 255 characters',
        abort: true,
      })
      .refine(
        (name) => isVisible(name) && !isMisleading(name),
        'must have a visible character, and no control or bidirectional control characters',
      )
      .openapi({
        minLength: 1,
        maxLength: 255,
        description: 'At least one visible character; no control or bidirectional control characters',
      }),
  })
  .openapi('NotificationData', { example: { from_user_id: 7, from_display_name: 'Bob' } })

/** A notification (docs/conformance.md#2-records). */
export const Notification = z
  .object({
    id: Id,
    type: NotificationType,
    data: NotificationData,
    state: z.enum(['unread', 'read']),
    created_at: Timestamp,
  })
  .openapi('Notification', {
    example: {
      id: '019a7e3a-5c1f-7000-8d47-2b6e9f0a1c38',
      type: 'friend_request',
      data: { from_user_id: 7, from_display_name: 'Bob' },
      state: 'unread',
      created_at: 1_795_257_600,
    },
  })
export type Notification = z.output<typeof Notification>

/** The answer to a list of notifications. */
export const NotificationPage = z
  .object({
    notifications: z.array(Notification).openapi({ description: 'Newest first' }),
    total: z.int().openapi({ description: 'Notifications in the whole inbox', example: 12 }),
    unread: z.int().openapi({ description: 'Unread notifications in the whole inbox', example: 3 }),
  })
  .openapi('NotificationPage')

/** The number of unread notifications. */
export const UnreadCount = z.object({ count: z.int() }).openapi('UnreadCount', { example: { count: 3 } })

/** The answer to marking notifications as read. */
export const MarkedCount = z
  .object({ marked_count: z.int() })
  .openapi('MarkedCount', { example: { marked_count: 3 } })

/** The query of a list of notifications. */
export const ListNotifications = z.object({
  limit: PageLimit,
  offset: integer(0, 999_999_999).default(0).openapi({
    type: 'integer',
    minimum: 0,
    maximum: 999_999_999,
    default: 0,
    description: 'The number of notifications to skip',
  }),
})
export type ListNotifications = z.output<typeof ListNotifications>

const MAX_IDS = 1_000

/** The body of a request that marks notifications as read. */
export const ReadNotifications = z
  .object({
    notification_ids: z
      .array(z.string())
      .max(MAX_IDS)
      .optional()
      .openapi({ description: 'Empty or omitted: all. Unknown ids are ignored' }),
  })
  .openapi('ReadNotifications', {
    example: { notification_ids: ['019a7e3a-5c1f-7000-8d47-2b6e9f0a1c38'] },
  })

/** The body of a request that publishes a notification. */
export const PublishNotification = z
  .object({ user_id: UserId, type: NotificationType, data: NotificationData })
  .openapi('PublishNotification', {
    example: {
      user_id: 'ada',
      type: 'friend_request',
      data: { from_user_id: 7, from_display_name: 'Bob' },
    },
  })
export type PublishNotification = z.output<typeof PublishNotification>

const PublishOptions = z.strictObject({ idempotency_key: z.string().min(1).max(255).optional() })

/** Parses the arguments of `NotificationPublisher.publish` (publisher.ts). @throws VALIDATION_FAILED */
export function parsePublication(
  input: unknown,
  options: unknown,
): { notification: PublishNotification; idempotency_key: string | undefined } {
  const notification = PublishNotification.safeParse(input)
  if (!notification.success) throw validationError(notification.error.issues, 'body')
  return { notification: notification.data, idempotency_key: parseOptions(options) }
}

function parseOptions(options: unknown): string | undefined {
  const given = PublishOptions.safeParse(options)
  if (!given.success) throw validationError(given.error.issues, 'header')
  return given.data.idempotency_key
}

/** The most notifications of one call of `publishAll`. */
const MAX_PUBLICATIONS = 1_000

/** Parses the arguments of `NotificationPublisher.publishAll`. @throws VALIDATION_FAILED when any of them is not valid */
export function parsePublications(
  inputs: unknown,
  options: unknown,
): { notifications: PublishNotification[]; idempotency_key: string | undefined } {
  const notifications = z.array(PublishNotification).max(MAX_PUBLICATIONS).safeParse(inputs)
  if (!notifications.success) throw validationError(notifications.error.issues, 'body')
  return { notifications: notifications.data, idempotency_key: parseOptions(options) }
}

/** The id of a notification in a path. */
export const NotificationId = z.object({ id: IdInPath })

/** The query of a request for a socket. */
export const ConnectSocket = z.object({
  after: z
    .string()
    .regex(/^\d+$/, 'must be the seq of the last event that the client has seen')
    .transform((text) => Math.min(Number(text), Number.MAX_SAFE_INTEGER))
    .optional()
    .openapi({
      type: 'integer',
      minimum: 0,
      description: 'The seq of the last event that the client has seen: later events follow',
    }),
})

/** Members of every message on a socket. */
const always = {
  seq: z
    .int()
    .min(0)
    .openapi({ description: 'The number of the event in the inbox; each change has the next one' }),
  unread: z.int().min(0).openapi({ description: 'The number of unread notifications at this seq' }),
}

/** The first message on a socket (docs/conformance.md#notifications). */
export const Ready = z.object({
  type: z.literal('ready'),
  ...always,
  data: z.object({
    recovered: z.boolean().openapi({
      description:
        'true: the events after `after` follow. false: read the list again; events after this seq follow',
    }),
  }),
})
export type Ready = z.output<typeof Ready>

/** The message about a change to an inbox, which all of the user's sockets get. */
export const InboxEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('notification'), ...always, data: Notification }),
  z.object({
    type: z.literal('notifications_read'),
    ...always,
    data: z.object({
      notification_ids: z
        .array(z.string())
        .nullable()
        .openapi({ description: 'The ids of those that were unread; null: all were read' }),
    }),
  }),
  z.object({
    type: z.literal('notification_deleted'),
    ...always,
    data: z.object({ notification_id: z.string() }),
  }),
])
export type InboxEvent = z.output<typeof InboxEvent>

/** An event without its seq and its unread count. */
export type InboxChange = InboxEvent extends infer Event
  ? Event extends InboxEvent
    ? Pick<Event, 'type' | 'data'>
    : never
  : never
