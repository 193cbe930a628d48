import { describe, expect, it } from 'vitest'
import { newPlayer, type Player } from '../support/saves.ts'
import { serviceWith } from '../support/service.ts'

/** The same player in a service with other limits. */
const within = (player: Player, variables: Record<string, string>) => player.through(serviceWith(variables))

/** Ten bytes for each digit. */
const bytes = (tens: number) => 'x'.repeat(10 * tens)

const revisionsOf = async (player: Player, slot: string) =>
  (await player.revisions(slot)).map(({ revision }) => revision)

describe('a slot', () => {
  it('keeps its last revisions, kept ones among them, and the current one always', async () => {
    const ada = within(await newPlayer(), { SAVE_REVISIONS: '3' })
    for (const text of ['1', '2', '3', '4']) await ada.save('auto', text)
    expect(await revisionsOf(ada, 'auto')).toEqual([4, 3, 2])
    for (const text of ['5', '6', '7']) await ada.write('auto', text, { 'If-Match': '"1"' }, '?keep=true')
    expect(await revisionsOf(ada, 'auto')).toEqual([7, 6, 4])
    expect(await ada.content('auto')).toBe('4')
    expect(await ada.user.get('/saves/auto?revision=3')).toBeProblem(404, 'SAVE_REVISION_NOT_FOUND')
  })

  it('keeps what a restore restores, and the next oldest goes', async () => {
    const ada = within(await newPlayer(), { SAVE_REVISIONS: '3' })
    for (const text of ['1', '2', '3']) await ada.save('auto', text)
    expect((await ada.restore('auto', { revision: 1 })).body).toMatchObject({ revision: 4 })
    expect(await revisionsOf(ada, 'auto')).toEqual([4, 3, 1])
  })

  it('keeps nothing beside the current one where SAVE_REVISIONS is 1', async () => {
    const ada = within(await newPlayer(), { SAVE_REVISIONS: '1' })
    await ada.save('auto', '1')
    const refused = await ada.write('auto', '2', { 'If-Match': '"9"' }, '?keep=true')
    expect(refused.body).not.toHaveProperty('kept_revision')
    expect((await ada.restore('auto', { revision: 1 })).body).toMatchObject({ revision: 2 })
    expect(await revisionsOf(ada, 'auto')).toEqual([2])
    expect(await ada.content('auto')).toBe('1')
  })

  it('loses what is too much after SAVE_REVISIONS was lowered with its next write only', async () => {
    const ada = await newPlayer()
    for (const text of ['1', '2', '3', '4', '5']) await ada.save('auto', text)
    const lowered = within(ada, { SAVE_REVISIONS: '2' })
    expect(await revisionsOf(lowered, 'auto')).toHaveLength(5)
    await lowered.save('other', 'x')
    expect(await revisionsOf(lowered, 'auto')).toHaveLength(5)
    await lowered.save('auto', '6')
    expect(await revisionsOf(lowered, 'auto')).toEqual([6, 5])
  })
})

describe('room', () => {
  it('is made by the oldest that is not current, over all slots, and by the one that is replaced', async () => {
    const ada = within(await newPlayer(), { SAVE_BYTES: '100' })
    await ada.save('one', bytes(3))
    await ada.save('two', bytes(2))
    await ada.save('one', bytes(3))
    await ada.save('two', bytes(2))
    expect((await ada.list()).used_bytes).toBe(100)
    await ada.save('three', bytes(1))
    expect(await revisionsOf(ada, 'one'), 'the oldest went').toEqual([2])
    expect(await revisionsOf(ada, 'two')).toEqual([2, 1])
    await ada.save('two', bytes(6))
    expect(await revisionsOf(ada, 'two'), 'the replaced one went too').toEqual([3])
    expect((await ada.list()).used_bytes).toBe(100)
  })

  it('is made by deleted slots first', async () => {
    const ada = within(await newPlayer(), { SAVE_BYTES: '100' })
    await ada.save('old', bytes(2))
    await ada.save('old', bytes(2))
    await ada.save('gone', bytes(3))
    await ada.save('gone', bytes(3))
    await ada.delete('gone')
    await ada.save('new', bytes(2))
    expect((await ada.list('?deleted=true')).saves).toMatchObject([{ slot: 'gone', revision: 2 }])
    await ada.save('new', bytes(2))
    expect((await ada.list('?deleted=true')).saves, 'nothing of it is left to restore').toEqual([])
    expect(await revisionsOf(ada, 'old')).toEqual([2, 1])
    expect(await ada.restore('gone')).toBeProblem(404, 'SAVE_NOT_FOUND')
  })

  it('that cannot be made is QUOTA_EXCEEDED, and the refused write removes nothing', async () => {
    const ada = within(await newPlayer(), { SAVE_BYTES: '100' })
    await ada.save('one', bytes(4))
    await ada.save('two', bytes(1))
    await ada.save('two', bytes(2))
    await ada.save('gone', bytes(1))
    await ada.delete('gone')
    const before = [await ada.list(), await ada.list('?deleted=true'), await ada.revisions('two')]
    const full = await ada.write('new', bytes(5))
    expect(full).toBeProblem(403, 'QUOTA_EXCEEDED')
    expect(full.body).toMatchObject({ used_bytes: 60, limit_bytes: 100, needed_bytes: 50 })
    expect(await ada.write('two', bytes(7))).toBeProblem(403, 'QUOTA_EXCEEDED')
    const kept = await ada.write('two', bytes(5), { 'If-Match': '"1"' }, '?keep=true')
    expect(kept).toBeProblem(412, 'PRECONDITION_FAILED')
    expect(kept.body).not.toHaveProperty('kept_revision')
    expect([await ada.list(), await ada.list('?deleted=true'), await ada.revisions('two')]).toEqual(before)
    await ada.save('two', bytes(6))
    expect((await ada.list()).used_bytes).toBe(100)
  })

  it('that was lowered below what there is breaks nothing, and deleting makes it writable again', async () => {
    const ada = await newPlayer()
    await ada.save('one', bytes(9))
    await ada.save('two', bytes(9))
    const lowered = within(ada, { SAVE_BYTES: '100' })
    expect(await lowered.list()).toMatchObject({ used_bytes: 180, limit_bytes: 100 })
    expect(await lowered.content('one')).toBe(bytes(9))
    expect(await lowered.write('one', bytes(9))).toBeProblem(403, 'QUOTA_EXCEEDED')
    await lowered.delete('two')
    expect((await lowered.write('one', bytes(10))).status).toBe(200)
  })
})

