import { env } from 'cloudflare:test'
import { z } from '@hono/zod-openapi'
import { sql } from 'drizzle-orm'
import { type EventType, eventTypeNames } from '../../src/platform/config/event-names.ts'
import type { Message } from '../../src/platform/config/message.ts'
import type { Config } from '../../src/platform/config/variables.ts'
import { partitionOf } from '../../src/platform/db/id.ts'
import { eventWriter } from '../../src/platform/events/record.ts'
import { eventTypes, onBehalf } from '../../src/platform/events/types.ts'
import { configurationOf, databasesOver } from './context.ts'
import { everywhere } from './databases.ts'
import { type Fetch, serviceWith } from './service.ts'

/** The variables that switch events on. */
export const webhook = {
  WEBHOOK_URL: 'https://hook.example/events',
  WEBHOOK_SECRET: `whsec_${btoa('a secret of the tests, of 32 byte')}`,
}

/** A queue that records its messages and has no consumer, so that events stay in the outbox. */
export function silentQueue(): { queue: Queue<Message>; sent: Message[] } {
  const sent: Message[] = []
  const queue = new Proxy(env.EVENTS, {
    get: (target, name) => {
      if (name !== 'sendBatch') return Reflect.get(target, name)
      return async (messages: Iterable<{ body: Message }>) => {
        sent.push(...[...messages].map(({ body }) => body))
      }
    },
  })
  return { queue, sent }
}

/** The service with events on, and the messages to its queue. */
export function serviceWithEvents(variables: Record<string, string> = {}): {
  service: Fetch
  sent: Message[]
} {
  const { queue, sent } = silentQueue()
  return { service: serviceWith({ ...webhook, ...variables, EVENTS: queue }), sent }
}

/** The configuration with events on, for tests that call rules or the job directly. */
export function configWithEvents(variables: Partial<Config> = {}): Config {
  const { config, problems } = configurationOf({ ...env, ...webhook })
  if (!config) throw new Error(problems.join('; '))
  return { ...config, ...variables }
}

const Row = z.object({
  id: z.string(),
  type: z.string(),
  resource_id: z.string(),
  seq: z.number(),
  data: z.string(),
})

/** An event as it waits in the outbox. */
interface Waiting {
  id: string
  type: EventType
  resource_id: string
  seq: number
  data: Record<string, unknown>
}

/** Parses the data of an event. Fails on data that its type does not declare. */
export function declaredData(type: EventType, data: unknown): Record<string, unknown> {
  return z.strictObject({ ...eventTypes[type].shape, ...onBehalf }).parse(data)
}

/** Every waiting event with the id of one of these users. Fails on data that its type does not declare. */
export async function eventsAbout(...user_ids: string[]): Promise<Waiting[]> {
  const rows = await everywhere(
    `SELECT id, type, resource_id, seq, data FROM outbox WHERE EXISTS (
      SELECT 1 FROM json_each(data) AS member WHERE member.value IN (SELECT value FROM json_each(?))
    ) ORDER BY resource_id, seq, id`,
    JSON.stringify(user_ids),
  )
  return rows.map((row) => {
    const { type: name, data, ...others } = Row.parse(row)
    const type = z.enum(eventTypeNames).parse(name)
    return { ...others, type, data: declaredData(type, JSON.parse(data)) }
  })
}

/** Reads the events about some users step by step: each call returns the new ones. */
export class EventLog {
  readonly #user_ids: string[]
  readonly #known = new Set<string>()

  constructor(...users: { id: string }[]) {
    this.#user_ids = users.map(({ id }) => id)
  }

  /** The new events, sorted by type, with their data. */
  async next(): Promise<[type: EventType, data: Record<string, unknown>][]> {
    const found = (await eventsAbout(...this.#user_ids)).filter(({ id }) => !this.#known.has(id))
    for (const { id } of found) this.#known.add(id)
    return found
      .toSorted((one, other) => (one.type < other.type ? -1 : one.type > other.type ? 1 : 0))
      .map(({ type, data }) => [type, data])
  }
}

/** Writes an event about a user into the outbox. Returns the event's id. */
export async function writeEvent(user_id: string): Promise<{ id: string }> {
  const known = new Set((await eventsAbout(user_id)).map(({ id }) => id))
  const event = eventWriter('user.erased', () => ({
    resource_id: sql`${user_id}`,
    partition: sql`${partitionOf(user_id)}`,
    data: { user_id },
    from: sql``,
  }))({ config: configWithEvents(), now_ms: Date.now() }, {})
  await databasesOver().home(user_id).write(event)
  const written = (await eventsAbout(user_id)).find(({ id }) => !known.has(id))
  if (!written) throw new Error('no event was written')
  return written
}

/** Parks an event, as the delivery does after three days. */
export async function parkEvent({ id }: { id: string }): Promise<void> {
  await everywhere(
    `UPDATE outbox SET parked_at = ?, attempts = 12, last_error = 'HTTP 500' WHERE id = ?`,
    Math.floor(Date.now() / 1_000),
    id,
  )
}
