import { describe, expect, it } from 'vitest'
import {
  alarmOf,
  countOf,
  DAY,
  eventsSince,
  everything,
  expectAgreed,
  fill,
  input,
  keyNamed,
  newInbox,
  now,
  publish,
  publishSome,
  Replica,
  ring,
  rulesAt,
  type Stub,
} from '../support/inbox.ts'

const HOUR = 3_600

/** Publishes a notification that goes at this time. Its id. */
async function mortal(inbox: Stub, expires_at: number, rules = rulesAt(now())): Promise<string> {
  const { notification } = await inbox.publish({ ...input, expires_at }, rules, undefined)
  return notification?.id ?? ''
}
const left = async (inbox: Stub) => (await inbox.list(everything)).notifications.map(({ id }) => id)

describe('the alarm of an inbox with notifications that go by themselves', () => {
  it('removes those whose time has come together with the aged ones and the keys, each once', async () => {
    const [inbox, time] = [newInbox(), now()]
    const old = rulesAt(time - 90 * DAY)
    const aged = await publish(inbox, old, keyNamed('aged'))
    const both = await mortal(inbox, time - 1, old)
    const young = await publish(inbox)
    const ended = await mortal(inbox, time)
    const later = await mortal(inbox, time + HOUR)
    await ring(inbox)
    await expect.poll(() => left(inbox)).toEqual([later, young.id])
    expect(await inbox.counts()).toEqual({ seq: 8, total: 2, unread: 2 })
    const deletions = (await eventsSince(inbox, 5))?.map(({ data }) => data)
    expect(deletions).toEqual([aged.id, both, ended].map((notification_id) => ({ notification_id })))
    expect(await countOf(inbox, 'idempotency')).toBe(0)
    await expectAgreed(inbox, new Replica())
    expect(await alarmOf(inbox)).toBe(time + HOUR)
  })

  it('removes 500 at once and rings again, with what is above the limit', async () => {
    const [inbox, time] = [newInbox(), now()]
    const like = await publish(inbox)
    await fill(inbox, 700, { ...like, expires_at: time - 1 })
    await fill(inbox, 300, like)
    await publish(inbox, rulesAt(time, { max_notifications: 10 }))
    await expect.poll(() => inbox.counts(), { timeout: 20_000 }).toMatchObject({ total: 10, unread: 10 })
    expect(await countOf(inbox, 'notifications')).toBe(10)
  })

  it('is set for the earliest end, by whichever publication, and by one that the limit then evicts', async () => {
    const [inbox, time] = [newInbox(), now()]
    await mortal(inbox, time + 2 * HOUR)
    expect(await alarmOf(inbox)).toBe(time + 2 * HOUR)
    await mortal(inbox, time + HOUR)
    await mortal(inbox, time + 3 * HOUR)
    expect(await alarmOf(inbox)).toBe(time + HOUR)
    await publishSome(inbox, 3, rulesAt(time, { max_notifications: 3 }))
    expect(await inbox.counts()).toMatchObject({ total: 3 })
    await ring(inbox)
    expect(await alarmOf(inbox), 'only the retention is left').toBe(time + 90 * DAY)
  })

  it('finds nothing to do when those have been read and deleted', async () => {
    const [inbox, time] = [newInbox(), now()]
    const ids = [await mortal(inbox, time + HOUR), await mortal(inbox, time + 2 * HOUR)]
    await inbox.markRead(ids)
    expect(await inbox.removeMany({ notification_ids: ids })).toBe(2)
    await ring(inbox)
    expect(await inbox.counts()).toEqual({ seq: 4, total: 0, unread: 0 })
    expect(await alarmOf(inbox)).toBe(null)
    await expectAgreed(inbox, new Replica())
  })
})

describe('deleting very many', () => {
  it('of an inbox larger than 10,000 is one event for each 10,000 that were read, and one event for all', async () => {
    for (const selection of ['read', 'all'] as const) {
      const inbox = newInbox()
      const rules = rulesAt(now(), { max_notifications: 1_000_000 })
      const like = await publish(inbox, rules)
      await fill(inbox, 20_500, like)
      expect(await inbox.markRead(null)).toBe(20_501)
      const unread = await publish(inbox, rules)
      const { seq } = await inbox.counts()
      const count = selection === 'read' ? 20_501 : 20_502
      expect(await inbox.removeMany(selection)).toBe(count)
      const events = (await eventsSince(inbox, seq)) ?? []
      const sizes = events.map((event) =>
        event.type === 'notifications_deleted' ? event.data.notification_ids?.length : undefined,
      )
      expect(sizes).toEqual(selection === 'read' ? [10_000, 10_000, 501] : [undefined])
      expect(events.map((event) => event.seq)).toEqual(sizes.map((_, index) => seq + 1 + index))
      expect(await left(inbox)).toEqual(selection === 'read' ? [unread.id] : [])
      const total = selection === 'read' ? 1 : 0
      expect(await inbox.counts()).toEqual({ seq: seq + sizes.length, total, unread: total })
    }
  })

  it('of 10,000 that were read is one event', async () => {
    const inbox = newInbox()
    await fill(inbox, 9_999, await publish(inbox))
    await inbox.markRead(null)
    const { seq } = await inbox.counts()
    expect(await inbox.removeMany('read')).toBe(10_000)
    expect(await inbox.counts()).toEqual({ seq: seq + 1, total: 0, unread: 0 })
    const [event] = (await eventsSince(inbox, seq)) ?? []
    expect(event?.data).toHaveProperty('notification_ids.length', 10_000)
  })
})
