import { createExecutionContext, createMessageBatch, env, getQueueResult } from 'cloudflare:test'
import { beforeEach, describe, expect, it } from 'vitest'
import worker from '../../src/index.ts'
import { deliver } from '../../src/operators/events/deliver.ts'
import { newId } from '../../src/platform/db/id.ts'
import { CONNECTIONS } from '../../src/platform/lib/pool.ts'
import { signUpCreator } from '../support/creator.ts'
import { databaseOf, overEvery } from '../support/databases.ts'
import { deliveryTo, emptyOutboxes, now, outboxRows, SECRET, seedEvents } from '../support/delivery.ts'
import { silentQueue } from '../support/events.ts'
import { newUserId } from '../support/ids.ts'
import { overridden } from '../support/meter.ts'
import { Receiver } from '../support/receiver.ts'
import { serviceWith } from '../support/service.ts'

beforeEach(emptyOutboxes)

/** An event of an inbox, as its object sends it. */
function notification(user_id = newUserId()) {
  const data = { notification_id: crypto.randomUUID(), user_id, type: 'friend_request' }
  const event = {
    id: newId(user_id),
    type: 'notification.undelivered',
    resource_id: user_id,
    created_at: now(),
    data,
  }
  return { kind: 'notification', event }
}

/** What the Worker's queue handler makes of messages. */
async function handled(bodies: unknown[], different: object) {
  const messages = bodies.map((body, index) => ({
    id: String(index),
    timestamp: new Date(),
    attempts: index + 1,
    body,
  }))
  const batch = createMessageBatch('edge-game-storage-events', messages)
  const ctx = createExecutionContext()
  await worker.queue(batch, { ...env, ...different }, ctx)
  const { explicitAcks, retryMessages } = await getQueueResult(batch, ctx)
  return { acks: explicitAcks, retries: retryMessages }
}

const receiving = ({ url }: Receiver) => ({
  WEBHOOK_URL: url,
  WEBHOOK_SECRET: SECRET,
  EVENTS: silentQueue().queue,
})

describe('a batch of the queue', () => {
  it('delivers what waits in the databases that it names, and what comes from inboxes, in one go', async () => {
    const receiver = new Receiver()
    const waiting = await seedEvents(2)
    const undelivered = [notification(), notification(), notification()]
    const wake = { kind: 'events', database: 'DB' }
    const bodies = [wake, ...undelivered, wake]
    expect(await handled(bodies, receiving(receiver))).toEqual({ acks: expect.any(Array), retries: [] })
    const ids = [...waiting, ...undelivered.map(({ event }) => event.id)]
    expect((await receiver.ids()).toSorted()).toEqual(ids.toSorted())
    const body = (await receiver.arrivals()).find(({ body }) => body.includes('undelivered'))?.body
    expect(JSON.parse(body ?? '')).toMatchObject({
      type: 'notification.undelivered',
      data: { type: 'friend_request' },
    })
    expect(await outboxRows()).toEqual([])
  })

  it('takes an event of an inbox once, however often its message comes before it is delivered', async () => {
    const receiver = new Receiver()
    await receiver.does({ status: 500 })
    const message = notification()
    for (let times = 0; times < 3; times++) await handled([message, message], receiving(receiver))
    expect(await outboxRows()).toEqual([expect.objectContaining({ id: message.event.id, attempts: 1 })])
  })

  it('puts back the event of an inbox that its database did not take, and a kind that it does not know', async () => {
    const message = notification()
    const broken = overEvery((database) =>
      overridden(database, {
        withSession: () => {
          const session = database.withSession()
          return overridden(session, { batch: () => Promise.reject(new Error('D1_ERROR: out of reach')) })
        },
      }),
    )
    const answer = await handled([message, { kind: 'of a later version' }], {
      ...receiving(new Receiver()),
      ...broken,
    })
    expect(answer.acks).toEqual([])
    expect(answer.retries.map(({ msgId }) => msgId)).toEqual(['0', '1'])
    expect(await databaseOf(message.event.id).prepare('SELECT id FROM outbox').all()).toMatchObject({
      results: [],
    })
  })

  it('waits for its configuration', async () => {
    const { acks, retries } = await handled([notification()], {
      WEBHOOK_URL: 'http://example.com',
      EVENTS: undefined,
    })
    expect({ acks, retries: retries.length }).toEqual({ acks: [], retries: 1 })
  })
})

it('a request that writes an event is answered while the queue hangs', async () => {
  const EVENTS = overridden(env.EVENTS, { sendBatch: () => new Promise(() => {}) })
  const ada = await signUpCreator('ada', serviceWith({ ...receiving(new Receiver()), EVENTS }))
  await ada.asset('one')
  expect((await outboxRows()).map(({ type }) => type)).toContain('asset.created')
})

describe('two deliveries at once', () => {
  it('send each event once', async () => {
    const receiver = new Receiver()
    const things = await Promise.all(Array.from({ length: 20 }, () => seedEvents(3)))
    await Promise.all([1, 2, 3].map(() => deliver(deliveryTo(receiver).ctx, 'DB')))
    const ids = await receiver.ids()
    expect(ids.toSorted()).toEqual(things.flat().toSorted())
    for (const thing of things) expect(ids.filter((id) => thing.includes(id))).toEqual(thing)
  })

  it('begin nothing that would end after their claim', async () => {
    await Promise.all(Array.from({ length: 24 }, () => seedEvents(1)))
    const from = now()
    let clock = from
    const begun: number[] = []
    const { ctx } = deliveryTo(new Receiver(), {
      now_ms: () => clock * 1_000,
      post: async () => {
        begun.push(clock)
        clock += 10
        return { reason: 'too slow' }
      },
    })
    expect((await deliver(ctx, 'DB')).failed).toBe(begun.length)
    expect(begun.length).toBeGreaterThan(0)
    expect(begun.length).toBeLessThan(24)
    const [row] = await outboxRows()
    expect(row?.next_at).toBeGreaterThan(from)
    for (const time of begun) expect(time + 15).toBeLessThan(from + 90)
  })

  it('that fail pause once, and for no longer than one', async () => {
    await Promise.all(Array.from({ length: 72 }, () => seedEvents(1)))
    const from = now()
    const all = Promise.withResolvers<void>()
    let begun = 0
    const { ctx } = deliveryTo(new Receiver(), {
      now_ms: () => from * 1_000,
      post: async () => {
        begun++
        if (begun === 3 * CONNECTIONS) all.resolve()
        await all.promise
        return { reason: 'out' }
      },
    })
    const sums = await Promise.all([1, 2, 3].map(() => deliver(ctx, 'DB')))
    expect(sums.map(({ failed }) => failed)).toEqual([24, 24, 24])
    const pause = env.DB.prepare(`SELECT position FROM progress WHERE task = 'event_pause'`)
    expect(JSON.parse(String(await pause.first('position')))).toEqual({ until: from + 5, failures: 1 })
  })

  it('leave alone what another one has claimed since', async () => {
    const receiver = new Receiver()
    await seedEvents(1)
    const from = now()
    const second = deliveryTo(receiver, {
      now_ms: () => (from + 200) * 1_000,
      post: async () => ({ reason: 'of the second' }),
    })
    const first = deliveryTo(receiver, {
      now_ms: () => from * 1_000,
      post: async () => {
        await deliver(second.ctx, 'DB')
        return undefined
      },
    })
    await deliver(first.ctx, 'DB')
    expect(await outboxRows()).toEqual([
      expect.objectContaining({ attempts: 2, last_error: 'of the second' }),
    ])
  })
})
