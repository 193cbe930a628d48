import { env } from 'cloudflare:test'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { runScheduled } from '../../src/janitor/janitor.ts'
import { deliver } from '../../src/operators/events/deliver.ts'
import { wakeAfterJob } from '../../src/operators/events/tasks.ts'
import { countOf } from '../support/databases.ts'
import { deliveryTo, emptyOutboxes, now, outboxRows, park, seedEvents } from '../support/delivery.ts'
import { serviceWithEvents, silentQueue, webhook } from '../support/events.ts'
import { unknownId } from '../support/ids.ts'
import { jobIn } from '../support/objects.ts'
import { Receiver } from '../support/receiver.ts'
import { operator } from '../support/user.ts'

const DAY = 86_400

beforeEach(emptyOutboxes)
afterEach(() => vi.restoreAllMocks())

/** An operator, what the service sends to its queue, and a receiver that is delivered to on demand. */
async function scene() {
  const { service, sent } = serviceWithEvents()
  const olga = await operator('events:manage', service)
  const ask = async (method: string, path: string, body?: object) => {
    const answer = await olga.request(method, path, body === undefined ? {} : { json: body })
    expect(answer.status, answer.text).toBe(200)
    return answer.body
  }
  return { olga, sent, ask, receiver: new Receiver() }
}

/** Events that the receiver has refused for three days. */
async function parkedEvents(receiver: Receiver, count: number): Promise<string[]> {
  await receiver.does({ status: 500 })
  const ids = (
    await Promise.all(Array.from({ length: count }, () => seedEvents(1, { created_at: now() - 4 * DAY })))
  ).flat()
  for (let clock = now() - DAY; (await countOf('outbox WHERE parked_at IS NOT NULL')) < count; clock += 3_600)
    await deliver(deliveryTo(receiver, { now_ms: () => clock * 1_000 }).ctx, 'DB')
  await receiver.does({})
  return ids
}

describe('an operator', () => {
  it('sees what waits, since when, what is parked, and why', async () => {
    const { ask, receiver } = await scene()
    const [parked] = await parkedEvents(receiver, 1)
    const created_at = now() - 60
    const [waiting] = await seedEvents(1, { created_at })
    expect(await ask('GET', '/events')).toMatchObject({
      is_configured: true,
      databases: expect.arrayContaining([
        {
          database: 'DB',
          waiting: 1,
          parked: 1,
          oldest_at: created_at,
          oldest_parked_at: expect.any(Number),
          dropped: 0,
        },
      ]),
      waiting: [{ database: 'DB', id: waiting, attempts: 0, last_error: null, parked_at: null }],
      parked: [
        { id: parked, type: 'user.erased', attempts: 5, last_error: 'answered 500', data: { number: 1 } },
      ],
    })
  })

  it('has a parked event sent again, which gets all its attempts anew', async () => {
    const { ask, sent, receiver } = await scene()
    const [id = '', other = ''] = await parkedEvents(receiver, 2)
    expect(await ask('POST', '/events/resend', { id })).toEqual({ events: 1, has_more: false })
    expect(sent).toEqual([{ kind: 'events', database: 'DB' }])
    await deliver(deliveryTo(receiver).ctx, 'DB')
    expect((await receiver.ids()).at(-1)).toBe(id)
    expect((await outboxRows()).map((row) => row.id)).toEqual([other])
    await receiver.does({ status: 500 })
    await ask('POST', '/events/resend', { id: other })
    await deliver(deliveryTo(receiver).ctx, 'DB')
    expect(await outboxRows()).toEqual([expect.objectContaining({ id: other, attempts: 1, parked_at: null })])
  })

  it('has all of them sent again, at once although everything had failed before', async () => {
    const { ask, sent, receiver } = await scene()
    const ids = await parkedEvents(receiver, 7)
    await receiver.does({ status: 500 })
    await Promise.all(Array.from({ length: 8 }, () => seedEvents(1)))
    await deliver(deliveryTo(receiver).ctx, 'DB')
    expect((await deliver(deliveryTo(receiver).ctx, 'DB')).failed, 'during the pause').toBe(0)
    await receiver.does({})
    const before = (await receiver.ids()).length
    expect(await ask('POST', '/events/resend', { all: true })).toEqual({ events: 7, has_more: false })
    expect(sent).toEqual([{ kind: 'events', database: 'DB' }])
    await deliver(deliveryTo(receiver).ctx, 'DB')
    expect((await receiver.ids()).slice(before)).toEqual(expect.arrayContaining(ids))
    expect(await ask('POST', '/events/resend', { all: true })).toEqual({ events: 0, has_more: false })
  })

  it('discards parked events, and no others', async () => {
    const { ask, receiver } = await scene()
    const [id = '', other = ''] = await parkedEvents(receiver, 2)
    const [waiting = ''] = await seedEvents(1)
    for (const name of [waiting, unknownId])
      expect(await ask('POST', '/events/discard', { id: name })).toEqual({ events: 0, has_more: false })
    expect(await ask('POST', '/events/discard', { id })).toEqual({ events: 1, has_more: false })
    expect((await outboxRows()).map((row) => row.id).toSorted()).toEqual([other, waiting].toSorted())
    expect(await ask('POST', '/events/discard', { all: true })).toEqual({ events: 1, has_more: false })
    expect((await outboxRows()).map((row) => row.id)).toEqual([waiting])
  })

  it.each([
    [{}, '/id', 'is missing: name one event by its id, or set all to true for all that are parked.'],
    [{ all: false }, '/all', 'must be true.'],
    [{ id: unknownId, all: true }, '/all', 'must not come with id: one event, or all that are parked.'],
    [{ id: 7 }, '/id', 'must be the id of an event.'],
    [{ id: null }, '/id', 'must be the id of an event.'],
    [{ id: '' }, '/id', 'must not be empty.'],
    [{ id: 'x'.repeat(101) }, '/id', 'must have at most 100 characters.'],
  ])('names one event, or all, and says what is wrong with %j', async (body, path, message) => {
    const { olga } = await scene()
    for (const verb of ['resend', 'discard']) {
      const answer = await olga.request('POST', `/events/${verb}`, { json: body })
      expect(answer).toBeProblem(400, 'VALIDATION_FAILED')
      expect(answer.body).toMatchObject({ errors: [{ in: 'body', path, message }] })
    }
    expect(await olga.request('GET', '/events?limit=0')).toBeProblem(400, 'VALIDATION_FAILED')
  })
})

