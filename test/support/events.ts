import { env } from 'cloudflare:test'
import { z } from '@hono/zod-openapi'
import { configuration } from '../../src/configuration.ts'
import type { Message } from '../../src/events/message.ts'
import { type EventType, eventTypeNames } from '../../src/events/names.ts'
import { eventTypes } from '../../src/events/types.ts'
import type { Config } from '../../src/variables.ts'
import { everywhere } from './databases.ts'
import { type Fetch, serviceWith } from './service.ts'

/** What configures events. */
export const webhook = {
  WEBHOOK_URL: 'https://hook.example/events',
  WEBHOOK_SECRET: `whsec_${btoa('a secret of the tests, of 32 byte')}`,
}

/** A queue that keeps what it is sent, and delivers nothing: what was written stays in the outbox. */
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

/** The service with events on, and what it has sent to its queue. */
export function serviceWithEvents(variables: Record<string, string> = {}): {
  service: Fetch
  sent: Message[]
} {
  const { queue, sent } = silentQueue()
  return { service: serviceWith({ ...webhook, ...variables, EVENTS: queue }), sent }
}

/** The configuration with events on, for tests that call rules or the job directly. */
export function configWithEvents(variables: Partial<Config> = {}): Config {
  const { config, problems } = configuration(Object.assign({ ...env }, webhook))
  if (!config) throw new Error(problems.join('; '))
  return { ...config, ...variables }
}

const Row = z.object({
  id: z.string(),
  type: z.string(),
  thing_id: z.string(),
  seq: z.number(),
  data: z.string(),
})

/** An event as it waits in the outbox. */
interface Waiting {
  id: string
  type: EventType
  thing_id: string
  seq: number
  data: Record<string, unknown>
}

/** Every event that waits in an outbox and names one of these users, whose data have to be what the type declares. */
export async function eventsAbout(...user_ids: string[]): Promise<Waiting[]> {
  const rows = await everywhere(
    `SELECT id, type, thing_id, seq, data FROM outbox WHERE EXISTS (
      SELECT 1 FROM json_each(data) AS member WHERE member.value IN (SELECT value FROM json_each(?))
    ) ORDER BY thing_id, seq, id`,
    JSON.stringify(user_ids),
  )
  return rows.map((row) => {
    const { type: name, data, ...others } = Row.parse(row)
    const type = z.enum(eventTypeNames).parse(name)
    return { ...others, type, data: z.strictObject(eventTypes[type].shape).parse(JSON.parse(data)) }
  })
}

/** The events about some users, a few at a time: those that have come since it was last asked. */
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
