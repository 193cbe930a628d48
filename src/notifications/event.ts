import { z } from '@hono/zod-openapi'
import { Notification } from './schema.ts'

const always = {
  seq: z.int().min(0).openapi({ description: 'Of the inbox; each change has the next one' }),
  unread: z.int().min(0).openapi({ description: 'How many were unread at that seq' }),
}

/** The first message on a socket (decisions, "Notifications"). */
export const Ready = z.object({
  type: z.literal('ready'),
  ...always,
  data: z.object({
    recovered: z.boolean().openapi({
      description:
        'true: what came after `after` follows. false: read the list again, it is true at this seq',
    }),
  }),
})

/** What a change to an inbox is told as, to all of the user's sockets, with the inbox's next seq. */
export const InboxEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('notification'), ...always, data: Notification }),
  z.object({
    type: z.literal('notifications_read'),
    ...always,
    data: z.object({
      notification_ids: z
        .array(z.string())
        .nullable()
        .openapi({ description: 'Those that were unread before; null: all' }),
    }),
  }),
  z.object({
    type: z.literal('notification_deleted'),
    ...always,
    data: z.object({ notification_id: z.string() }),
  }),
])
export type InboxEvent = z.output<typeof InboxEvent>

/** An event's type with its data, before it has a seq. */
export type Change = InboxEvent extends infer Event
  ? Event extends InboxEvent
    ? Pick<Event, 'type' | 'data'>
    : never
  : never