describe('the job', () => {
  it('wakes the delivery when events are due, and tells what waits', async () => {
    const { queue, sent } = silentQueue()
    const { config } = deliveryTo(new Receiver()).ctx
    const job = { ...jobIn(0), config }
    expect(await wakeAfterJob(job, queue)).toEqual({
      waiting: 0,
      oldest_seconds: 0,
      parked: 0,
      oldest_parked_seconds: 0,
      dropped: 0,
    })
    await seedEvents(2, { created_at: now() + 60 })
    expect(await wakeAfterJob(job, queue)).toMatchObject({ waiting: 2, oldest_seconds: 0, parked: 0 })
    expect(sent).toEqual([])
    await seedEvents(1, { created_at: now() - 100 })
    const figures = await wakeAfterJob(job, queue)
    expect(figures).toMatchObject({ waiting: 3, parked: 0 })
    expect(figures?.oldest_seconds).toBeGreaterThanOrEqual(99)
    expect(sent).toEqual([{ kind: 'events', database: 'DB' }])
    await park(await seedEvents(2), now() - 100)
    const parked = await wakeAfterJob(job, queue)
    expect(parked).toMatchObject({ waiting: 3, parked: 2 })
    expect(parked?.oldest_parked_seconds).toBeGreaterThanOrEqual(99)
  })

  it('says it in its line of the log and to Analytics Engine, and nothing of it without events', async () => {
    await seedEvents(1)
    const log = vi.spyOn(console, 'log').mockImplementation(() => {})
    const points: unknown[] = []
    const METRICS = { writeDataPoint: (point: unknown) => void points.push(point) }
    await runScheduled({ ...env, ...webhook, METRICS, EVENTS: silentQueue().queue }, 'DB')
    const line = { events: { waiting: 1, oldest_seconds: expect.any(Number), parked: 0 } }
    expect(JSON.parse(String(log.mock.lastCall?.[0]))).toMatchObject({ message: 'the job ran', ...line })
    expect(points).toEqual([
      { indexes: ['job'], blobs: ['job', 'DB'], doubles: [1, expect.any(Number), 0, 0, 0] },
    ])
    await runScheduled({ ...env, METRICS }, 'DB')
    expect(JSON.parse(String(log.mock.lastCall?.[0]))).not.toHaveProperty('events')
    expect(points).toHaveLength(1)
  })
})
