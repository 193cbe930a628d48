import { describe, expect, it } from 'vitest'
import { made } from '../support/answer.ts'
import { Device } from '../support/device.ts'
import { unknownId } from '../support/ids.ts'
import { gift, inbox, publish } from '../support/notifications.ts'
import { records } from '../support/records.ts'
import { operator, signUp, type User } from '../support/user.ts'

const publisher = await operator('notifications:publish')

/** Publishes `count` notifications; their ids, oldest first. */
async function notify(user: User, count: number, different = {}): Promise<string[]> {
  const ids: string[] = []
  for (let i = 0; i < count; i++)
    ids.push(made(records.Notification, await publish(publisher, gift(user, different)), 201).id)
  return ids
}
const remove = (user: User, json?: unknown) => user.request('POST', '/notifications/delete', { json })
const read = (user: User, notification_ids: string[]) =>
  user.request('POST', '/notifications/read', { json: { notification_ids } })
const leftIn = async (user: User) => (await inbox(user)).notifications.map(({ id }) => id)
const seqOf = async (user: User) => (await user.get('/notifications')).headers.get('X-Inbox-Seq')

describe('POST /v1/notifications/delete', () => {
  it('deletes those with these ids, and answers how many there were', async () => {
    const ada = await signUp('ada')
    const [one = '', two = '', three = '', four = ''] = await notify(ada, 4)
    await read(ada, [two])
    const phone = await Device.of(ada)
    const answer = await remove(ada, { notification_ids: [three, unknownId, two, 'unknown', two, ''] })
    expect([answer.status, answer.body]).toEqual([200, { deleted_count: 2 }])
    expect(await inbox(ada)).toMatchObject({ total: 2, unread: 2 })
    expect(await leftIn(ada)).toEqual([four, one])
    expect((await phone.settled()).events).toEqual([
      { type: 'notifications_deleted', seq: 6, unread: 2, data: { notification_ids: [two, three] } },
    ])
    expect((await remove(ada, { notification_ids: [two, three] })).body).toEqual({ deleted_count: 0 })
    expect(await seqOf(ada), 'what deletes nothing is no event').toBe('6')
  })

  it('deletes those that were read', async () => {
    const ada = await signUp('ada')
    const ids = await notify(ada, 5)
    const [one = '', two = '', three = '', four = '', five = ''] = ids
    expect((await remove(ada, { state: 'read' })).body).toEqual({ deleted_count: 0 })
    await read(ada, [two, four])
    const phone = await Device.of(ada)
    expect((await remove(ada, { state: 'read' })).body).toEqual({ deleted_count: 2 })
    expect(await leftIn(ada)).toEqual([five, three, one])
    expect(await inbox(ada)).toMatchObject({ total: 3, unread: 3 })
    expect((await phone.settled()).events).toEqual([
      { type: 'notifications_deleted', seq: 7, unread: 3, data: { notification_ids: [two, four] } },
    ])
    await ada.request('POST', '/notifications/read')
    expect((await remove(ada, { state: 'read' })).body).toEqual({ deleted_count: 3 })
    expect(await inbox(ada)).toEqual({ notifications: [], total: 0, unread: 0 })
  })

  it('deletes all', async () => {
    const ada = await signUp('ada')
    const [one = ''] = await notify(ada, 3)
    await read(ada, [one])
    const phone = await Device.of(ada)
    expect((await remove(ada, { all: true })).body).toEqual({ deleted_count: 3 })
    expect(await inbox(ada)).toEqual({ notifications: [], total: 0, unread: 0 })
    expect((await phone.settled()).events).toEqual([
      { type: 'notifications_deleted', seq: 5, unread: 0, data: { notification_ids: null } },
    ])
    expect((await remove(ada, { all: true })).body).toEqual({ deleted_count: 0 })
    expect(await seqOf(ada)).toBe('5')
    await notify(ada, 1)
    expect(await seqOf(ada)).toBe('6')
  })

  it('deletes nothing for an empty list, and in an inbox that nobody has written to', async () => {
    const ada = await signUp('ada')
    for (const json of [{ notification_ids: [] }, { all: true }, { state: 'read' }])
      expect((await remove(ada, json)).body).toEqual({ deleted_count: 0 })
    await notify(ada, 2)
    expect((await remove(ada, { notification_ids: [] })).body).toEqual({ deleted_count: 0 })
    expect(await inbox(ada)).toMatchObject({ total: 2 })
    expect(await seqOf(ada)).toBe('2')
  })

  it('takes up to 1,000 ids', async () => {
    const ada = await signUp('ada')
    const [one = ''] = await notify(ada, 1)
    const others = Array.from({ length: 1_000 }, () => crypto.randomUUID())
    const refused = await remove(ada, { notification_ids: [...others, one] })
    expect(refused).toBeProblem(400, 'VALIDATION_FAILED', '/notification_ids')
    const answer = await remove(ada, { notification_ids: [...others.slice(1), one] })
    expect(answer.body).toEqual({ deleted_count: 1 })
  })

  it('deletes nothing of anybody else’s, not even an id that one has of another', async () => {
    const [ada, bob] = [await signUp('ada'), await signUp('bob')]
    const [hers, his] = [await notify(ada, 2), await notify(bob, 2)]
    expect((await remove(bob, { notification_ids: hers })).body).toEqual({ deleted_count: 0 })
    expect((await remove(bob, { all: true })).body).toEqual({ deleted_count: 2 })
    expect(await leftIn(ada)).toEqual(hers.toReversed())
    expect(his).toHaveLength(2)
  })

  it.each([
    ['no member', {}],
    ['nothing', undefined],
    ['two members', { all: true, state: 'read' }],
    ['ids and all', { notification_ids: [], all: true }],
    ['three members', { notification_ids: ['x'], state: 'read', all: true }],
    ['unread ones', { state: 'unread' }],
    ['another state', { state: 'READ' }],
    ['all: false', { all: false }],
    ['all: 1', { all: 1 }],
    ['null for ids', { notification_ids: null }],
    ['null beside a member', { notification_ids: null, all: true }],
    ['a text for ids', { notification_ids: unknownId }],
    ['numbers for ids', { notification_ids: [7] }],
  ])('takes exactly one member, and is refused with %s', async (_, json) => {
    const ada = await signUp('ada')
    const ids = await notify(ada, 2)
    await ada.request('POST', '/notifications/read')
    expect(await remove(ada, json)).toBeProblem(400, 'VALIDATION_FAILED')
    expect(await leftIn(ada)).toEqual(ids.toReversed())
  })
})

