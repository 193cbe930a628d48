import { z } from '@hono/zod-openapi'
import { eventTypeNames } from '../../platform/config/event-names.ts'
import { DatabaseName, Id, Timestamp } from '../../platform/http/fields.ts'
import { integer } from '../../platform/lib/integer.ts'

const [DEFAULT_LIMIT, MAX_LIMIT] = [20, 500]

/** The query parameters of the list. */
export const ListEvents = z.object({
  limit: integer(1, MAX_LIMIT).default(DEFAULT_LIMIT).openapi({
    type: 'integer',
    minimum: 1,
    maximum: MAX_LIMIT,
    default: DEFAULT_LIMIT,
    description:
      'The largest number of waiting events, and of parked events, that is returned from each database',
  }),
})

/** An event's id is a UUID. Other text is an unknown id, so only its length is checked. */
const MAX_ID_LENGTH = 100

/** The events to change: one by its id, or all parked ones. */
export const NamedEvents = z
  .object({
    id: z
      .string('must be the id of an event')
      .min(1, 'must not be empty')
      .max(MAX_ID_LENGTH, `must have at most ${MAX_ID_LENGTH} characters`)
      .optional(),
    all: z.literal(true, 'must be true').optional(),
  })
  .transform(({ id, all }, context): { id: string } | { all: true } => {
    const where = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message })
    if (id !== undefined && all === undefined) return { id }
    if (id === undefined && all !== undefined) return { all }
    if (all !== undefined) where('all', 'must not come with id: one event, or all that are parked')
    else where('id', 'is missing: name one event by its id, or set all to true for all that are parked')
    return z.NEVER
  })
  .openapi('NamedEvents', { example: { id: '019a7e41-0b5c-7000-9d3c-7f1e2a3b4c5d' } })

/** An event that was not delivered yet. */
const UndeliveredEvent = z
  .object({
    database: DatabaseName,
    id: Id.openapi({ description: 'The `webhook-id` of its deliveries' }),
    type: z.string().openapi({ 'x-name': 'EventType', enum: [...eventTypeNames] }),
    resource_id: z.string().openapi({
      description:
        'The id of the resource or user that the event is about. Events of one resource are delivered in order',
    }),
    data: z
      .record(z.string(), z.unknown())
      .openapi({ description: 'The data of the type, as in docs/events.md' }),
    created_at: Timestamp,
    attempts: z.int().openapi({ description: 'How many deliveries have begun' }),
    next_at: Timestamp.openapi({
      description:
        'The earliest time of the next delivery; during a delivery, the time when it counts as lost',
    }),
    parked_at: Timestamp.nullable().openapi({
      description: 'When the service stopped trying to deliver the event; null: it still tries',
    }),
    last_error: z
      .string()
      .nullable()
      .openapi({ description: 'Why the last delivery failed; null: none has failed' }),
    last_failed_at: Timestamp.nullable().openapi({
      description: 'When the last delivery failed; null: none has failed',
    }),
  })
  .openapi('UndeliveredEvent', {
    example: {
      database: 'DB',
      id: '019a7e41-0b5c-7000-9d3c-7f1e2a3b4c5d',
      type: 'user.erased',
      resource_id: 'ada',
      data: { user_id: 'ada' },
      created_at: 1_795_257_600,
      attempts: 3,
      next_at: 1_795_257_900,
      parked_at: null,
      last_error: 'answered 500',
      last_failed_at: 1_795_257_600,
    },
  })
export type UndeliveredEvent = z.output<typeof UndeliveredEvent>

const EventCounts = z
  .object({
    database: DatabaseName,
    waiting: z.int().openapi({ description: 'At most 10,000 are counted' }),
    parked: z.int().openapi({ description: 'At most 10,000 are counted' }),
    oldest_at: Timestamp.nullable().openapi({ description: 'When the oldest waiting event happened' }),
    oldest_parked_at: Timestamp.nullable().openapi({
      description: 'When the oldest parked event was parked',
    }),
    dropped: z
      .int()
      .openapi({ description: 'Events dropped beyond a limit since the last `events.dropped`' }),
  })
  .openapi('EventCounts', {
    example: {
      database: 'DB',
      waiting: 1,
      parked: 0,
      oldest_at: 1_795_257_600,
      oldest_parked_at: null,
      dropped: 0,
    },
  })

/** The undelivered events, and their counts in each database. */
export const EventsOverview = z
  .object({
    is_configured: z
      .boolean()
      .openapi({ description: 'false: WEBHOOK_URL is not set, so no event is written' }),
    databases: z.array(EventCounts),
    waiting: z
      .array(UndeliveredEvent)
      .openapi({ description: 'The waiting events, the next ones first in each database' }),
    parked: z
      .array(UndeliveredEvent)
      .openapi({ description: 'The parked events, the oldest first in each database' }),
  })
  .openapi('EventsOverview')
export type EventsOverview = z.output<typeof EventsOverview>

/** How many events a request has changed. */
export const ChangedEvents = z
  .object({
    events: z.int(),
    has_more: z.boolean().openapi({ description: 'Whether the same request would find more' }),
  })
  .openapi('ChangedEvents', { example: { events: 500, has_more: true } })
export type ChangedEvents = z.output<typeof ChangedEvents>
