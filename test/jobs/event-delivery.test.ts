import { Webhook } from 'standardwebhooks'
import { beforeEach, describe, expect, it } from 'vitest'
import { deliver } from '../../src/operators/events/deliver.ts'
import { signedPost } from '../../src/operators/events/signed-post.ts'
import { deliveryTo, emptyOutboxes, now, outboxRows, SECRET, seedEvents } from '../support/delivery.ts'
import { firstUserId } from '../support/ids.ts'
import { type Arrival, Receiver } from '../support/receiver.ts'

const DAY = 86_400

beforeEach(emptyOutboxes)

describe('delivering events', () => {
  it('posts each, signed, with a body that says what and when, and forgets it', async () => {
    const receiver = new Receiver()
    const [id = ''] = await seedEvents(1, { resource_id: firstUserId(), created_at: 1_700_000_000 })
    const { ctx, sent } = deliveryTo(receiver)
    expect(await deliver(ctx, 'DB')).toEqual({ delivered: 1, failed: 0, parked: 0 })
    const [arrival] = await receiver.arrivals()
    expect(arrival?.headers).toMatchObject({ 'content-type': 'application/json', 'webhook-id': id })
    expect(verified(arrival)).toEqual({
      type: 'user.erased',
      timestamp: '2023-11-14T22:13:20.000Z',
      data: { user_id: expect.any(String), number: 1 },
    })
    expect(await outboxRows()).toEqual([])
    expect(sent).toEqual([])
  })

  it('signs with both secrets while one is being changed', async () => {
    const receiver = new Receiver()
    const other = `whsec_${btoa('another secret of the tests, the next one')}`
    const { ctx } = deliveryTo(receiver)
    await seedEvents(1)
    await deliver({ ...ctx, config: { ...ctx.config, WEBHOOK_SECRET: [SECRET, other] } }, 'DB')
    const [arrival] = await receiver.arrivals()
    for (const secret of [SECRET, other])
      expect(verified(arrival, secret)).toMatchObject({ type: 'user.erased' })
    const stranger = `whsec_${btoa('a secret that the service does not have')}`
    expect(() => verified(arrival, stranger)).toThrow('No matching signature found')
  })

  it('is given a body that another signature does not fit', async () => {
    const receiver = new Receiver()
    await seedEvents(1)
    await deliver(deliveryTo(receiver).ctx, 'DB')
    const [arrival] = await receiver.arrivals()
    const forged = arrival && { ...arrival, body: arrival.body.replace('user.erased', 'user.created') }
    expect(() => verified(forged)).toThrow('No matching signature found')
  })

  it('sends the events of one thing in their order, and all of many things', async () => {
    const receiver = new Receiver()
    const things = await Promise.all(Array.from({ length: 30 }, () => seedEvents(5)))
    const { ctx } = deliveryTo(receiver)
    expect((await deliver(ctx, 'DB')).delivered).toBe(150)
    const ids = await receiver.ids()
    expect(ids).toHaveLength(150)
    for (const thing of things) expect(ids.filter((id) => thing.includes(id))).toEqual(thing)
    expect(await outboxRows()).toEqual([])
  })

  it('sends nothing, and asks nothing, when it is not configured', async () => {
    const { ctx } = deliveryTo(new Receiver())
    await seedEvents(1)
    await deliver({ ...ctx, config: { ...ctx.config, WEBHOOK_URL: undefined } }, 'DB')
    expect(ctx.databases.statements).toBe(0)
  })
})

