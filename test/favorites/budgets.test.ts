import { expect, it } from 'vitest'
import { Creator } from '../support/creator.ts'
import { databaseNames, everywhere } from '../support/databases.ts'
import { tokenFor } from '../support/identities.ts'
import { firstUserId } from '../support/ids.ts'
import { meter } from '../support/meter.ts'

const { service, of } = meter()

/** A creator whose home is the first database. */
async function creator(): Promise<Creator> {
  const id = firstUserId()
  return new Creator(id, await tokenFor(id), service)
}

/** Over several databases each trip also looks where partitions are. */
const places = databaseNames.length > 1 ? 4 : 0

it.each([1, 900])('a change of %i favorites costs a trip and a few rows', async (count) => {
  const [ada, bob] = [await creator(), await creator()]
  const assets = [
    await ada.emptyAsset('1', { visibility: 'public' }),
    await ada.emptyAsset('2', { visibility: 'public' }),
  ]
  const [first, second] = assets
  if (!first || !second) throw new Error('no assets')
  await bob.favor(first)
  await everywhere(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
    INSERT INTO favorites (user_id, asset_id, id, created_at) SELECT ?1, 'asset ' || i, 'id ' || i, 1 FROM n
    WHERE EXISTS (SELECT 1 FROM usage WHERE user_id = ?1)`,
    bob.id,
    count,
  )
  const added = await of(() => bob.favor(second))
  // The row and its index, the counter, the count of the asset, and its recount with its index.
  expect(added).toMatchObject({ trips: 1, rows_written: 6, r2_calls: 0 })
  expect(added.rows_read).toBeLessThanOrEqual(20 + places)
  const again = await of(() => bob.favor(second))
  expect(again).toMatchObject({ trips: 1, rows_written: 0 })
  expect(again.rows_read).toBeLessThanOrEqual(20 + places)
  const removed = await of(() => bob.unfavor(second))
  expect(removed).toMatchObject({ trips: 1, rows_written: 5 })
  expect(removed.rows_read).toBeLessThanOrEqual(20 + places)
  expect(await of(() => bob.unfavor(second))).toMatchObject({ trips: 2, rows_written: 0 })
})

it.each([10, 300])('a page of %i favorites costs two trips and three rows each', async (count) => {
  const [ada, bob] = [await creator(), await creator()]
  for (let number = 0; number < 10; number++) {
    const asset = await ada.emptyAsset(`${number}`, { visibility: 'public' })
    expect((await bob.favor(asset)).status).toBe(204)
  }
  await everywhere(
    `WITH RECURSIVE n (i) AS (SELECT 11 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
    INSERT INTO favorites (user_id, asset_id, id, created_at) SELECT ?1, 'asset ' || i, 'id ' || i, 1 FROM n
    WHERE i <= ?2 AND EXISTS (SELECT 1 FROM usage WHERE user_id = ?1)`,
    bob.id,
    count,
  )
  for (const limit of [1, 10, 100]) {
    const cost = await of(() => bob.assets(`/favorites?limit=${limit}`))
    expect(cost.trips).toBeLessThanOrEqual(2)
    expect(cost.rows_written).toBe(0)
    expect(cost.rows_read, `${limit}`).toBeLessThanOrEqual(7 * limit + 10 + places * 25)
  }
})
