import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { later } from '../support/announcements.ts'
import { made } from '../support/answer.ts'
import { Device, inboxOf } from '../support/device.ts'
import { declaredData, serviceWithEvents } from '../support/events.ts'
import { tokenFor } from '../support/identities.ts'
import { newUserId } from '../support/ids.ts'
import {
  alarmOf,
  countOf,
  type InboxObject,
  input,
  type keyNamed,
  newInbox,
  now,
  type QueuedEvent,
  ring,
  rulesAt,
  type Stub,
} from '../support/inbox.ts'
import { to } from '../support/notifications.ts'
import { records } from '../support/records.ts'
import { operator, signUp, User } from '../support/user.ts'

/** What the queue took, and how it answers: the binding of the objects has the same prototype as that of the tests. */
const queue = { taken: [] as QueuedEvent[], answer: async () => {} }
const prototype: typeof env.EVENTS = Object.getPrototypeOf(env.EVENTS)
const original = prototype.sendBatch

prototype.sendBatch = async (messages) => {
  await queue.answer()
  for (const { body } of messages) if (body.kind === 'notification') queue.taken.push(body.event)
  return { metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } } }
}
afterAll(() => {
  prototype.sendBatch = original
})
afterEach(() => vi.useRealTimers())
beforeEach(() => {
  queue.taken.length = 0
  queue.answer = async () => {}
})

const wanted = () => rulesAt(now(), { reports_undelivered: true })
const waiting = (inbox: Stub) => countOf(inbox, 'outbox')
const publishTo = async (inbox: Stub, rules = wanted(), key?: ReturnType<typeof keyNamed>) => {
  const { notification } = await inbox.publish(input, rules, key)
  if (!notification) throw new Error('the key is another’s')
  return notification
}
/** A new stub each time, since one is dead after an exception. */
const of = (name: string): Stub => env.INBOX.getByName(name)
/** Swallows the error of an object that has been killed. What it had not stored is lost. */
const killed = (error: unknown) => {
  if (!String(error).includes('killed')) throw error
}

describe('a publication to a user without a device', () => {
  it('is an event for the studio’s server, once, with ids and no names', async () => {
    const { service } = serviceWithEvents()
    const social = (await operator('notifications:publish')).through(service)
    const ada = await signUp('ada')
    const headers = { 'Idempotency-Key': crypto.randomUUID() }
    const published = []
    for (let i = 0; i < 3; i++)
      published.push(await social.request('POST', '/notifications', { json: to(ada), headers }))
    const { id, created_at } = made(records.Notification, published[0] ?? expect.fail(), 201)
    await expect.poll(() => waiting(inboxOf(ada))).toBe(0)
    expect(queue.taken).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/),
        type: 'notification.undelivered',
        resource_id: id,
        data: { notification_id: id, user_id: ada.id, type: 'friend_request' },
        created_at,
      },
    ])
    const [event] = queue.taken
    expect(declaredData('notification.undelivered', event?.data)).toEqual(event?.data)
    expect(event?.id.slice(20, 23), 'the partition of its database').toBe(id.slice(20, 23))
    expect(event?.id).not.toBe(id)
  })

  it('is none, and writes no row, without WEBHOOK_URL or when the type is not wanted', async () => {
    const social = await operator('notifications:publish')
    const { service } = serviceWithEvents({ WEBHOOK_EVENTS: 'asset.created' })
    for (const publisher of [social, social.through(service)]) {
      const ada = await signUp('ada')
      made(records.Notification, await publisher.request('POST', '/notifications', { json: to(ada) }), 201)
      expect(await waiting(inboxOf(ada))).toBe(0)
      const statements = await runInDurableObject(
        inboxOf(ada),
        (inbox: InboxObject, { storage: { sql } }) => {
          const exec = vi.spyOn(sql, 'exec')
          inbox.publish(input, rulesAt(now()))
          const said = exec.mock.calls.map(([query]) => query)
          exec.mockRestore()
          return said
        },
      )
      expect(statements.length).toBeGreaterThan(0)
      expect(statements.filter((query) => query.includes('outbox'))).toEqual([])
    }
    expect(queue.taken).toEqual([])
  })

  it('is none while a device is connected, in hibernation too, and one when its token has expired', async () => {
    const { service } = serviceWithEvents()
    const social = (await operator('notifications:publish')).through(service)
    const publish = async (user: User) =>
      made(records.Notification, await social.request('POST', '/notifications', { json: to(user) }), 201)
    const ada = await signUp('ada')
    const brief = new User(ada.id, await tokenFor(ada.id, { exp: now() + 60 }))
    const phone = await Device.of(ada)
    await publish(ada)
    await evictDurableObject(inboxOf(ada), { webSockets: 'hibernate' })
    await publish(ada)
    expect(queue.taken).toEqual([])
    await phone.leave()
    const tablet = await Device.of(brief)
    await publish(ada)
    expect(queue.taken).toEqual([])
    later(61)
    await ring(inboxOf(ada))
    expect((await tablet.closed).code).toBe(4401)
    const { id } = await publish(ada)
    await expect.poll(() => queue.taken.map(({ resource_id }) => resource_id)).toEqual([id])
  })

  it('is one while a socket is still open whose token has expired, however late the alarm is', async () => {
    const ada = await signUp('ada')
    await Device.of(new User(ada.id, await tokenFor(ada.id, { exp: now() + 60 })))
    later(60)
    const { id } = await publishTo(inboxOf(ada))
    await expect.poll(() => queue.taken.map(({ resource_id }) => resource_id)).toEqual([id])
  })

  it('has one event each, in their order, of many at once', async () => {
    const inbox = newInbox()
    const published = await Promise.all(Array.from({ length: 250 }, () => publishTo(inbox)))
    await expect.poll(() => waiting(inbox)).toBe(0)
    expect(new Set(queue.taken.map(({ resource_id }) => resource_id))).toEqual(
      new Set(published.map(({ id }) => id)),
    )
    expect(queue.taken).toHaveLength(250)
  })
})

