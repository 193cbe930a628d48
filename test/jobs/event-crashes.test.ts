import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, inject, it } from 'vitest'
import { createAsset } from '../../src/features/assets/create.ts'
import { signedPost } from '../../src/operators/events/signed-post.ts'
import { wakeDelivery } from '../../src/platform/events/wake.ts'
import { contextOf } from '../support/context.ts'
import { everywhere } from '../support/databases.ts'
import { deliveryTo, emptyOutboxes, now, outboxRows, seedEvents } from '../support/delivery.ts'
import { firstUserId } from '../support/ids.ts'
import { overridden } from '../support/meter.ts'
import { type Around, atEachCall, atEachMoment, deathAt, isDeath } from '../support/mortal.ts'
import { Receiver } from '../support/receiver.ts'
import { chanceOf, seeded } from '../support/seeded.ts'
import { SimulatedQueue } from './simulated-queue.ts'

/** How many consumers `npm run prove -- events` has die, and how many requests; 0: a few. */
const { seed, amount } = inject('proof')
const LONG_MS = 3_600_000

beforeEach(emptyOutboxes)

describe('a crash', () => {
  it(
    'of a consumer, at any of its calls, loses no event, and none overtakes another of its thing',
    async () => {
      // It ends its only message after all of its calls, so nothing lies between one call and the next.
      const deaths = await atEachMoment(async (at, when) => {
        await emptyOutboxes()
        const receiver = new Receiver()
        const things = await Promise.all([seedEvents(3), seedEvents(2), seedEvents(1)])
        const queue = new SimulatedQueue(deliveryTo(receiver).ctx, now())
        await queue.binding.send({ kind: 'events', database: 'DB' })
        const isDead = await consumeUntilDeath(queue, at, when)
        await queue.settle()
        await expectAll(receiver, things)
        return isDead
      })
      expect(deaths).toBeGreaterThanOrEqual(1 + 10)
    },
    LONG_MS,
  )

  it(
    'of a request, before or after its batch or its message to the queue, leaves an event for each asset, and for no other',
    async () => {
      for (let round = 0; round < Math.max(4, amount); round++) {
        await emptyOutboxes()
        const receiver = new Receiver()
        const { config } = deliveryTo(receiver).ctx
        const queue = new SimulatedQueue(deliveryTo(receiver).ctx, now())
        const work = contextOf(firstUserId(), {}, config)
        const life = deathAt(1 + (round % 2), round % 4 < 2 ? 'before' : 'after')
        const request = async () => {
          const { databases } = work
          await createAsset(atEachCall(work, life), { name: 'one', type: 'world', visibility: 'private' })
          const sendBatch = life(queue.binding.sendBatch)
          await wakeDelivery(overridden(env.EVENTS, { sendBatch }), databases.eventsIn)
        }
        // A death at the message ends no request: what could not be sent is only noted.
        await request().catch((error: unknown) => expect(isDeath(error)).toBe(true))
        await queue.settle()
        const ids = (
          await everywhere<{ id: string }>('SELECT id FROM game_assets WHERE owner_id = ?', work.user_id)
        ).map(({ id }) => id)
        const arrived = (await receiver.arrivals()).map(({ body }) => JSON.parse(body).data.asset_id)
        expect(arrived).toEqual(ids)
      }
    },
    LONG_MS,
  )

  it(
    'of consumers by chance, two at a time, while the receiver fails by chance',
    async () => {
      const most = amount || 5
      let deaths = 0
      for (let round = 0; deaths < most; round++) {
        const random = seeded(seed + round)
        const by = (end: number) => Math.floor(random() * end)
        await emptyOutboxes()
        const receiver = new Receiver()
        const things = await Promise.all(Array.from({ length: 8 }, () => seedEvents(1 + by(5))))
        const delivery = deliveryTo(receiver).ctx
        const attempts = new Map<string, number>()
        const post: typeof signedPost = async (url, secrets, event, ...rest) => {
          const name = nameIn(things, event.id)
          const attempt = (attempts.get(name) ?? 0) + 1
          attempts.set(name, attempt)
          const isBy = (part: number, what: string) => chanceOf(seed + round, name, attempt, what) < 1 / part
          if (isBy(4, 'refused')) return { reason: 'refused by chance' }
          const refusal = await signedPost(url, secrets, event, ...rest)
          return isBy(8, 'lost') ? { reason: 'the answer was lost by chance' } : refusal
        }
        const queue = new SimulatedQueue({ ...delivery, post }, now())
        for (let waves = 0; waves < 4; waves++) {
          const consumers: Promise<boolean>[] = []
          for (let count = 0; count < 2; count++) {
            await queue.binding.send({ kind: 'events', database: 'DB' })
            consumers.push(consumeUntilDeath(queue, 1 + by(25), by(2) === 0 ? 'before' : 'after'))
          }
          for (const isDead of await Promise.all(consumers)) if (isDead) deaths++
          queue.clock += by(200)
        }
        await queue.settle()
        await expectAll(receiver, things)
      }
      console.log(`${deaths} consumers died`)
    },
    LONG_MS,
  )
})

/** The place of an event among those of a round: the same for the same seed, which its id is not. */
function nameIn(things: readonly string[][], id: string): string {
  const thing = things.findIndex((ids) => ids.includes(id))
  return `${thing} ${things[thing]?.indexOf(id)}`
}

/** Lets a consumer live until its `at`th call. Returns whether it came to that. */
async function consumeUntilDeath(
  queue: SimulatedQueue,
  at: number,
  when: 'before' | 'after',
): Promise<boolean> {
  const life = deathAt(at, when)
  let isDead = false
  const calls: Promise<unknown>[] = []
  const around: Around = (call) => {
    const mortal = life(call)
    return (...args) => {
      const answer = mortal(...args)
      calls.push(
        answer.catch((error: unknown) => {
          isDead ||= isDeath(error)
        }),
      )
      return answer
    }
  }
  await queue.consume(around)
  // What it had sent arrives, though nobody hears of it.
  await Promise.all(calls)
  return isDead
}

/** Each event has arrived, those of one thing in their order: repeated ones too. */
async function expectAll(receiver: Receiver, things: readonly string[][]): Promise<void> {
  expect(await outboxRows()).toEqual([])
  const ids = await receiver.ids()
  for (const thing of things) {
    const places = ids.filter((id) => thing.includes(id)).map((id) => thing.indexOf(id))
    expect([...new Set(places)]).toEqual(thing.map((_, index) => index))
    expect(places).toEqual(places.toSorted((one, other) => one - other))
  }
}
