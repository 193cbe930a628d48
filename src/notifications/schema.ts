import { z } from '@hono/zod-openapi'
import { Id, IdInPath, PageLimit, Timestamp, UserId } from '../http/fields.ts'
import { integer } from '../lib/integer.ts'
import { isMisleading, isVisible } from '../lib/visible-text.ts'

const notificationTypes = ['friend_request', 'friend_accepted'] as const

/** Who has asked for, or accepted, the friendship. */
const NotificationData = z.object({
  from_user_id: z.int().openapi({ description: 'The social service’s own number of the user, not a `sub`' }),
  from_display_name: z
    .string()
    .refine((name) => name.isWellFormed() && name !== '' && [...name].length <= 255, {
      error: 'must have 1 to 255 characters',
      abort: true,
    })
    .refine(
      (name) => isVisible(name) && !isMisleading(name),
      'must be visible, without control or bidirectional control characters',
    )
    .openapi({
      minLength: 1,
      maxLength: 255,
      description: 'Some of it must be visible; no control or bidirectional control characters',
    }),
})

/** Specification §2.8. */
export const Notification = z
  .object({
    id: Id,
    type: z.enum(notificationTypes),
    data: NotificationData,
    state: z.enum(['unread', 'read']),
    created_at: Timestamp,
  })
  .openapi('Notification')
export type Notification = z.output<typeof Notification>

export const NotificationList = z.object({
  notifications: z.array(Notification).openapi({ description: 'Newest first' }),
  total: z.int().openapi({ description: 'In the whole inbox' }),
  unread: z.int().openapi({ description: 'In the whole inbox' }),
})

export const UnreadCount = z.object({ count: z.int() })

export const MarkedCount = z.object({ marked_count: z.int() })

/** At which `seq` of the inbox an answer is true: connect a socket with `after` from there on. */
export const inboxSeqHeader = z.object({ 'X-Inbox-Seq': z.string().openapi({ example: '42' }) })

export const ListNotifications = z.object({
  limit: PageLimit,
  offset: integer(0, 999_999_999).default(0).openapi({ type: 'integer', minimum: 0, default: 0 }),
})
export type ListNotifications = z.output<typeof ListNotifications>

const MOST_IDS = 1_000

export const ReadNotifications = z.object({
  notification_ids: z
    .array(z.string())
    .max(MOST_IDS)
    .optional()
    .openapi({ description: 'Empty or omitted: all. Unknown ones are ignored' }),
})

export const PublishNotification = z.object({
  user_id: UserId,
  type: z.enum(notificationTypes),
  data: NotificationData,
})
export type PublishNotification = z.output<typeof PublishNotification>

export const NotificationId = z.object({ id: IdInPath })
