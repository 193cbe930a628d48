import { z } from '@hono/zod-openapi'
import { DatabaseName, Id, Timestamp } from '../http/fields.ts'
import { integer } from '../lib/integer.ts'
import { eventTypeNames } from './names.ts'

const [STANDARD_SHOWN, MOST_SHOWN] = [20, 500]

/** The parameters of the list. */
export const ListEvents = z.object({
  limit: integer(1, MOST_SHOWN).default(STANDARD_SHOWN).openapi({
    type: 'integer',
    minimum: 1,
    maximum: MOST_SHOWN,
    default: STANDARD_SHOWN,
    description:
      'How many events of each database are shown: of those that wait, and of those that are parked',
  }),
})

/** Which events: one, or all that are parked. */
export const NamedEvents = z
  .union([
    z.object({ id: z.string().openapi({ description: 'The event' }) }).openapi('NamedEvent'),
    z
      .object({ all: z.literal(true).openapi({ description: 'All that are parked' }) })
      .openapi('AllParkedEvents'),
  ])
  .openapi('NamedEvents', { example: { id: '019a7e41-0b5c-7000-9d3c-7f1e2a3b4c5d' } })

/** An event that was not delivered yet. */
const UndeliveredEvent = z
  .object({
    database: DatabaseName,
    id: Id.openapi({ description: 'The `webhook-id` of its deliveries' }),
    type: z.string().openapi({ 'x-name': 'EventType', enum: [...eventTypeNames] }),
    thing_id: z.string().openapi({
      description: 'What the event is about: an id, or a user. Its events are delivered one after the other',
    }),
    data: z.record(z.string(), z.unknown()).openapi({ description: 'What docs/events.md says of the type' }),
    created_at: Timestamp,
    attempts: z.int().openapi({ description: 'Deliveries that have begun' }),
    next_at: Timestamp.openapi({
      description: 'When the next delivery may begin; during one, when it counts as lost',
    }),
    parked_at: Timestamp.nullable().openapi({ description: 'When delivery was given up' }),
    last_error: z.string().nullable().openapi({ description: 'Why the last delivery failed' }),
  })
  .openapi('UndeliveredEvent', {
    example: {
      database: 'DB',
      id: '019a7e41-0b5c-7000-9d3c-7f1e2a3b4c5d',
      type: 'user.erased',
      thing_id: 'ada',
      data: { user_id: 'ada' },
      created_at: 1_795_257_600,
      attempts: 3,
      next_at: 1_795_257_900,
      parked_at: null,
      last_error: 'HTTP 500',
    },
  })
export type UndeliveredEvent = z.output<typeof UndeliveredEvent>

const EventCounts = z
  .object({
    database: DatabaseName,
    waiting: z.int().openapi({ description: 'At most 10,000 are counted' }),
    parked: z.int().openapi({ description: 'At most 10,000 are counted' }),
    oldest_at: Timestamp.nullable().openapi({ description: 'When the oldest of those that wait happened' }),
    oldest_parked_at: Timestamp.nullable().openapi({
      description: 'Since when the one that has been parked for the longest is',
    }),
  })
  .openapi('EventCounts', {
    example: { database: 'DB', waiting: 1, parked: 0, oldest_at: 1_795_257_600, oldest_parked_at: null },
  })

/** What was not delivered. */
export const EventsOverview = z
  .object({
    is_configured: z
      .boolean()
      .openapi({ description: 'false: WEBHOOK_URL is not set, so no event is written' }),
    databases: z.array(EventCounts),
    waiting: z.array(UndeliveredEvent).openapi({ description: 'Those that are delivered next' }),
    parked: z.array(UndeliveredEvent).openapi({ description: 'Those that were parked first' }),
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
