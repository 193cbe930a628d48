import { expect, it } from 'vitest'
import { signUpCreator } from '../support/creator.ts'
import { unknownId } from '../support/ids.ts'

it('says what each asset would be now, in the order asked for, and null for what the caller has', async () => {
  const [ada, bob] = [await signUpCreator('ada'), await signUpCreator('bob')]
  const castle = await ada.asset('castle', { visibility: 'public' }, 'one')
  const second = (await ada.publish({ asset_id: castle.id }, 'second')).version
  const tree = await ada.asset('tree', { visibility: 'public' }, 'tree')
  const items = [
    { asset_id: castle.id, version: 1 },
    { asset_id: tree.id, version: 1 },
    { asset_id: castle.id, version: 2 },
    { asset_id: castle.id, version: 0 },
    { asset_id: castle.id, version: 7 },
  ]
  const { size_bytes, checksum_sha256 } = second
  const now = { asset_id: castle.id, version: 2, platform: null, size_bytes, checksum_sha256 }
  for (const user of [ada, bob])
    expect(await user.updates(items)).toEqual([
      now,
      { asset_id: tree.id, version: null },
      { asset_id: castle.id, version: null },
      now,
      now,
    ])
})

it('is what players get for everybody, or what the channel of a key serves', async () => {
  const [ada, bob] = [await signUpCreator('ada'), await signUpCreator('bob')]
  const { id: asset_id } = await ada.asset('castle', { visibility: 'public' }, 'one')
  for (const content of ['two', 'three']) await ada.version(asset_id, content)
  await ada.release(asset_id, 1)
  const channel_key = (await ada.release(asset_id, 2, 'beta')).key ?? ''
  for (const user of [ada, bob])
    expect(
      await user.updates([
        { asset_id, version: 1 },
        { asset_id, version: 3 },
        { asset_id, version: 1, channel_key },
        { asset_id, version: 2, channel_key },
        { asset_id, version: 1, channel_key: 'unknown' },
      ]),
    ).toMatchObject([
      { asset_id, version: null },
      { asset_id, version: 1 },
      { asset_id, version: 2 },
      { asset_id, version: null },
      { asset_id, code: 'CHANNEL_NOT_FOUND' },
    ])
})

it('takes the build of the game', async () => {
  const ada = await signUpCreator('ada')
  const { asset } = await ada.publish({ name: 'castle', asset_type: 'world', max_build: 9 })
  await ada.publish({ asset_id: asset.id, min_build: 10 })
  const item = { asset_id: asset.id, version: 1 }
  expect(await ada.updates([item], 9)).toEqual([{ asset_id: asset.id, version: null }])
  expect(await ada.updates([item], 10)).toMatchObject([{ asset_id: asset.id, version: 2 }])
  await ada.editVersion(asset, 1, { min_build: 5 })
  expect(await ada.updates([item], 4)).toEqual([{ asset_id: asset.id, code: 'VERSION_NOT_FOUND' }])
})

it('has codes for what the caller may not read, and for what has no content', async () => {
  const [ada, bob] = [await signUpCreator('ada'), await signUpCreator('bob')]
  const [closed, empty] = [await ada.asset('closed'), await ada.emptyAsset('empty', { visibility: 'public' })]
  const key = (await ada.release(closed, 1, 'beta')).key ?? ''
  const items = [
    { asset_id: closed.id, version: 0 },
    { asset_id: closed.id, version: 0, channel_key: key },
    { asset_id: empty.id, version: 0 },
    { asset_id: unknownId, version: 1 },
    { asset_id: 'no id', version: 1 },
  ]
  expect(await bob.updates(items)).toEqual(
    items.map(({ asset_id }) => ({
      asset_id,
      code: asset_id === empty.id ? 'VERSION_NOT_FOUND' : 'ASSET_NOT_FOUND',
    })),
  )
})

it('takes 1 to 100 items, each with a version', async () => {
  const ada = await signUpCreator('ada')
  const item = { asset_id: unknownId, version: 1 }
  for (const items of [[], Array.from({ length: 101 }, () => item), [{ asset_id: unknownId }], undefined]) {
    const answer = await ada.request('POST', '/game/updates', { json: { items } })
    expect(answer).toBeProblem(400, 'VALIDATION_FAILED')
  }
  const most = Array.from({ length: 100 }, () => item)
  expect(await ada.updates(most, 2_147_483_647)).toHaveLength(100)
  for (const build of [-1, 2_147_483_648, '1'])
    expect(await ada.request('POST', '/game/updates', { json: { items: most, build } })).toBeProblem(
      400,
      'VALIDATION_FAILED',
    )
})
