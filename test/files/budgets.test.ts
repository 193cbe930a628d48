import { beforeAll, describe, expect, it } from 'vitest'
import { bytes } from '../support/content.ts'
import { valuesOf } from '../support/description.ts'
import { tokenFor } from '../support/identities.ts'
import { type Cost, meter } from '../support/meter.ts'
import { seedSiblings } from '../support/seed.ts'
import { put, signUp, User } from '../support/user.ts'

const fileSorts = await valuesOf('listFiles', 'sort')
const assetTypes = await valuesOf('listFiles', 'asset_type')

const orders = ['asc', 'desc']
const types = [{}, ...assetTypes.map((asset_type) => ({ asset_type }))]
const LIMIT = 100

/** Every page that a client may ask for in a folder: each sort, order and filter. */
const pages = fileSorts.flatMap((sort) =>
  orders.flatMap((order) => types.map((type) => ({ sort, order, limit: LIMIT, ...type }))),
)

describe.each([1_000, 100_000])('with %i siblings', (siblings) => {
  const { service, of } = meter({ MAX_ITEMS: '1000000' })
  let ada: User
  let bob: User
  let folder: string
  const d = 4

  beforeAll(async () => {
    ;[ada, bob] = [await signUp('ada', service), await signUp('bob', service)]
    const shown = await ada.folder('1')
    await ada.change(shown, { is_public: true })
    const middle = await ada.folder('3', { in: await ada.folder('2', { in: shown }) })
    folder = (await ada.folder('4', { in: middle })).id
    await seedSiblings(ada.id, folder, siblings)
    await seedSiblings(ada.id, null, siblings)
    // It seeds 100,000 items, twice.
  }, 300_000)

  it.each(['owner', 'stranger'])(
    'a page costs the %s one trip and n + 4d + 10 rows at most, in every order and filter',
    async (who) => {
      const user = who === 'owner' ? ada : bob
      for (const page of pages) {
        let cursor: { cursor?: string } = {}
        for (let number = 1; number <= 2; number++) {
          const query = { parent_id: folder, ...page, ...cursor }
          const cost = await of(async () => {
            cursor = { cursor: (await user.page(query)).next_cursor ?? '' }
          })
          expect(cost, JSON.stringify(query)).toMatchObject({ trips: 1, rows_written: 0, r2_calls: 0 })
          expect(cost.rows_read, JSON.stringify(query)).toBeLessThanOrEqual(LIMIT + 4 * d + 10)
        }
      }
    },
  )

  it('a page of the root costs the same', async () => {
    for (const page of pages) {
      const cost = await of(() => ada.page(page))
      expect(cost.trips).toBe(1)
      expect(cost.rows_read, JSON.stringify(page)).toBeLessThanOrEqual(LIMIT + 10)
    }
  })

  it('every other request costs what the path costs, not what lies beside it', async () => {
    const folders = { sort: 'name', asset_type: 'folder', limit: 1 }
    const item = (await ada.page({ parent_id: folder, ...folders })).files[0]?.id ?? ''
    const items = d + 1
    const within = async (name: string, budget: Partial<Cost>, request: () => Promise<unknown>) => {
      const cost = await of(request)
      expect(cost.trips, name).toBe(budget.trips ?? 1)
      expect(cost.rows_read, name).toBeLessThanOrEqual(budget.rows_read ?? 0)
      expect(cost.rows_written, name).toBeLessThanOrEqual(budget.rows_written ?? 0)
      expect(cost.r2_calls, name).toBeLessThanOrEqual(budget.r2_calls ?? 0)
    }
    const write = { rows_read: 4 * items + 20, rows_written: 9 }
    await within('get, owner', { rows_read: 3 * items + 10 }, () => ada.read(item))
    await within('get, stranger', { rows_read: 3 * items + 10 }, () => bob.read(item))
    await within('create', write, () => ada.folder('new', { in: folder }))
    await within('create with a key', write, () =>
      ada.createFolder(
        { name: 'new', asset_type: 'folder', parent_id: folder },
        { 'Idempotency-Key': folder },
      ),
    )
    await within('rename', { ...write, rows_written: 5 }, () => ada.change(item, { name: 'renamed' }))
    await within('set public', { ...write, rows_written: 5 }, () => ada.change(item, { is_public: true }))
    await within('move', { ...write, rows_written: 5 }, () => ada.move(item, { into: null }))
    await within('delete', { ...write, rows_written: 5 }, () => ada.delete(item))

    let upload = await ada.upload({ size_bytes: 3, parent_id: folder })
    await within('start an upload', { rows_read: 4 * items + 30, rows_written: 12 }, async () => {
      upload = await ada.upload({ size_bytes: 3, parent_id: folder })
    })
    await put(upload, bytes('abc'))
    const completion = { trips: 2, rows_read: 4 * items + 60, rows_written: 12, r2_calls: 2 }
    await within('complete', completion, () => ada.complete(upload))
    await within('complete again', { ...completion, trips: 1 }, () => ada.complete(upload))
    const file = upload.file?.id ?? ''
    await within('url, owner', { rows_read: 4 * items + 10 }, () => ada.get(`/files/${file}/url`))
    await within('url, stranger', { rows_read: 4 * items + 10 }, () => bob.get(`/files/${file}/url`))
    await within('get an upload', { rows_read: 4 * items + 10 }, () => ada.get(`/uploads/${upload.id}`))
  })
})

