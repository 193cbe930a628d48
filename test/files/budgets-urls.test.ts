import { expect, it } from 'vitest'
import { signUpCreator } from '../support/creator.ts'
import { databaseNames, placeOf } from '../support/databases.ts'
import { meter } from '../support/meter.ts'
import type { User } from '../support/user.ts'

const { service, of } = meter()

/** Files of a user, each below folders of its own. */
async function filesBelow(user: User, depth: number, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let number = 0; number < count; number++) {
    let parent: string | undefined
    for (let level = 0; level < depth; level++)
      parent = (await user.folder(`${number}`, parent === undefined ? {} : { in: parent })).id
    const file = await user.content(`${number}`, 'x')
    if (parent !== undefined) expect((await user.move(file, { into: parent })).status).toBe(200)
    ids.push(file.id)
  }
  return ids
}

/** The rows read over the budget for each database: three for each id, for the place of its partition. */
const ofPlaces = (ids: number) => (databaseNames.length > 1 ? 3 * ids : 0)

it.each([0, 3])(
  'the URLs of files below %i folders each cost one trip a database and 3d + 4 rows each',
  async (depth) => {
    const [ada, bob] = [await signUpCreator('ada', service), await signUpCreator('bob', service)]
    const ids = [...(await filesBelow(ada, depth, 5)), ...(await filesBelow(bob, depth, 5))]
    const cost = await of(async () => {
      expect((await ada.urls(ids)).filter(({ url }) => url !== undefined)).toHaveLength(5)
    })
    const trips = new Set([ada, bob].map(({ id }) => placeOf(id))).size
    expect(cost).toMatchObject({ trips, rows_written: 0, r2_calls: 0 })
    expect(cost.rows_read).toBeLessThanOrEqual(ids.length * (3 * (depth + 1) + 4) + ofPlaces(ids.length))
  },
)

it('the URLs of 100 files in one folder read the folders above it once', async () => {
  const ada = await signUpCreator('ada', service)
  const [id = ''] = await filesBelow(ada, 6, 1)
  const { file } = await ada.read(id)
  const ids = [id]
  for (let number = 1; number < 100; number++) {
    const other = await ada.content(`${number}`, 'x')
    await ada.move(other, { into: file.parent_id ?? null })
    ids.push(other.id)
  }
  const cost = await of(async () => {
    expect((await ada.urls(ids)).every(({ url }) => url !== undefined)).toBe(true)
  })
  expect(cost).toMatchObject({ trips: 1, rows_written: 0, r2_calls: 0 })
  expect(cost.rows_read).toBeLessThanOrEqual(100 * 4 + 6 * 4 + 10)
})

it('the URLs of assets cost one trip a database and four rows each', async () => {
  const [ada, bob] = [await signUpCreator('ada', service), await signUpCreator('bob', service)]
  const items: { asset_id: string; version?: number }[] = []
  for (const user of [ada, bob])
    for (let number = 0; number < 5; number++) {
      const { id } = await user.asset(`${number}`, { visibility: 'public' })
      items.push({ asset_id: id }, { asset_id: id, version: 1 }, { asset_id: id, version: 7 })
    }
  const cost = await of(async () => {
    expect((await ada.assetUrls(items)).filter(({ url }) => url !== undefined)).toHaveLength(20)
  })
  const trips = new Set([ada, bob].map(({ id }) => placeOf(id))).size
  expect(cost).toMatchObject({ trips, rows_written: 0, r2_calls: 0 })
  expect(cost.rows_read).toBeLessThanOrEqual(4 * items.length + ofPlaces(items.length))
})

it('text that is no id costs a row at most', async () => {
  const ada = await signUpCreator('ada', service)
  const cost = await of(() => ada.urls(Array.from({ length: 100 }, (_, number) => `no id ${number}`)))
  expect(cost).toMatchObject({ rows_written: 0, r2_calls: 0 })
  expect(cost.rows_read).toBeLessThanOrEqual(1)
  expect(cost.trips).toBeLessThanOrEqual(1)
})