describe('a socket that missed a deletion of many', () => {
  /** An inbox in which everything has happened around a deletion of many. Its last seq, and a device that saw it all. */
  async function eventful(selection: (ids: string[]) => object) {
    const ada = await signUp('ada')
    const witness = await Device.of(ada)
    const ids = await notify(ada, 4)
    await read(ada, ids.slice(0, 2))
    ids.push(...(await notify(ada, 2)))
    const { body } = await remove(ada, selection(ids))
    const [late = ''] = await notify(ada, 1)
    await ada.request('DELETE', `/notifications/${late}`)
    await notify(ada, 1)
    return { ada, witness: await witness.settled(), body }
  }

  it.each([
    ['ids', (ids: string[]) => ({ notification_ids: ids.slice(1, 5) }), 4],
    ['state', () => ({ state: 'read' }), 2],
    ['all', () => ({ all: true }), 6],
  ] as const)(
    'gets the additions of what is no longer there, and then the deletion, by %s',
    async (...given) => {
      const [, selection, deleted_count] = given
      const { ada, witness, body } = await eventful(selection)
      expect(body).toEqual({ deleted_count })
      expect(witness.seqs).toEqual(Array.from({ length: 11 }, (_, index) => index + 1))
      for (let after = 0; after <= 11; after++) {
        const device = await (await Device.of(ada, { after })).settled()
        const unread = witness.events.find(({ seq }) => seq === after)?.unread ?? 0
        expect(device.ready).toEqual({ type: 'ready', seq: after, unread, data: { recovered: true } })
        expect(device.events).toEqual(witness.events.slice(after))
      }
    },
  )

  it('is told to read the list again when the additions are too long to be kept, and nothing is wrong after', async () => {
    const ada = await signUp('ada')
    // 160 notifications of 4,000 bytes are longer than the row of an event.
    const ids = await notify(ada, 160, { data: { text: 'x'.repeat(4_000) } })
    const [first = ''] = ids
    expect((await remove(ada, { notification_ids: ids.slice(1) })).body).toEqual({ deleted_count: 159 })
    for (const after of [0, 1, 159]) {
      const { ready } = await Device.of(ada, { after })
      expect(ready).toEqual({ type: 'ready', seq: 161, unread: 1, data: { recovered: false } })
    }
    expect(await leftIn(ada)).toEqual([first])
    expect(await seqOf(ada)).toBe('161')
    const phone = await Device.of(ada, { after: 161 })
    expect(phone.ready).toMatchObject({ seq: 161, unread: 1, data: { recovered: true } })
    const [second = ''] = await notify(ada, 1)
    expect((await phone.settled()).events).toMatchObject([{ seq: 162, unread: 2, data: { id: second } }])
    const behind = await (await Device.of(ada, { after: 161 })).settled()
    expect(behind.events).toEqual(phone.events)
  })

  it('is told so by two shorter deletions only of what they cannot hold', async () => {
    const ada = await signUp('ada')
    const ids = await notify(ada, 160, { data: { text: 'x'.repeat(4_000) } })
    for (const half of [ids.slice(0, 80), ids.slice(80)])
      expect((await remove(ada, { notification_ids: half })).body).toEqual({ deleted_count: 80 })
    const device = await (await Device.of(ada, { after: 0 })).settled()
    expect(device.ready.data.recovered).toBe(true)
    expect(device.events.filter(({ type }) => type === 'notification').map(({ data }) => data)).toHaveLength(
      160,
    )
    expect(device.seq).toBe(162)
  })
})