describe('an event that the queue does not take', () => {
  it('holds up no publication, waits, and is sent by the alarm under the same id', async () => {
    const [inbox, time] = [newInbox(), now()]
    queue.answer = () => Promise.reject(new Error('the queue is out'))
    const first = await publishTo(inbox)
    const second = await publishTo(inbox)
    expect(await waiting(inbox)).toBe(2)
    expect(await alarmOf(inbox)).toBeGreaterThanOrEqual(time + 300)
    expect(await alarmOf(inbox)).toBeLessThan(time + 330)
    await ring(inbox)
    expect(await waiting(inbox)).toBe(2)
    expect(await alarmOf(inbox), 'it tries again').toBeGreaterThanOrEqual(time + 300)
    queue.answer = async () => {}
    await ring(inbox)
    expect(await waiting(inbox)).toBe(0)
    expect(queue.taken.map(({ resource_id }) => resource_id)).toEqual([first.id, second.id])
    await ring(inbox)
    expect(await alarmOf(inbox), 'nothing waits but the retention').toBeGreaterThan(time + 86_400)
  })

  it('holds up nothing either while the queue does not answer', async () => {
    const inbox = newInbox()
    const late = Promise.withResolvers<void>()
    queue.answer = () => late.promise
    await publishTo(inbox)
    await publishTo(inbox)
    expect(queue.taken).toEqual([])
    late.resolve()
    await expect.poll(() => waiting(inbox)).toBe(0)
    expect(queue.taken).toHaveLength(2)
  })

  it('is kept when the user is erased, since it has happened', async () => {
    const inbox = newInbox()
    queue.answer = () => Promise.reject(new Error('the queue is out'))
    await publishTo(inbox)
    expect(await inbox.erase('mark')).toBeGreaterThan(0)
    expect(await waiting(inbox)).toBe(1)
    queue.answer = async () => {}
    await ring(inbox)
    expect(queue.taken).toHaveLength(1)
  })
})

describe('an object that is killed', () => {
  it('before anything is stored has neither the notification nor its event', async () => {
    const name = newUserId()
    await publishTo(of(name))
    await expect.poll(() => waiting(of(name))).toBe(0)
    await runInDurableObject(of(name), (instance: InboxObject, ctx) => {
      // Dies in the transaction.
      expect(() => instance.publish(input, { ...wanted(), retention_days: 1, ...unwritable })).toThrow()
      ctx.abort('killed')
    }).catch(killed)
    expect(await of(name).counts()).toMatchObject({ total: 1 })
    expect(await waiting(of(name))).toBe(0)
    expect(queue.taken).toHaveLength(1)
  })

  it('after storing and before sending has both, and its alarm, which sends', async () => {
    const name = newUserId()
    await runInDurableObject(of(name), async (instance: InboxObject, ctx) => {
      queue.answer = () => new Promise(() => {}) // never sent
      instance.publish(input, wanted())
      await ctx.storage.sync()
      ctx.abort('killed')
    }).catch(killed)
    queue.answer = async () => {}
    const { notifications } = await of(name).list({ limit: 10, offset: 0 })
    expect(notifications).toHaveLength(1)
    expect(await waiting(of(name))).toBe(1)
    expect(await alarmOf(of(name))).toBeLessThan(now() + 330)
    expect(await ring(of(name))).toBe(true)
    expect(queue.taken.map(({ resource_id }) => resource_id)).toEqual(notifications.map(({ id }) => id))
    expect(await waiting(of(name))).toBe(0)
  })

  it('after the queue took the event and before it is removed sends it again, under the same id', async () => {
    const name = newUserId()
    await runInDurableObject(of(name), async (instance: InboxObject, ctx) => {
      const taken = Promise.withResolvers<void>()
      const sendBatch = prototype.sendBatch
      prototype.sendBatch = async (messages) => {
        await sendBatch.call(env.EVENTS, messages)
        taken.resolve()
        return new Promise(() => {}) // its answer is lost
      }
      instance.publish(input, wanted())
      await taken.promise
      prototype.sendBatch = sendBatch
      await ctx.storage.sync()
      ctx.abort('killed')
    }).catch(killed)
    expect(await waiting(of(name))).toBe(1)
    await ring(of(name))
    expect(await waiting(of(name))).toBe(0)
    const [one, other, ...more] = queue.taken
    expect(other).toEqual(one)
    expect(more).toEqual([])
  })

  it('at any moment of many publications loses no event and makes none up', async () => {
    const name = newUserId()
    for (let round = 0; round < 12; round++) {
      queue.answer = round % 3 === 0 ? () => new Promise(() => {}) : async () => {}
      await runInDurableObject(of(name), async (instance: InboxObject, ctx) => {
        for (let i = 0; i < 3; i++) instance.publish(input, wanted())
        if (round % 2 === 0) await ctx.storage.sync()
        ctx.abort('killed')
      }).catch(killed)
    }
    queue.answer = async () => {}
    await ring(of(name))
    await expect.poll(() => waiting(of(name))).toBe(0)
    const { notifications } = await of(name).list({ limit: 100, offset: 0 })
    expect(notifications.length).toBeGreaterThanOrEqual(18)
    expect(new Set(queue.taken.map(({ resource_id }) => resource_id))).toEqual(
      new Set(notifications.map(({ id }) => id)),
    )
  })
})

/** Rules that cannot be stored: the transaction fails after the rows. */
const unwritable = { cannot: () => 'be written' }
