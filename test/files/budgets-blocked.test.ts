import { describe, expect, it } from 'vitest'
import { databaseOf, everyDatabase } from '../support/databases.ts'
import { valuesOf } from '../support/description.ts'
import { meter } from '../support/meter.ts'
import { roomy, seedSiblings } from '../support/seed.ts'
import { operator, signUp } from '../support/user.ts'

const fileSorts = await valuesOf('listFiles', 'sort')

const LIMIT = 20

describe('blocked siblings', () => {
  it('cost a stranger’s page of a public folder nothing, and no cursor tells of one', async () => {
    const { service, of } = meter(roomy)
    const [ada, bob] = [await signUp('ada', service), await signUp('bob', service)]
    const folder = await ada.folder('shown')
    await ada.change(folder, { is_public: true })
    await seedSiblings(ada.id, folder.id, 1_000)
    await databaseOf(folder.id)
      .prepare(`UPDATE files SET blocked = 1, name = 'blocked ' || name WHERE parent_id = ?`)
      .bind(folder.id)
      .run()
    for (const name of ['a', 'b', 'z']) await ada.folder(name, { in: folder })
    for (const sort of fileSorts)
      for (const order of ['asc', 'desc']) {
        const cost = await of(async () => {
          const page = await bob.page({ parent_id: folder.id, sort, order, limit: LIMIT })
          expect([page.files.length, page.next_cursor]).toEqual([3, null])
        })
        expect(cost.trips).toBe(1)
        expect(cost.rows_read, `${sort} ${order}`).toBeLessThanOrEqual(LIMIT + 4 + 10)
      }
  })

  it('cost their owner’s page what it holds, however many there are, and so does the moderator’s list', async () => {
    const { service, of } = meter(roomy)
    const ada = await signUp('ada', service)
    const moderator = await operator('content:moderate', service)
    const folder = await ada.folder('mine')
    await seedSiblings(ada.id, folder.id, 2_000)
    await databaseOf(folder.id)
      .prepare('UPDATE files SET blocked = 1 WHERE parent_id = ?')
      .bind(folder.id)
      .run()
    for (const sort of fileSorts)
      for (const order of ['asc', 'desc']) {
        const cost = await of(async () => {
          const page = await ada.page({ parent_id: folder.id, sort, order, limit: LIMIT })
          expect(page.files).toHaveLength(LIMIT)
        })
        expect(cost.trips).toBe(1)
        expect(cost.rows_read, `${sort} ${order}`).toBeLessThanOrEqual(LIMIT + 4 + 10)
      }
    for (const query of ['', '&kind=files']) {
      const cost = await of(async () => {
        expect((await moderator.get(`/blocked?limit=${LIMIT}${query}`)).status).toBe(200)
      })
      expect(cost.trips).toBe(everyDatabase.length)
      const rows = everyDatabase.length * (LIMIT * (3 * 2 + 4) + 10)
      expect(cost.rows_read, query).toBeLessThanOrEqual(rows)
    }
  })

  it('stand in their owner’s pages where they belong, in every order', async () => {
    const ada = await signUp('ada')
    const names = ['a', 'B', 'c', 'Ä', '\u{1f600}', '\uffee', 'd', 'E', 'b']
    const made = await Promise.all(names.map((name) => ada.folder(name)))
    const orders = fileSorts.flatMap((sort) => ['asc', 'desc'].map((order) => ({ sort, order })))
    const before = await Promise.all(orders.map((order) => ada.names({ ...order, limit: 2 })))
    for (const [index, { id }] of made.entries())
      if (index % 2 === 0)
        await databaseOf(id).prepare('UPDATE files SET blocked = 1 WHERE id = ?').bind(id).run()
    for (const limit of [1, 2, 500])
      expect(await Promise.all(orders.map((order) => ada.names({ ...order, limit })))).toEqual(before)
    expect((await ada.page({ asset_type: 'file' })).files).toEqual([])
  })
})