describe('slots', () => {
  it('beyond the limit are LIMIT_REACHED, also for a restore; deleted ones do not count', async () => {
    const ada = within(await newPlayer(), { MAX_SAVE_SLOTS: '2' })
    await ada.save('one', 'x')
    await ada.save('two', 'x')
    expect((await ada.write('three', 'x')).body).toMatchObject({ code: 'LIMIT_REACHED', limit: 'save_slots' })
    expect((await ada.write('two', 'y')).status).toBe(200)
    await ada.delete('one')
    expect((await ada.write('three', 'x')).status).toBe(201)
    expect((await ada.restore('one')).body).toMatchObject({ code: 'LIMIT_REACHED', limit: 'save_slots' })
    expect((await ada.write('one', 'x')).body).toMatchObject({ code: 'LIMIT_REACHED' })
    await ada.delete('two')
    expect((await ada.restore('one')).status).toBe(200)
  })

  it('of which there are more after MAX_SAVE_SLOTS was lowered stay, and can be written', async () => {
    const ada = await newPlayer()
    for (const slot of ['one', 'two', 'three']) await ada.save(slot, 'x')
    const lowered = within(ada, { MAX_SAVE_SLOTS: '1' })
    expect((await lowered.list()).saves).toHaveLength(3)
    expect((await lowered.write('three', 'y')).status).toBe(200)
    expect((await lowered.write('four', 'y')).status).toBe(409)
  })
})

describe('a deleted slot', () => {
  it('is hidden at once, listed on demand, and comes back with its history', async () => {
    const ada = await newPlayer()
    await ada.save('auto', 'one')
    const two = await ada.save('auto', 'two')
    await ada.save('other', 'x')
    const before = Math.floor(Date.now() / 1_000)
    await ada.delete('auto')
    expect((await ada.list()).saves.map(({ slot }) => slot)).toEqual(['other'])
    for (const path of ['auto', 'auto?revision=1', 'auto/revisions'])
      expect(await ada.user.get(`/saves/${path}`), path).toBeProblem(404, 'SAVE_NOT_FOUND')
    const { saves, used_bytes } = await ada.list('?deleted=true')
    expect(saves).toEqual([{ ...two, deleted_at: expect.any(Number) }])
    expect(saves[0]?.deleted_at).toBeGreaterThanOrEqual(before)
    expect(used_bytes).toBe(7)
    expect(await ada.restore('auto', { revision: 7 })).toBeProblem(404, 'SAVE_REVISION_NOT_FOUND')
    expect((await ada.restore('auto', { revision: 1 })).body).toMatchObject({
      revision: 3,
      created_at: two.created_at,
    })
    expect(await ada.content('auto')).toBe('one')
    expect(await revisionsOf(ada, 'auto')).toEqual([3, 2, 1])
    expect((await ada.list('?deleted=true')).saves).toEqual([])
  })

  it('ends with a write to its name, which makes a new slot', async () => {
    const ada = await newPlayer()
    await ada.save('auto', 'one')
    await ada.delete('auto')
    const answer = await ada.write('auto', 'new')
    expect([answer.status, answer.headers.get('ETag')]).toEqual([201, '"2"'])
    expect((await ada.list('?deleted=true')).saves).toEqual([])
    expect(await revisionsOf(ada, 'auto')).toEqual([2])
  })

  it('cannot be restored after its time', async () => {
    const ada = within(await newPlayer(), { TRASH_RETENTION_DAYS: '0' })
    await ada.save('auto', 'one')
    await ada.delete('auto')
    expect(await ada.list('?deleted=true')).toMatchObject({ saves: [], used_bytes: 0 })
    expect(await ada.restore('auto')).toBeProblem(404, 'SAVE_NOT_FOUND')
  })
})
