import { runInDurableObject } from 'cloudflare:test'
import { expect, it } from 'vitest'
import { everything, type InboxObject, newInbox, now, publish, rulesAt, type Stub } from '../support/inbox.ts'

const gift = { type: 'shop.gift', data: { item: 'sword' }, user_id: 'ada' } as const
const from = (inbox: Stub, sender_id: string) =>
  inbox.publish({ ...gift, sender_id }, rulesAt(now()), undefined)
const muted = async (inbox: Stub) => (await inbox.mutes()).user_ids

it('the copy is the list of the highest version, in whatever order versions come', async () => {
  const inbox = newInbox()
  expect(await inbox.mutes()).toEqual({ version: '', user_ids: [] })
  await inbox.setMutes('2', ['bob', 'eve'])
  await inbox.setMutes('1', ['mallory'])
  expect(await muted(inbox)).toEqual(['bob', 'eve'])
  await inbox.setMutes('2', [])
  expect(await muted(inbox)).toEqual(['bob', 'eve'])
  await inbox.setMutes('20', ['eve', 'oscar'])
  expect(await inbox.mutes()).toEqual({ version: '20', user_ids: ['eve', 'oscar'] })
  await inbox.setMutes('3', [])
  await inbox.setMutes('20', ['bob'])
  expect(await muted(inbox)).toEqual([])
})

it('a list that changes writes only the rows that differ, and one that was overtaken none', async () => {
  const inbox = newInbox()
  const ids = Array.from({ length: 1_000 }, (_, number) => `player ${number}`)
  await inbox.setMutes('1', ids)
  const written = (version: string, list: string[]) =>
    runInDurableObject(inbox, (object: InboxObject, { storage }) => {
      const changes = () => storage.sql.exec<{ n: number }>('SELECT total_changes() AS n').one().n
      const before = changes()
      object.setMutes(version, list)
      return changes() - before
    })
  // One row goes, one comes, and the version changes.
  expect(await written('2', [...ids.slice(1), 'bob'])).toBe(3)
  expect(await written('1', [])).toBe(0)
  expect((await muted(inbox)).length).toBe(1_000)
})

it('a muted sender adds nothing: no notification, no event, no key', async () => {
  const inbox = newInbox()
  await publish(inbox)
  await inbox.setMutes('1', ['bob'])
  const before = await inbox.list(everything)
  expect(await from(inbox, 'bob')).toEqual({ error: 'MUTED_BY_USER' })
  expect(await inbox.list(everything)).toEqual(before)
  expect((await from(inbox, 'eve')).notification).toMatchObject({ type: 'shop.gift' })
  expect((await from(newInbox(), 'bob')).notification).toMatchObject({ type: 'shop.gift' })
})

it('an erasure clears the copy unless the list is newer, and keeps an older list from coming back', async () => {
  const inbox = newInbox()
  await inbox.setMutes('1', ['bob'])
  await inbox.erase('2')
  expect(await muted(inbox)).toEqual([])
  await inbox.setMutes('1', ['bob'])
  expect(await muted(inbox)).toEqual([])
  await inbox.setMutes('20', ['eve'])
  expect(await muted(inbox)).toEqual(['eve'])
  await inbox.erase('2')
  await inbox.erase('10')
  expect(await muted(inbox)).toEqual(['eve'])
})
