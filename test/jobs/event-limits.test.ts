import { env } from 'cloudflare:test'
import { sql } from 'drizzle-orm'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createAsset } from '../../src/features/assets/create.ts'
import { deliver } from '../../src/operators/events/deliver.ts'
import { storeQueuedEvents } from '../../src/operators/events/store-queued.ts'
import { wakeAfterJob } from '../../src/operators/events/tasks.ts'
import type { Config } from '../../src/platform/config/variables.ts'
import { newId, partitionOf } from '../../src/platform/db/id.ts'
import { eventWriter } from '../../src/platform/events/record.ts'
import { noMetrics } from '../../src/platform/lib/metrics.ts'
import { Databases } from '../../src/platform/shards/databases.ts'
import { databasesOf } from '../../src/platform/shards/map.ts'
import { contextOf } from '../support/context.ts'
import { countOf } from '../support/databases.ts'
import { deliveryTo, emptyOutboxes, now, outboxRows, park } from '../support/delivery.ts'
import { configWithEvents, silentQueue, webhook } from '../support/events.ts'
import { firstUserId } from '../support/ids.ts'
import { expectEventsCounted } from '../support/invariants.ts'
import { jobIn } from '../support/objects.ts'
import { Receiver } from '../support/receiver.ts'
import { droppedCount, eventsByOwner, purged, record } from '../support/recording.ts'

beforeEach(emptyOutboxes)

const LIMITS = { MAX_EVENTS: 40, MAX_EVENTS_PER_USER: 1_000 }

describe('an outbox', () => {
  it('takes as many events as it may hold, drops the others, and counts them', async () => {
    for (let users = 0; users < 50; users++) await record(firstUserId(), 1, LIMITS)
    expect(await countOf('outbox')).toBe(40)
    expect(await droppedCount()).toBe(10)
    await expectEventsCounted()
  })

  it('takes as many events of one user as one may have, also those of one statement', async () => {
    const [ada, bob] = [firstUserId(), firstUserId()]
    await record(ada, 25, { MAX_EVENTS_PER_USER: 20 })
    await record(ada, 1, { MAX_EVENTS_PER_USER: 20 })
    await record(bob, 1, { MAX_EVENTS_PER_USER: 20 })
    expect(await eventsByOwner()).toEqual({ [ada]: 20, [bob]: 1 })
    expect(await droppedCount()).toBe(6)
    await expectEventsCounted()
  })

  it('keeps room for the others: a user never has more than there is left', async () => {
    const [ada, bob, cleo] = [firstUserId(), firstUserId(), firstUserId()]
    for (const user of [ada, bob]) await record(user, 200, { MAX_EVENTS: 120, MAX_EVENTS_PER_USER: 1_000 })
    const events = await eventsByOwner()
    expect([events[ada], events[bob]]).toEqual([60, 30])
    await record(cleo, 1, { MAX_EVENTS: 120 })
    expect((await eventsByOwner())[cleo]).toBe(1)
  })

  it('takes events again once others were delivered, parked ones count', async () => {
    const receiver = new Receiver()
    for (let users = 0; users < 40; users++) await record(firstUserId(), 1, LIMITS)
    await park(
      (await outboxRows()).map(({ id }) => id),
      now(),
    )
    await record(firstUserId(), 1, LIMITS)
    expect(await droppedCount()).toBe(1)
    await expectEventsCounted()
    await emptyOutboxes()
    await record(firstUserId(), 40, { MAX_EVENTS: 100 })
    await expectEventsCounted()
    await deliver(deliveryTo(receiver).ctx, 'DB')
    await expectEventsCounted()
    expect(await countOf(`outbox_counts WHERE owner_id <> ''`)).toBe(0)
  })

  it('costs a row more an event, and two from the 17th event of a user on', async () => {
    const [ada, metrics] = [firstUserId(), noMetrics()]
    const costOf = async (act: (databases: Databases) => Promise<unknown>) => {
      const before = metrics.rows_written
      await act(new Databases(databasesOf(env), { timeout_ms: 10_000, metrics }))
      return metrics.rows_written - before
    }
    const recording = (databases: Databases) => {
      const ctx = contextOf(ada, { databases }, configWithEvents())
      return ctx.db.write(purged(ctx, [newId(ada)]))
    }
    const delivery = (databases: Databases) => deliver(deliveryTo(new Receiver(), { databases }).ctx, 'DB')
    // The event, two entries of indexes, and the count of all.
    expect(await costOf(recording)).toBe(4)
    // The claim, with an entry of an index; the removal, and the count.
    expect(await costOf(delivery)).toBe(4)
    await record(ada, 20)
    expect(await costOf(recording)).toBe(5)
  })

  it('never refuses what the event tells of', async () => {
    const ada = contextOf(firstUserId(), {}, configWithEvents({ MAX_EVENTS: 0 }))
    const { id } = await createAsset(ada, { name: 'castle', type: 'world', visibility: 'public' })
    expect(await countOf('game_assets WHERE id = ?', id)).toBe(1)
    expect(await countOf('outbox')).toBe(0)
    expect(await droppedCount()).toBeGreaterThanOrEqual(2)
  })

  it('drops events of inboxes too, and takes their messages off the queue', async () => {
    const { databases, config } = contextOf('nobody', {}, configWithEvents({ MAX_EVENTS: 1 }))
    const events = Array.from({ length: 3 }, () => {
      const [user_id, notification_id] = [firstUserId(), crypto.randomUUID()]
      const data = { notification_id, user_id, type: 'gift' }
      const type = 'notification.undelivered' as const
      return { id: newId(user_id), type, resource_id: notification_id, data, created_at: now() }
    })
    const taken = await storeQueuedEvents({ databases, config }, events)
    expect(taken.flatMap(({ ids }) => ids)).toHaveLength(3)
    // One that is there already is not dropped when it comes once more.
    await storeQueuedEvents({ databases, config }, events.slice(0, 1))
    expect(await countOf('outbox')).toBe(1)
    expect(await droppedCount()).toBe(2)
  })

  it('takes the end of an erasure from a user who has too many', async () => {
    const ada = firstUserId()
    await record(ada, 30, { MAX_EVENTS_PER_USER: 20 })
    const erased = (limits: Partial<Config>) => {
      const ctx = contextOf(ada, {}, configWithEvents(limits))
      return ctx.db.write(
        eventWriter('user.erased', () => ({
          resource_id: sql`${ada}`,
          partition: sql`${partitionOf(ada)}`,
          data: { user_id: ada },
          from: sql`FROM (SELECT 1)`,
        }))(ctx, {}),
      )
    }
    await erased({ MAX_EVENTS_PER_USER: 20 })
    expect(await countOf(`outbox WHERE type = 'user.erased'`)).toBe(1)
    await erased({ MAX_EVENTS: 21 })
    expect(await countOf('outbox'), 'not into a full outbox').toBe(21)
  })
})

