import { expect, it } from 'vitest'
import { moveStep } from '../../src/operators/shards/mover/move.ts'
import { partitionOf } from '../../src/platform/db/id.ts'
import { type Creator, signUpCreator } from '../support/creator.ts'
import { databaseNames, placeOf } from '../support/databases.ts'
import { meter } from '../support/meter.ts'
import { moveAll, mover } from '../support/moving.ts'
import { isolate } from '../support/service.ts'
import { lasting } from '../support/urls.ts'

/** A user with a home in the database at this place, with a public file and a public asset. */
async function userAt(place: number) {
  let user = await signUpCreator('ada', isolate())
  while (placeOf(user.id) !== place) user = await signUpCreator('ada', isolate())
  const file = await user.content('file', 'x')
  await user.change(file, { is_public: true })
  return { user, file, asset: await user.asset('asset', { visibility: 'public' }) }
}

/** The answers about these files and assets, without what differs from second to second. */
async function answersTo(user: Creator, of: { file: { id: string }; asset: { id: string } }[]) {
  const files = await user.urls(of.map(({ file }) => file.id))
  const assets = await user.assetUrls(of.map(({ asset }) => ({ asset_id: asset.id })))
  return [...lasting(files), ...lasting(assets)]
}

it('signs URLs of things in all databases in the order that was asked for, with one trip for each database', async () => {
  const { service, of } = meter()
  const owners: Awaited<ReturnType<typeof userAt>>[] = []
  for (let number = 0; number < 6; number++) owners.push(await userAt(number % databaseNames.length))
  const bob = await signUpCreator('bob', service)
  // The first request finds where the partitions are.
  await answersTo(bob, owners)
  for (const asked of [owners, owners.toReversed(), owners.slice(0, 1)]) {
    const trips = new Set(asked.map(({ user }) => placeOf(user.id))).size
    const ofFiles = await of(async () => {
      const urls = await bob.urls(asked.map(({ file }) => file.id))
      expect(urls).toMatchObject(asked.map(({ file }) => ({ id: file.id, url: expect.any(String) })))
    })
    const ofAssets = await of(async () => {
      const urls = await bob.assetUrls(asked.map(({ asset }) => ({ asset_id: asset.id })))
      expect(urls).toMatchObject(asked.map(({ asset }) => ({ asset_id: asset.id, url: expect.any(String) })))
    })
    expect([ofFiles.trips, ofAssets.trips]).toEqual([trips, trips])
  }
})

it('signs the same URLs while and after a partition moves, wherever an isolate expects it', async () => {
  const [one, other] = [await userAt(0), await userAt(1)]
  const bob = await signUpCreator('bob', isolate())
  const before = await answersTo(bob, [one, other])
  expect(before.every((answer) => 'at' in answer)).toBe(true)
  const range = { first: partitionOf(one.user.id), last: partitionOf(one.user.id) }
  for (let step = 0, isMoved = false; !isMoved; step++) {
    expect(step, 'the move ends').toBeLessThan(60)
    isMoved = (await moveStep(mover(), range, 'DB_1', { steps: 1 })).state === 'moved'
    for (const user of [bob, await signUpCreator('carl', isolate())])
      expect(await answersTo(user, [one, other])).toEqual(before)
  }
  for (const target of ['DB_2', 'DB']) {
    await moveAll(range, target)
    for (const user of [bob, await signUpCreator('carl', isolate())])
      expect(await answersTo(user, [one, other])).toEqual(before)
  }
})

it('signs none of what was made private in the new database, in an isolate that knows the old one', async () => {
  const one = await userAt(0)
  const bob = await signUpCreator('bob', isolate())
  await answersTo(bob, [one])
  const range = { first: partitionOf(one.user.id), last: partitionOf(one.user.id) }
  await moveAll(range, 'DB_1')
  expect((await one.user.change(one.file, { is_public: false })).status).toBe(200)
  expect((await one.user.editAsset(one.asset, { visibility: 'private' })).status).toBe(200)
  expect(await answersTo(bob, [one])).toEqual([
    { id: one.file.id, code: 'FILE_NOT_FOUND' },
    { asset_id: one.asset.id, code: 'ASSET_NOT_FOUND' },
  ])
})
