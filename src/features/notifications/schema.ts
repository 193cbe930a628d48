import { z } from '@hono/zod-openapi'
import { regions } from '../../platform/config/places.ts'
import { Id, IdInPath, KnownUserId, PageLimit, Timestamp, UserId } from '../../platform/http/fields.ts'
import {
  GameData,
  gameDataProblem,
  isOwnType,
  MAX_TYPE_LENGTH,
  OWN_TYPE,
} from '../../platform/http/game-data.ts'
import { validationError } from '../../platform/http/validation.ts'
import { integer } from '../../platform/lib/integer.ts'
import { isMisleading, isVisible } from '../../platform/lib/text.ts'
import { MINUTE } from '../../platform/lib/units.ts'
import { batchCodes } from './batch-codes.ts'

const socialTypes: ReadonlySet<string> = new Set(['friend_request', 'friend_accepted'])

/** The type of a notification: one of the service's two, or one of the game's own. */
const NotificationType = z
  .string()
  .refine(
    (type) => socialTypes.has(type) || isOwnType(type),
    'must be friend_request, friend_accepted, or a type of the game’s own with a dot, as in shop.gift',
  )
  .openapi({
    'x-name': 'NotificationType',
    'x-description': '`friend_request`, `friend_accepted`, or a type of the game’s own, with a dot',
    maxLength: MAX_TYPE_LENGTH,
    pattern: `^(?:${[...socialTypes].join('|')}|${OWN_TYPE.source.slice(1, -1)})$`,
    example: 'shop.gift',
  })

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

/** The data of a notification. The type decides which of the two: `checkData` checks it. */
const AnyData = z
  .union([GameData, NotificationData], 'must be a JSON object')
  .openapi({ 'x-name': 'AnyNotificationData' }, { unionPreferredType: 'anyOf' })

const NotificationState = z.enum(['unread', 'read']).openapi({ 'x-name': 'NotificationState' })

/** A notification (docs/conformance.md#notifications). */
export const Notification = z
  .object({
    id: Id,
    type: NotificationType,
    data: AnyData,
    state: NotificationState,
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
  .object({
    marked_count: z.int().openapi({ description: 'The number of notifications that were unread before' }),
  })
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
  state: NotificationState.optional().openapi({ description: 'Only unread or only read ones' }),
  type: NotificationType.optional().openapi({ description: 'Only notifications of this type' }),
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

/** The body of a request that deletes many notifications: exactly one of the members. */
export const DeleteNotifications = z
  .object({
    notification_ids: z
      .array(z.string())
      .max(MAX_IDS)
      .optional()
      .openapi({ description: 'These. Unknown ids are ignored, and an empty list deletes nothing' }),
    state: z.literal('read').optional().openapi({ description: 'Those that have been read' }),
    all: z.literal(true).optional().openapi({ description: 'All' }),
  })
  .transform((input, context): NotificationSelection => {
    const { notification_ids, state, all } = input
    const given = Object.values({ notification_ids, state, all }).filter((value) => value !== undefined)
    if (given.length === 1) {
      if (notification_ids) return { notification_ids }
      return state ? 'read' : 'all'
    }
    context.addIssue('must have exactly one of notification_ids, state and all')
    return z.NEVER
  })
  .openapi('DeleteNotifications', { minProperties: 1, maxProperties: 1, example: { state: 'read' } })

/** The notifications to delete: those with these ids, the read ones, or all. */
export type NotificationSelection = { notification_ids: string[] } | 'read' | 'all'

/** The answer to deleting many notifications. */
export const DeletedCount = z
  .object({
    deleted_count: z.int().openapi({ description: 'The number of notifications that were deleted' }),
  })
  .openapi('DeletedCount', { example: { deleted_count: 3 } })

/** A region of the world. */
const InboxRegion = z.enum(regions).openapi({
  'x-name': 'Region',
  'x-description':
    'A region of the world: western or eastern North America, South America, western or eastern Europe, Asia and the Pacific, Oceania, Africa, the Middle East',
  example: 'apac',
})

/** The shortest life of a notification with an `expires_in`, in seconds. */
const SHORTEST_LIFE = MINUTE

/** The members of a notification that is published to one user or to many. */
const message = {
  type: NotificationType,
  data: AnyData,
  expires_in: z.int().min(SHORTEST_LIFE).optional().openapi({
    description:
      'The notification goes by itself after this many seconds, at most the retention (NOTIFICATION_RETENTION_DAYS)',
  }),
  persistent: z.boolean().optional().openapi({
    description:
      'true by default. false: open sockets get it as a `signal`, and nothing keeps it. An Idempotency-Key is ignored then, and expires_in is only checked',
  }),
  sender_id: UserId.optional().openapi({
    description:
      'The user who causes the notification: MUTED_BY_USER when the recipient has muted them. The recipient does not get the id',
  }),
  region: InboxRegion.optional().openapi({
    description:
      'Where the user is. An inbox that does not exist yet is made there, and never moves. Otherwise it has no effect',
  }),
}

/** Checks the data by the type. */
function checkData<Input extends { type: string; data: object }>(
  input: Input,
  context: z.RefinementCtx,
): Input {
  if (socialTypes.has(input.type)) {
    const { data, error } = NotificationData.safeParse(input.data)
    for (const { message, path } of error?.issues ?? [])
      context.addIssue({ code: 'custom', message, path: ['data', ...path] })
    return data ? { ...input, data } : z.NEVER
  }
  const message = gameDataProblem(input.data)
  if (message !== undefined) context.addIssue({ code: 'custom', message, path: ['data'] })
  return input
}

/** The body of a request that publishes a notification. */
export const PublishNotification = z
  .object({ user_id: UserId, ...message })
  .transform(checkData)
  .openapi('PublishNotification', {
    example: { user_id: 'ada', type: 'shop.gift', data: { gift_id: 'golden-sword' } },
  })
export type PublishNotification = z.output<typeof PublishNotification>

/** The most recipients of one request. */
const MAX_RECIPIENTS = 100

/** The body of a request that publishes a notification to many users. */
export const PublishBatch = z
  .object({
    user_ids: z
      .array(UserId)
      .min(1)
      .max(MAX_RECIPIENTS)
      .refine((ids) => new Set(ids).size === ids.length, 'must have each user once')
      .openapi({ uniqueItems: true }),
    ...message,
  })
  .transform(checkData)
  .openapi('PublishBatch', {
    example: { user_ids: ['ada', 'bob'], type: 'shop.gift', data: { gift_id: 'golden-sword' } },
  })
export type PublishBatch = z.output<typeof PublishBatch>

/** The answer to publishing to many users. */
export const BatchResults = z
  .object({
    results: z
      .array(
        z.object({
          user_id: KnownUserId,
          notification_id: Id.optional(),
          code: z.enum(batchCodes).optional().openapi({ description: 'Why there is no notification' }),
        }),
      )
      .openapi({ description: 'In the order of `user_ids`' }),
  })
  .openapi('BatchResults', {
    example: {
      results: [
        { user_id: 'ada', notification_id: '019a7e3a-5c1f-7000-8d47-2b6e9f0a1c38' },
        { user_id: 'bob', code: 'UNAVAILABLE' },
      ],
    },
  })
export type BatchResult = z.output<typeof BatchResults>['results'][number]

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