describe('events that were dropped', () => {
  const job = (variables = {}) => {
    const { config } = deliveryTo(new Receiver()).ctx
    return { ...jobIn(0), config: { ...config, ...variables } }
  }
  const toldEvents = async () => (await outboxRows()).filter(({ type }) => type === 'events.dropped')

  it('are told by one event with their number and time, and by a line in the log', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const receiver = new Receiver()
    for (let users = 0; users < 43; users++) await record(firstUserId(), 1, LIMITS)
    const { queue, sent } = silentQueue()
    expect(await wakeAfterJob(job(), queue)).toMatchObject({ waiting: 40, dropped: 3 })
    const line = { message: 'events were dropped', database: 'DB', events: 3 }
    expect(log.mock.calls.map(([text]) => JSON.parse(String(text)))).toEqual([expect.objectContaining(line)])
    expect(sent).toEqual([{ kind: 'events', database: 'DB' }])
    expect(await droppedCount()).toBe(0)
    await wakeAfterJob(job(), queue)
    expect(log).toHaveBeenCalledOnce()
    await expectEventsCounted()
    await deliver(deliveryTo(receiver).ctx, 'DB')
    const bodies = (await receiver.arrivals()).map(({ body }) => JSON.parse(body))
    const about = bodies.filter(({ type }) => type === 'events.dropped')
    expect(about).toMatchObject([{ data: { events: 3 } }])
    const [{ data }] = about
    expect(Object.keys(data)).toEqual(['events', 'from', 'until'])
    expect(data.from).toBeGreaterThan(now() - 60)
    expect(data.until).toBeGreaterThanOrEqual(data.from)
    expect(await outboxRows()).toEqual([])
  })

  it('are told once the receiver answers again, and by one event at a time', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const receiver = new Receiver()
    await receiver.does({ status: 503 })
    for (let users = 0; users < 41; users++) await record(firstUserId(), 1, LIMITS)
    await deliver(deliveryTo(receiver).ctx, 'DB')
    await wakeAfterJob(job(), undefined)
    expect(await toldEvents()).toEqual([])
    await record(firstUserId(), 1, LIMITS)
    await receiver.does({})
    await deliver(deliveryTo(receiver, { now_ms: () => Date.now() + 3_600_000 }).ctx, 'DB')
    await wakeAfterJob(job(), undefined)
    expect(await toldEvents()).toHaveLength(1)
    // More are dropped before that one was delivered: they wait for the next.
    await record(firstUserId(), 1, { MAX_EVENTS: 0 })
    await wakeAfterJob(job(), undefined)
    expect(await toldEvents()).toHaveLength(1)
    expect(await droppedCount()).toBe(1)
    await deliver(deliveryTo(receiver).ctx, 'DB')
    await wakeAfterJob(job(), undefined)
    await deliver(deliveryTo(receiver).ctx, 'DB')
    const told = (await receiver.arrivals()).flatMap(({ body }) => {
      const { type, data } = JSON.parse(body)
      return type === 'events.dropped' ? [data.events] : []
    })
    expect(told).toEqual([2, 1])
  })

  it('are told by the log alone when that event is not wanted', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    await record(firstUserId(), 1, { MAX_EVENTS: 0 })
    await wakeAfterJob(job({ ...webhook, WEBHOOK_EVENTS: ['file.purged'] }), undefined)
    expect(log).toHaveBeenCalledOnce()
    expect(await outboxRows()).toEqual([])
    expect(await droppedCount()).toBe(0)
  })
})
