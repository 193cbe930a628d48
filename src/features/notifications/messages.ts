import { z } from '@hono/zod-openapi'
import { Notification } from './schema.ts'

/** Members of every message on a socket except a signal. */
const numbered = {
  seq: z
    .int()
    .min(0)
    .openapi({ description: 'The number of the event in the inbox; each change has the next one' }),
  unread: z.int().min(0).openapi({ description: 'The number of unread notifications at this seq' }),
}

/** The first message on a socket (docs/conformance.md#notifications). */
export const Ready = z.object({
  type: z.literal('ready'),
  ...numbered,
  data: z.object({
    recovered: z.boolean().openapi({
      description:
        'true: the events after `after` follow. false: read the list again; events after this seq follow',
    }),
  }),
})
export type Ready = z.output<typeof Ready>

/** The message with a notification that is not stored. It is no event of the inbox. */
export const Signal = z.object({ type: z.literal('signal'), data: Notification })
export type Signal = z.output<typeof Signal>

/** The message about a change to an inbox, which all of the user's sockets get. */
export const InboxEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('notification'), ...numbered, data: Notification }),
  z.object({
    type: z.literal('notifications_read'),
    ...numbered,
    data: z.object({
      notification_ids: z
        .array(z.string())
        .nullable()
        .openapi({ description: 'The ids of those that were unread; null: all were read' }),
    }),
  }),
  z.object({
    type: z.literal('notification_deleted'),
    ...numbered,
    data: z.object({ notification_id: z.string() }),
  }),
  z.object({
    type: z.literal('notifications_deleted'),
    ...numbered,
    data: z.object({
      notification_ids: z.array(z.string()).nullable().openapi({ description: 'null: all were deleted' }),
    }),
  }),
])
export type InboxEvent = z.output<typeof InboxEvent>

/** An event without its seq and its unread count. */
export type InboxChange = InboxEvent extends infer Event
  ? Event extends InboxEvent
    ? Pick<Event, 'type' | 'data'>
    : never
  : never
