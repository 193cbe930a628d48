import { runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import type { Inbox } from '../../src/features/notifications/inbox.ts'
import {
  alarmOf,
  countOf,
  DAY,
  everything,
  input,
  keyNamed,
  newInbox,
  now,
  publish,
  ring,
  rulesAt,
  type Stub,
} from '../support/inbox.ts'

const tables = (inbox: Stub) =>
  runInDurableObject(inbox, (_, { storage: { sql } }) =>
    sql.exec<{ name: string }>(`SELECT name FROM sqlite_schema WHERE type = 'table'`).toArray(),
  )

describe('the tables of an inbox', () => {
  it('are created with the first notification, and not by a read', async () => {
    const inbox = newInbox()
    expect(await inbox.counts()).toEqual({ seq: 0, total: 0, unread: 0 })
    expect(await inbox.list(everything)).toEqual({ notifications: [], seq: 0, total: 0, unread: 0 })
    expect(await inbox.markRead(null)).toBe(0)
    expect(await inbox.markRead(['unknown'])).toBe(0)
    expect(await inbox.remove('unknown')).toBe(false)
    for (const after of [undefined, '0', '7']) {
      const headers = {
        Upgrade: 'websocket',
        'X-Expires-At': String(now() + 60),
        ...(after && { 'X-After': after }),
      }
      const { webSocket, status } = await inbox.fetch('https://inbox/', { headers })
      expect(status).toBe(101)
      webSocket?.accept()
      webSocket?.close()
    }
    await ring(inbox)
    expect((await tables(inbox)).map(({ name }) => name)).not.toContain('notifications')
    const { id } = await publish(inbox)
    expect(await inbox.list(everything)).toMatchObject({
      notifications: [{ id }],
      seq: 1,
      total: 1,
      unread: 1,
    })
    expect((await tables(inbox)).map(({ name }) => name)).toContain('notifications')
  })

  it('do not exist after a first notification that failed, and are created with the next', async () => {
    const inbox = newInbox()
    const unwritable = { ...rulesAt(now()), cannot: () => 'be written' }
    await runInDurableObject(inbox, (instance: Inbox) =>
      expect(() => instance.publish(input, unwritable)).toThrow('could not be cloned'),
    )
    expect((await tables(inbox)).map(({ name }) => name)).not.toContain('notifications')
    expect(await inbox.counts()).toEqual({ seq: 0, total: 0, unread: 0 })
    await publish(inbox)
    expect(await inbox.counts()).toEqual({ seq: 1, total: 1, unread: 1 })
  })
})

describe('an erasure of an inbox without tables', () => {
  it('is remembered: repeating it keeps later notifications', async () => {
    const inbox = newInbox()
    expect(await inbox.erase('mark 1')).toBe(0)
    await publish(inbox)
    expect(await inbox.erase('mark 1')).toBe(0)
    expect((await inbox.counts()).total).toBe(1)
    expect(await inbox.erase('mark 2')).toBeGreaterThan(0)
    expect(await inbox.counts()).toEqual({ seq: 2, total: 0, unread: 0 })
  })
})

describe('the alarm of an inbox with many keys', () => {
  it('rings for keys once an hour at most, and deletes all expired ones', async () => {
    const [inbox, time] = [newInbox(), now()]
    for (let minute = 0; minute < 30; minute++)
      await publish(inbox, rulesAt(time - DAY + minute * 60), keyNamed(`key ${minute}`))
    await ring(inbox)
    expect(await countOf(inbox, 'idempotency')).toBe(29)
    const next = await alarmOf(inbox)
    expect(next, 'the next key expires in a minute').toBeGreaterThanOrEqual(time + 3_600)
    expect(next).toBeLessThan(time + 3_700)
  })

  it('is not set again by a publication that needs it later', async () => {
    const [inbox, time] = [newInbox(), now()]
    await publish(inbox, rulesAt(time), keyNamed('first'))
    const times = await runInDurableObject(inbox, (instance: Inbox, { storage }) => {
      const set: number[] = []
      const setAlarm = storage.setAlarm
      storage.setAlarm = (scheduled) => {
        set.push(Number(scheduled))
        return setAlarm.call(storage, scheduled)
      }
      for (let i = 0; i < 20; i++) instance.publish(input, rulesAt(time + i), keyNamed(`key ${i}`))
      instance.publish(input, rulesAt(time - DAY + 60), keyNamed('earlier'))
      storage.setAlarm = setAlarm
      return set
    })
    expect(times).toEqual([(time + 60) * 1_000])
  })
})
