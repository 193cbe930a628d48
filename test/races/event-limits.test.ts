import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { deliver } from '../../src/operators/events/deliver.ts'
import { discardEvents } from '../../src/operators/events/resend.ts'
import { wakeAfterJob } from '../../src/operators/events/tasks.ts'
import { newId } from '../../src/platform/db/id.ts'
import { contextOf } from '../support/context.ts'
import { countOf, everywhere, startOver } from '../support/databases.ts'
import { deliveryTo, emptyOutboxes, outboxRows, park } from '../support/delivery.ts'
import { configWithEvents } from '../support/events.ts'
import { firstUserId } from '../support/ids.ts'
import { expectEventsCounted } from '../support/invariants.ts'
import { jobIn } from '../support/objects.ts'
import { chances } from '../support/race.ts'
import { Receiver } from '../support/receiver.ts'
import { droppedCount, eventsByOwner, purged, record } from '../support/recording.ts'
import { seeded } from '../support/seeded.ts'

beforeAll(startOver)
beforeEach(async () => {
  await emptyOutboxes()
  vi.spyOn(console, 'error').mockImplementation(() => {})
})

/** How many events of the first user are parked before a round begins. */
const PARKED = 5

/** Records of users who write at the same time: how many events each batch has. */
function batches(random: () => number, users: readonly string[]) {
  return Array.from({ length: 30 }, () => ({
    user: users[Math.floor(random() * users.length)] ?? '',
    count: 1 + Math.floor(random() * (random() < 0.2 ? 30 : 3)),
  }))
}

const recordings = (
  of: ReturnType<typeof batches>,
  limits: { MAX_EVENTS: number; MAX_EVENTS_PER_USER: number },
) =>
  of.map(({ user, count }) => async () => {
    const ctx = contextOf(user, {}, configWithEvents(limits))
    const files = Array.from({ length: count }, () => newId(user))
    await ctx.db.write(purged(ctx, files))
  })

describe('events that are recorded at the same time around a limit', () => {
  it('are never more than it, and what is dropped is counted exactly', async () => {
    // The limit of all is met where many users write, that of one where one does.
    const met = new Set<string>()
    await chances({ variants: 2 }, async (round) => {
      const random = seeded(round.seed)
      const users = Array.from({ length: round.variant === 0 ? 6 : 1 }, firstUserId)
      const limits = {
        MAX_EVENTS: (round.variant === 0 ? 20 : 50) + Math.floor(random() * 10),
        MAX_EVENTS_PER_USER: 16 + Math.floor(random() * 9),
      }
      const all = batches(random, users)
      await emptyOutboxes()
      const outcomes = await round.race(recordings(all, limits))
      expect(outcomes.filter(({ code }) => code !== undefined)).toEqual([])
      const stored = await countOf('outbox')
      expect(stored).toBeLessThanOrEqual(limits.MAX_EVENTS)
      if (stored === limits.MAX_EVENTS) met.add('of all')
      for (const events of Object.values(await eventsByOwner())) {
        expect(events).toBeLessThanOrEqual(limits.MAX_EVENTS_PER_USER)
        if (events === limits.MAX_EVENTS_PER_USER) met.add('of one')
      }
      expect(stored + (await droppedCount())).toBe(all.reduce((sum, { count }) => sum + count, 0))
      await expectEventsCounted()
    })
    expect([...met].sort()).toEqual(['of all', 'of one'])
  })

  it('are delivered, told of as dropped, or wait, and nothing is lost in between', async () => {
    await chances(async (round) => {
      const random = seeded(round.seed)
      const receiver = new Receiver()
      const users = Array.from({ length: 1 + Math.floor(random() * 6) }, firstUserId)
      const limits = { MAX_EVENTS: 30, MAX_EVENTS_PER_USER: 20 }
      const all = batches(random, users)
      const { ctx } = deliveryTo(receiver)
      const job = { ...jobIn(0), config: ctx.config }
      let discarded = 0
      await emptyOutboxes()
      await record(users[0] ?? '', PARKED)
      await park(
        (await outboxRows()).map(({ id }) => id),
        1,
      )
      const others = [
        ...Array.from({ length: 4 }, () => async () => void (await deliver(ctx, 'DB'))),
        ...Array.from({ length: 3 }, () => async () => void (await wakeAfterJob(job, undefined))),
        async () => {
          discarded += (await discardEvents({ ...job, queue: undefined }, { all: true })).events
        },
      ]
      await round.race([...recordings(all, limits), ...others])
      await expectEventsCounted()
      expect(await countOf(`outbox WHERE type = 'events.dropped' AND parked_at IS NULL`)).toBeLessThanOrEqual(
        1,
      )
      const arrived = new Map(
        (await receiver.arrivals()).map(({ headers, body }) => [headers['webhook-id'], JSON.parse(body)]),
      )
      const waiting = new Set((await outboxRows()).map(({ id }) => id))
      const isTold = (body: { type: string }) => body.type === 'events.dropped'
      const ended = [...arrived].filter(([id]) => !waiting.has(id ?? '')).map(([, body]) => body)
      const told = ended.filter(isTold).reduce((sum, { data }) => sum + data.events, 0)
      const rows = await countOf(`outbox WHERE type <> 'events.dropped'`)
      const pending = await untold()
      const delivered = ended.filter((body) => !isTold(body)).length
      expect(delivered + rows + told + pending + discarded).toBe(
        all.reduce((sum, { count }) => sum + count, PARKED),
      )
    })
  })
})

/** The events that were dropped and not told of to the receiver yet. */
async function untold(): Promise<number> {
  const rows = await everywhere<{ events: number }>(
    `SELECT data ->> 'events' AS events FROM outbox WHERE type = 'events.dropped'`,
  )
  return rows.reduce((sum, { events }) => sum + events, await droppedCount())
}