describe('a receiver that fails', () => {
  it('is asked again after pauses that grow, and the events behind wait', async () => {
    const receiver = new Receiver()
    await receiver.does({ status: 500 })
    const [first = ''] = await seedEvents(2)
    let clock = now()
    const pauses: number[] = []
    for (let attempts = 1; attempts <= 9; attempts++) {
      const { ctx, sent } = deliveryTo(receiver, { now_ms: () => clock * 1_000 })
      expect(await deliver(ctx, 'DB')).toEqual({ delivered: 0, failed: 1, parked: 0 })
      const row = (await outboxRows()).find(({ id }) => id === first)
      expect(row).toMatchObject({ attempts, last_error: 'answered 500' })
      const pause = (row?.next_at ?? 0) - clock
      expect(sent).toEqual([{ message: { kind: 'events', database: 'DB' }, delay: pause }])
      pauses.push(pause)
      // Nothing is due a second before.
      clock += pause - 1
      expect(await deliver(ctx, 'DB')).toEqual({ delivered: 0, failed: 0, parked: 0 })
      clock += 1
    }
    const planned = [5, 60, 300, 1_800, 7_200, 21_600, 21_600, 21_600, 21_600]
    for (const [index, pause] of pauses.entries()) {
      expect(pause).toBeGreaterThanOrEqual(planned[index] ?? 0)
      expect(pause).toBeLessThanOrEqual((planned[index] ?? 0) * 1.1 + 1)
    }
    expect(await receiver.ids()).toEqual(Array.from({ length: 9 }, () => first))
  })

  it('gets each event again with the same id and body, and a timestamp and signature of its own', async () => {
    const receiver = new Receiver()
    await receiver.does({ status: 500 })
    await seedEvents(1, { created_at: now() - 60 })
    let clock = Date.now() - 20_000
    const { ctx } = deliveryTo(receiver, { now_ms: () => clock })
    await deliver(ctx, 'DB')
    clock += 10_000
    await deliver(ctx, 'DB')
    const [one, two] = await receiver.arrivals()
    for (const arrival of [one, two]) expect(verified(arrival)).toMatchObject({ type: 'user.erased' })
    expect(two?.body).toBe(one?.body)
    expect(two?.headers['webhook-id']).toBe(one?.headers['webhook-id'])
    expect(two?.headers['webhook-timestamp']).not.toBe(one?.headers['webhook-timestamp'])
  })

  it('has it parked after three days, and then the event behind it goes', async () => {
    const receiver = new Receiver()
    await receiver.does({ status: 500, about: '"number":1' })
    const created_at = now() - 10
    const [first = '', second = ''] = await seedEvents(2, { created_at })
    let clock = now()
    for (let rounds = 0; rounds < 30; rounds++) {
      await deliver(deliveryTo(receiver, { now_ms: () => clock * 1_000 }).ctx, 'DB')
      const [row] = (await outboxRows()).filter(({ id }) => id === first)
      if (row?.parked_at !== null) break
      clock = row.next_at
    }
    const { ctx, sent } = deliveryTo(receiver, { now_ms: () => clock * 1_000 })
    await deliver(ctx, 'DB')
    expect(sent).toEqual([])
    expect(await outboxRows()).toEqual([
      expect.objectContaining({ id: first, parked_at: created_at + 3 * DAY, last_error: 'answered 500' }),
    ])
    expect((await receiver.ids()).at(-1)).toBe(second)
  })

  it('gets five attempts for an event that had to wait for three days', async () => {
    const receiver = new Receiver()
    await receiver.does({ status: 500 })
    await seedEvents(1, { created_at: now() - 3 * DAY })
    let clock = now()
    for (let attempts = 1; attempts <= 5; attempts++) {
      const { parked } = await deliver(deliveryTo(receiver, { now_ms: () => clock * 1_000 }).ctx, 'DB')
      expect(parked).toBe(attempts === 5 ? 1 : 0)
      clock = (await outboxRows())[0]?.next_at ?? 0
    }
  })

  it('says when it wants to be asked again, from 5 seconds to 6 hours', async () => {
    const clock = now()
    const inAnHour = new Date((clock + 3_600) * 1_000).toUTCString()
    const wishes = { '120': 120, '0': 5, '999999': 21_600, [inAnHour]: 3_600 }
    for (const [wish, pause] of Object.entries(wishes)) {
      await emptyOutboxes()
      const receiver = new Receiver()
      await receiver.does({ status: 429, headers: { 'Retry-After': wish } })
      await seedEvents(1, { created_at: clock })
      await deliver(deliveryTo(receiver, { now_ms: () => clock * 1_000 }).ctx, 'DB')
      expect((await outboxRows())[0]?.next_at, wish).toBe(clock + pause)
    }
  })

  it.each([
    [{ status: 410 }, 'answered 410'],
    [
      { status: 302, headers: { Location: 'http://127.0.0.1:1/' } },
      'answered 302, and redirects are not followed',
    ],
    [{ does: 'hang' }, 'no answer within 0.3 s'],
  ] as const)('keeps an event to which it does %j', async (behaviour, last_error) => {
    const receiver = new Receiver()
    await receiver.does(behaviour)
    await seedEvents(1)
    await deliver(
      deliveryTo(receiver, { post: (url, secrets, message) => signedPost(url, secrets, message, 300) }).ctx,
      'DB',
    )
    expect(await outboxRows()).toEqual([expect.objectContaining({ attempts: 1, last_error })])
  })

  it('follows no redirect', async () => {
    const [receiver, other] = [new Receiver(), new Receiver()]
    await receiver.does({ status: 307, headers: { Location: other.url } })
    await seedEvents(1)
    await deliver(deliveryTo(receiver).ctx, 'DB')
    expect(await receiver.ids()).toHaveLength(1)
    expect(await other.ids()).toEqual([])
  })

  it('keeps an event when nobody listens, and does not write the address down', async () => {
    await seedEvents(1)
    const { ctx } = deliveryTo(new Receiver())
    const url = 'http://127.0.0.1:1/with-a-secret'
    await deliver({ ...ctx, config: { ...ctx.config, WEBHOOK_URL: url } }, 'DB')
    const [row] = await outboxRows()
    expect(row?.last_error).toMatch(/^could not be reached/)
    expect(row?.last_error).not.toContain('with-a-secret')
  })

  it('holds up no event of another thing', async () => {
    const receiver = new Receiver()
    const bad = await seedEvents(3, { type: 'quota.threshold' })
    const good = (await Promise.all(Array.from({ length: 40 }, () => seedEvents(2)))).flat()
    await receiver.does({ does: 'hang', about: 'quota.threshold' })
    const { ctx } = deliveryTo(receiver, {
      post: (url, secrets, message) =>
        signedPost(url, secrets, message, message.body.includes('quota.threshold') ? 300 : undefined),
    })
    expect(await deliver(ctx, 'DB')).toEqual({ delivered: 80, failed: 1, parked: 0 })
    expect((await receiver.ids()).filter((id) => id !== bad[0]).toSorted()).toEqual(good.toSorted())
    expect((await outboxRows()).map(({ id }) => id)).toEqual(bad.toSorted())
  })

  it('holds up no event of another thing with a round of events that are all behind the one that fails', async () => {
    const receiver = new Receiver()
    const [ada, bob] = [firstUserId(), firstUserId()]
    await receiver.does({ status: 500, about: ada })
    await seedEvents(30, { resource_id: ada, created_at: now() - 100 })
    const [id] = await seedEvents(1, { resource_id: bob, created_at: now() - 50 })
    const { delivered, failed } = await deliver(deliveryTo(receiver).ctx, 'DB')
    expect({ delivered, failed }).toEqual({ delivered: 1, failed: 1 })
    expect(await receiver.ids()).toContain(id)
  })
})

