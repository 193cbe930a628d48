import { beforeEach, describe, expect, it } from 'vitest'
import { type Creator, signUpCreator } from '../support/creator.ts'
import { everywhere } from '../support/databases.ts'
import { configWithEvents, EventLog, eventsAbout, serviceWithEvents } from '../support/events.ts'
import { runJobIn } from '../support/objects.ts'
import { seedSiblings } from '../support/seed.ts'

const { service, sent } = serviceWithEvents()
const config = configWithEvents()

let ada: Creator
let log: EventLog

beforeEach(async () => {
  ada = await signUpCreator('ada', service)
  log = new EventLog(ada)
})

async function itemsOf(owner_id: string): Promise<string[]> {
  const rows = await everywhere<{ id: string }>('SELECT id FROM files WHERE owner_id = ?', owner_id)
  return rows.map(({ id }) => id).sort()
}

async function purged(): Promise<string[]> {
  const events = (await eventsAbout(ada.id)).filter(({ type }) => type === 'file.purged')
  return events.map(({ data }) => String(data.file_id)).sort()
}

describe('file.purged', () => {
  it('is written when an item is gone for good, not when it is deleted, restored or refused', async () => {
    const file = await ada.file('notes', 'abc')
    await log.next()
    expect(await ada.purge(file)).toBeProblem(409, 'FILE_NOT_TRASHED')
    await ada.delete(file)
    await ada.restore(file)
    await ada.delete(file)
    expect(await log.next()).toEqual([])
    sent.length = 0
    expect((await ada.purge(file)).status).toBe(204)
    const data = { file_id: file.id, owner_id: ada.id, asset_type: 'file', size_bytes: 3 }
    expect(await log.next()).toEqual([['file.purged', data]])
    expect(sent).toHaveLength(1)
    expect(await ada.purge(file)).toBeProblem(404, 'FILE_NOT_FOUND')
    await runJobIn(1, config)
    expect(await log.next()).toEqual([])
  })

  it.each([
    ['a purge', (folder: string) => ada.purge(folder)],
    ['emptying the trash', () => ada.request('DELETE', '/trash')],
  ])('is written once for each of many items in a folder, at %s and by the job', async (_, act) => {
    const folder = await ada.folder('many')
    await seedSiblings(ada.id, folder.id, 700)
    const inner = await ada.folder('inner', { in: folder })
    const kept = await ada.file('kept', 'x', { parent_id: inner.id })
    await ada.delete(kept)
    await ada.delete(folder)
    const items = (await itemsOf(ada.id)).filter((id) => id !== kept.id)
    if (_ === 'a purge') expect((await act(folder.id)).status).toBe(204)
    else {
      await ada.restore(kept)
      expect((await act(folder.id)).status).toBe(204)
    }
    const atOnce = (await purged()).length
    expect(atOnce).toBeGreaterThan(0)
    expect(atOnce).toBeLessThan(items.length)
    await runJobIn(0, config)
    expect(await itemsOf(ada.id)).toEqual([kept.id])
    expect(await purged()).toEqual(items)
  })

  it('is written by the job when the trash expires', async () => {
    const file = await ada.file('notes', 'abc')
    await ada.delete(file)
    await log.next()
    await runJobIn(31, config)
    expect(await purged()).toEqual([file.id])
  })
})