describe('deleting and moving a folder', () => {
  it('read and write the same few rows with 10 and with 100,000 items below', async () => {
    const { service, of } = meter()
    const ada = await signUp('ada', service)
    const costs: Cost[][] = []
    for (const items of [10, 100_000]) {
      const folder = await ada.folder('full')
      await seedSiblings(ada.id, folder.id, items)
      const renamed = await of(() => ada.change(folder, { name: 'renamed' }))
      const deleted = await of(() => ada.delete(folder))
      costs.push([renamed, deleted])
      expect(await ada.names({ asset_type: 'folder' })).not.toContain('renamed')
      expect(deleted.rows_read).toBeLessThanOrEqual(4 + 20)
      expect(deleted.rows_written).toBeLessThanOrEqual(5)
    }
    expect(costs[1]).toEqual(costs[0])
    // It seeds 100,000 items.
  }, 300_000)

  it('walk down through folders only: a move reads 4d + 2 × folders below + 20 rows at most', async () => {
    const { service, of } = meter()
    const ada = await signUp('ada', service)
    const [folder, target] = [await ada.folder('full'), await ada.folder('target')]
    await seedSiblings(ada.id, folder.id, 1_000)
    const cost = await of(() => ada.move(folder, { into: target }))
    expect(cost.trips).toBe(1)
    expect(cost.rows_read).toBeLessThanOrEqual(4 * 2 + 2 * 200 + 20)
    expect(cost.rows_written).toBeLessThanOrEqual(5)
  })
})

describe('what has been deleted', () => {
  it('costs a page nothing, however much there is of it', async () => {
    const { service, of } = meter()
    const ada = await signUp('ada', service)
    const folder = await ada.folder('full')
    await seedSiblings(ada.id, folder.id, 2_000)
    const { files } = await ada.page({ parent_id: folder.id, limit: 500 })
    for (const file of files) await ada.delete(file)
    for (const sort of fileSorts) {
      const cost = await of(() => ada.page({ parent_id: folder.id, sort, limit: LIMIT }))
      expect(cost.rows_read).toBeLessThanOrEqual(LIMIT + 4 + 10)
    }
  })
})

describe('many items with one sort key', () => {
  it('cost the page in the middle of them no more', async () => {
    const { service, of } = meter()
    const ada = await signUp('ada', service)
    for (let i = 0; i < 200; i++) await ada.folder('same')
    for (const sort of fileSorts) {
      const { next_cursor } = await ada.page({ sort, limit: 150 })
      const cost = await of(() => ada.page({ sort, limit: 10, cursor: next_cursor ?? '' }))
      expect(cost.rows_read, sort).toBeLessThanOrEqual(10 + 10)
    }
  })
})

describe('a token check', () => {
  it('makes no trip at all', async () => {
    const { service, of } = meter()
    const stranger = new User('x', await tokenFor('x', { exp: 1 }), service)
    const cost = await of(async () => expect((await stranger.get('/files')).status).toBe(401))
    expect(cost).toEqual({ trips: 0, rows_read: 0, rows_written: 0, r2_calls: 0 })
  })
})