describe('a receiver for which everything fails', () => {
  it('is asked by a few events after pauses of up to a minute, and gets everything when it is back', async () => {
    const receiver = new Receiver()
    await receiver.does({ status: 503 })
    const ids = (await Promise.all(Array.from({ length: 100 }, () => seedEvents(1)))).flat()
    let clock = now()
    const posts: number[] = []
    const pauses: number[] = []
    for (let rounds = 0; rounds < 8; rounds++) {
      const { ctx, sent } = deliveryTo(receiver, { now_ms: () => clock * 1_000 })
      posts.push((await deliver(ctx, 'DB')).failed)
      // Whoever else is woken meanwhile sends nothing.
      expect(await deliver(ctx, 'DB')).toEqual({ delivered: 0, failed: 0, parked: 0 })
      const pause = sent[0]?.delay ?? 0
      pauses.push(pause)
      clock += pause
    }
    expect(posts).toEqual([24, 6, 6, 6, 6, 6, 6, 6])
    expect(pauses).toEqual([5, 10, 20, 40, 60, 60, 60, 60])
    await receiver.does({})
    clock += 3_600
    await deliver(deliveryTo(receiver, { now_ms: () => clock * 1_000 }).ctx, 'DB')
    expect(await outboxRows()).toEqual([])
    expect(new Set(await receiver.ids())).toEqual(new Set(ids))
  })

  it('does not stop the others when only a few events fail for their own sake', async () => {
    const receiver = new Receiver()
    await receiver.does({ status: 500, about: 'quota.threshold' })
    await Promise.all(Array.from({ length: 5 }, () => seedEvents(1, { type: 'quota.threshold' })))
    const { ctx } = deliveryTo(receiver)
    expect((await deliver(ctx, 'DB')).failed).toBe(5)
    const [id] = await seedEvents(1)
    expect((await deliver(ctx, 'DB')).delivered).toBe(1)
    expect(await receiver.ids()).toContain(id)
  })
})

/** What a receiver makes of a webhook: the library checks it, and throws when it is not genuine. */
function verified(arrival: Arrival | undefined, secret = SECRET): unknown {
  if (!arrival) throw new Error('nothing has arrived')
  return new Webhook(secret).verify(arrival.body, arrival.headers)
}
