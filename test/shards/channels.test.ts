import { expect, it } from 'vitest'
import { partitionOf } from '../../src/platform/db/id.ts'
import { made } from '../support/answer.ts'
import { type Creator, signUpCreator } from '../support/creator.ts'
import { databaseNames, placeOf } from '../support/databases.ts'
import { expectSound } from '../support/invariants.ts'
import { meter } from '../support/meter.ts'
import { everything, moveAll } from '../support/moving.ts'
import { records } from '../support/records.ts'
import { isolate } from '../support/service.ts'

/** A user with a home in the database at this place. */
async function userAt(place: number): Promise<Creator> {
  let user = await signUpCreator('ada', isolate())
  while (placeOf(user.id) !== place) user = await signUpCreator('ada', isolate())
  return user
}

/** An asset of three versions, of which others get the first, and testers the second. */
async function released(ada: Creator) {
  const asset = await ada.asset('castle', { visibility: 'public', min_build: 5 }, 'one')
  for (const content of ['two', 'three']) await ada.version(asset, content)
  await ada.release(asset, 1)
  return { ...asset, key: (await ada.release(asset, 2, 'beta')).key ?? '' }
}

it('serves channels of assets in any database to readers and branchers of another one', async () => {
  const bob = await userAt(0)
  for (const place of [0, 1, 2]) {
    const ada = await userAt(place)
    const asset = await released(ada)
    const read = async (query = '') =>
      made(records.GameAssetWithVersions, await bob.get(`/game/assets/${asset.id}${query}`), 200)
        .current_version
    expect([await read(), await read(`?channel_key=${asset.key}`)]).toEqual([1, 2])
    const branch = async (declared: object) =>
      bob.branch(asset, { name: `${place} ${JSON.stringify(declared)}`, ...declared })
    const first = made(records.Branch, await branch({}), 201).version
    expect([first.branched_from_version, first.min_build]).toEqual([1, 5])
    const second = made(records.Branch, await branch({ channel_key: asset.key }), 201).version
    expect([second.branched_from_version, second.min_build]).toEqual([2, null])
    for (const declared of [{ from_version: 2 }, { from_version: 3, channel_key: asset.key }])
      expect(await branch(declared)).toBeProblem(404, 'VERSION_NOT_FOUND')
    expect(await branch({ channel_key: 'unknown' })).toBeProblem(404, 'CHANNEL_NOT_FOUND')
    const { assets } = await bob.assets(`/public?owner_id=${ada.id}`)
    expect(assets.map(({ current_version }) => current_version)).toEqual([1])
    const shown = (await ada.branched(asset)).asset
    await ada.editAsset(shown, { visibility: 'public' })
    expect((await bob.readVersion(shown, 1)).branched_from_version).toBeNull()
    await ada.release(asset, 3)
    expect((await bob.readVersion(shown, 1)).branched_from_version).toBe(3)
    await expectSound(ada.id, bob.id)
  }
})

it('finds the updates of assets in all databases, with one trip for each', async () => {
  const { service, of } = meter()
  const assets: Awaited<ReturnType<typeof released>>[] = []
  for (let place = 0; place < databaseNames.length; place++) assets.push(await released(await userAt(place)))
  const bob = await signUpCreator('bob', service)
  const items = assets.flatMap(({ id, key }) => [
    { asset_id: id, version: 1 },
    { asset_id: id, version: 1, channel_key: key },
  ])
  // The first request finds where the partitions are.
  await bob.updates(items)
  const { trips } = await of(async () => {
    expect(await bob.updates(items)).toMatchObject(
      items.map((_, index) => ({ version: index % 2 ? 2 : null })),
    )
  })
  expect(trips).toBe(databaseNames.length)
})

it('moves channels with their user: nothing changes for anybody, and nothing is left behind', async () => {
  const [ada, bob] = [await userAt(0), await userAt(1)]
  const asset = await released(ada)
  const seen = async (user: Creator) => {
    const { text, headers } = await user.readAsset(asset)
    return [
      text,
      headers.get('ETag'),
      (await user.get(`/game/assets/${asset.id}?channel_key=${asset.key}`)).text,
    ]
  }
  const before = [await seen(ada), await seen(bob), await ada.channels(asset)]
  const range = { first: partitionOf(ada.id), last: partitionOf(ada.id) }
  for (const target of ['DB_1', 'DB_2', 'DB']) {
    await moveAll(range, target)
    expect((await everything()).strays).toEqual([])
    expect([await seen(ada), await seen(bob), await ada.channels(asset)]).toEqual(before)
    await expectSound(ada.id)
  }
  await ada.release(asset, 3)
  expect((await bob.readAsset(asset)).body).toMatchObject({ current_version: 3 })
})
