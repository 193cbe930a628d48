import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it } from 'vitest'
import { type DeliveryContext, deliver } from '../../src/operators/events/deliver.ts'
import { newId } from '../../src/platform/db/id.ts'
import { noMetrics } from '../../src/platform/lib/metrics.ts'
import { Databases } from '../../src/platform/shards/databases.ts'
import { databasesOf } from '../../src/platform/shards/map.ts'
import { contextOf } from '../support/context.ts'
import { countOf } from '../support/databases.ts'
import { deliveryTo, emptyOutboxes, now } from '../support/delivery.ts'
import { configWithEvents } from '../support/events.ts'
import { firstUserId } from '../support/ids.ts'
import { Receiver } from '../support/receiver.ts'
import { purged, record } from '../support/recording.ts'

beforeEach(emptyOutboxes)

/** Delivers one round of at most 24 events at a time (Unix seconds). */
async function round(receiver: Receiver, clock = now(), different: Partial<DeliveryContext> = {}) {
  const { ctx } = deliveryTo(receiver, { now_ms: () => clock * 1_000, ...different })
  return deliver({ ...ctx, config: { ...ctx.config, JOB_CALLS: 24 } }, 'DB')
}

/** Whose events have arrived, in their order. */
async function owners(receiver: Receiver): Promise<string[]> {
  return (await receiver.arrivals()).map(({ body }) => /"owner_id":"([^"]+)"/.exec(body)?.[1] ?? '')
}

describe('the events of many owners', () => {
  it('do not wait for those that one of them has caused before: the next round has the one of another', async () => {
    const receiver = new Receiver()
    const [ada, bob] = [firstUserId(), firstUserId()]
    for (let batches = 0; batches < 4; batches++) await record(ada, 500)
    await round(receiver)
    await record(bob, 1)
    await round(receiver)
    expect(await owners(receiver)).toHaveLength(48)
    expect((await owners(receiver)).filter((owner) => owner === bob)).toHaveLength(1)
  })

  it('take turns, one event of each at a time', async () => {
    const receiver = new Receiver()
    const users = Array.from({ length: 4 }, firstUserId)
    for (const user of users) await record(user, 60)
    for (let rounds = 0; rounds < 5; rounds++) await round(receiver)
    const arrived = await owners(receiver)
    // Each owner's first 16 have the same turn. Then they alternate: half of what each has, at most a few more or less.
    for (const user of users)
      expect(Math.abs(arrived.filter((owner) => owner === user).length - 30)).toBeLessThanOrEqual(1)
  })

  it('wait for one event of each of many floods at most', async () => {
    const receiver = new Receiver()
    const floods = Array.from({ length: 20 }, firstUserId)
    for (const user of floods) await record(user, 40)
    for (let rounds = 0; rounds < 20; rounds++) await round(receiver)
    const bob = firstUserId()
    await record(bob, 1)
    await round(receiver)
    expect((await owners(receiver)).slice(-24)).toContain(bob)
  })

  it('do not wait for those of one owner that fail and come again', async () => {
    const receiver = new Receiver()
    const [ada, bob] = [firstUserId(), firstUserId()]
    await receiver.does({ status: 500, about: ada })
    const clock = now()
    await record(ada, 200)
    for (let rounds = 0; rounds < 20; rounds++) {
      await record(bob, 1)
      await round(receiver, clock + rounds * 60)
    }
    expect(await countOf('outbox WHERE attempts > 0')).toBe(200)
    // All of Ada's are due again.
    const before = (await owners(receiver)).length
    await record(bob, 12)
    await round(receiver, clock + 3_600)
    expect((await owners(receiver)).slice(before).filter((owner) => owner === bob)).toHaveLength(12)
  })

  it('come again beside any number of new ones', async () => {
    const receiver = new Receiver()
    const [ada, bob] = [firstUserId(), firstUserId()]
    await receiver.does({ status: 500, about: bob })
    await record(bob, 1)
    const clock = now()
    await round(receiver, clock)
    await receiver.does({})
    for (let batches = 0; batches < 4; batches++) await record(ada, 500)
    await round(receiver, clock + 120)
    expect((await owners(receiver)).filter((owner) => owner === bob)).toHaveLength(2)
  })

  it('come in the order of each thing, also when a later one has an earlier turn', async () => {
    const receiver = new Receiver()
    const ada = firstUserId()
    const ctx = contextOf(ada, {}, configWithEvents())
    const file = newId(ada)
    const noted: string[] = []
    for (let times = 0; times < 6; times++) {
      await record(ada, 20)
      await ctx.db.write(purged({ ...ctx, now_ms: ctx.now_ms + times }, [file]))
      noted.push(String(times))
      await round(receiver)
    }
    const clock = now()
    for (let rounds = 0; rounds < 30; rounds++) await round(receiver, clock + rounds)
    const arrivals = await receiver.arrivals()
    const ids = arrivals
      .filter(({ body }) => body.includes(file))
      .map(({ headers }) => headers['webhook-id'] ?? '')
    expect(ids).toHaveLength(noted.length)
    expect(ids).toEqual(ids.toSorted())
    expect(arrivals).toHaveLength(6 * 21)
  })
})

describe('a round', () => {
  it('reads as many rows beside 2,000 events as beside 200', async () => {
    const receiver = new Receiver()
    const readBeside = async (count: number) => {
      await emptyOutboxes()
      const ada = firstUserId()
      for (let left = count; left > 0; left -= 500) await record(ada, Math.min(left, 500))
      const metrics = noMetrics()
      const databases = new Databases(databasesOf(env), { timeout_ms: 10_000, metrics })
      await round(receiver, now(), { databases })
      return metrics.rows_read
    }
    const few = await readBeside(200)
    expect(await readBeside(2_000)).toBeLessThanOrEqual(few + 10)
  })
})
