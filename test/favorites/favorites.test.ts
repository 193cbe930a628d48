import { describe, expect, it } from 'vitest'
import { Creator, signUpCreator } from '../support/creator.ts'
import { unknownId } from '../support/ids.ts'
import { serviceWith } from '../support/service.ts'
import { operator } from '../support/user.ts'

const shown = { visibility: 'public' }

/** Ada, who publishes assets, and Bob, who likes some. */
async function two(): Promise<[ada: Creator, bob: Creator]> {
  return [await signUpCreator('ada'), await signUpCreator('bob')]
}

const names = (user: Creator, limit?: number) => user.assetNames('/favorites', limit)

async function block(asset: { id: string }, method = 'PUT'): Promise<void> {
  const moderator = await operator('content:moderate')
  expect((await moderator.request(method, `/game/assets/${asset.id}/block`)).status).toBe(204)
}

/** Adds an asset to a user's favorites. Fails unless it succeeds. */
async function add(user: Creator, asset: { id: string }): Promise<void> {
  const { status, text } = await user.favor(asset)
  expect([status, text]).toEqual([204, ''])
}

async function erase(user: Creator): Promise<void> {
  const eraser = await operator('users:erase')
  expect((await eraser.request('DELETE', `/users/${user.id}`)).status).toBe(202)
}

describe('PUT /v1/game/assets/{id}/favorite', () => {
  it('adds a public asset of another user, and one’s own, public or private', async () => {
    const [ada, bob] = await two()
    const theirs = await ada.emptyAsset('theirs', shown)
    const own = [await bob.emptyAsset('own'), await bob.emptyAsset('own public', shown)]
    for (const asset of [theirs, ...own]) await add(bob, asset)
    expect(await names(bob)).toEqual(['own public', 'own', 'theirs'])
    expect(await names(ada)).toEqual([])
  })

  it('keeps the place of an asset that is added again, and counts it once', async () => {
    const [ada, bob] = await two()
    const assets = [await ada.emptyAsset('first', shown), await ada.emptyAsset('second', shown)]
    for (const asset of [...assets, ...assets]) await add(bob, asset)
    expect(await names(bob)).toEqual(['second', 'first'])
  })

  it('gives an asset that was taken back and is added again the first place', async () => {
    const [ada, bob] = await two()
    const [first, second] = [await ada.emptyAsset('first', shown), await ada.emptyAsset('second', shown)]
    for (const asset of [first, second]) await add(bob, asset)
    expect((await bob.unfavor(first)).status).toBe(204)
    await add(bob, first)
    expect(await names(bob)).toEqual(['first', 'second'])
  })

  it('knows no asset that the user may not read, whether it is a favorite already or not', async () => {
    const [ada, bob] = await two()
    const asset = await ada.emptyAsset('castle', shown)
    await add(bob, asset)
    await ada.editAsset(asset, { visibility: 'private' })
    const secret = await ada.emptyAsset('secret')
    const unknown = await bob.favor(unknownId)
    expect(unknown).toBeProblem(404, 'ASSET_NOT_FOUND')
    for (const id of [asset.id, secret.id, 'no-id-at-all', 'a\u0000b'])
      expect(await bob.favor(encodeURIComponent(id))).toBeProblem(404, 'ASSET_NOT_FOUND')
    expect(await names(bob)).toEqual([])
  })

  it('changes neither the asset’s ETag nor its time', async () => {
    const [ada, bob] = await two()
    const asset = await ada.emptyAsset('castle', shown)
    const before = await ada.readAsset(asset)
    await add(bob, asset)
    const after = await ada.readAsset(asset)
    expect([after.body, after.headers.get('ETag')]).toEqual([before.body, before.headers.get('ETag')])
  })

  it('refuses one more than MAX_FAVORITES, and has room again for one that is taken back', async () => {
    const [ada, bob] = await two()
    const bounded = new Creator(bob.id, bob.token, serviceWith({ MAX_FAVORITES: '2' }))
    const assets = [await ada.emptyAsset('1', shown), await ada.emptyAsset('2', shown)]
    const third = await ada.emptyAsset('3', shown)
    for (const asset of assets) expect((await bounded.favor(asset)).status).toBe(204)
    const refused = await bounded.favor(third)
    expect(refused).toBeProblem(409, 'LIMIT_REACHED')
    expect(refused.body).toMatchObject({ limit: 'favorites' })
    expect((await bounded.favor(assets[0] ?? '')).status, 'again').toBe(204)
    expect(await bounded.favor(unknownId)).toBeProblem(404, 'ASSET_NOT_FOUND')
    expect(await names(bob)).toEqual(['2', '1'])
    await bob.unfavor(assets[0] ?? '')
    expect((await bounded.favor(third)).status).toBe(204)
  })
})

describe('DELETE /v1/game/assets/{id}/favorite', () => {
  it('takes an asset back, also one that can’t be read any more', async () => {
    const [ada, bob] = await two()
    const hide: ((asset: { id: string }) => Promise<unknown>)[] = [
      async () => {},
      (asset) => ada.editAsset(asset, { visibility: 'private' }),
      (asset) => ada.deleteAsset(asset),
      (asset) => ada.deleteAsset(asset, '?permanent=true'),
      (asset) => block(asset),
    ]
    for (const act of hide) {
      const asset = await ada.emptyAsset(`asset ${hide.indexOf(act)}`, shown)
      await add(bob, asset)
      await act(asset)
      const { status, text } = await bob.unfavor(asset)
      expect([status, text]).toEqual([204, ''])
    }
    expect(await names(bob)).toEqual([])
  })

  it('is no error for a readable asset that is no favorite', async () => {
    const [ada, bob] = await two()
    const asset = await ada.emptyAsset('castle', shown)
    for (const user of [ada, bob, bob]) expect((await user.unfavor(asset)).status).toBe(204)
  })

  it('knows no asset that the user may not read and never added', async () => {
    const [ada, bob] = await two()
    const secret = await ada.emptyAsset('secret')
    for (const id of [secret.id, unknownId, 'no-id-at-all'])
      expect(await bob.unfavor(id)).toBeProblem(404, 'ASSET_NOT_FOUND')
    await add(ada, secret)
    expect(await bob.unfavor(secret)).toBeProblem(404, 'ASSET_NOT_FOUND')
    expect(await names(ada)).toEqual(['secret'])
  })
})

describe('GET /v1/game/favorites', () => {
  it('lists the last added first, page by page, as lists of assets show them', async () => {
    const [ada, bob] = await two()
    const added: string[] = []
    for (let number = 0; number < 5; number++) {
      const asset = await ada.emptyAsset(`${number}`, shown)
      await add(bob, asset)
      added.unshift(asset.name)
    }
    for (const limit of [1, 2, 5, 100]) expect(await names(bob, limit)).toEqual(added)
    const { assets } = await ada.assets('/assets')
    expect((await bob.assets('/favorites')).assets).toEqual(assets)
  })

  it('leaves out what can’t be read any more, in its place again when it can, and goes on to the end', async () => {
    const [ada, bob] = await two()
    const assets = [await ada.emptyAsset('0', shown), await ada.emptyAsset('1', shown)]
    const [first, second] = assets
    if (!first || !second) throw new Error('no assets')
    const third = await ada.emptyAsset('2', shown)
    for (const asset of [first, second, third]) await add(bob, asset)
    const hiding: [hide: () => Promise<unknown>, show: () => Promise<unknown>][] = [
      [() => ada.editAsset(second, { visibility: 'private' }), () => ada.editAsset(second, shown)],
      [() => ada.deleteAsset(second), () => ada.restoreAsset(second)],
      [() => block(second), () => block(second, 'DELETE')],
    ]
    for (const [hide, show] of hiding) {
      await hide()
      for (const limit of [1, 2, 100]) expect(await names(bob, limit)).toEqual(['2', '0'])
      await show()
      expect(await names(bob, 1)).toEqual(['2', '1', '0'])
    }
    expect((await bob.assets('/favorites?limit=3')).next_cursor).toBeNull()
  })

  it('shows users their own blocked asset', async () => {
    const [ada] = await two()
    const asset = await ada.emptyAsset('castle', shown)
    await add(ada, asset)
    await block(asset)
    expect((await ada.assets('/favorites')).assets).toMatchObject([{ id: asset.id, blocked: true }])
  })

  it('has its own cursors', async () => {
    const [ada, bob] = await two()
    for (const name of ['1', '2']) await add(bob, await ada.emptyAsset(name, shown))
    const { next_cursor } = await bob.assets('/favorites?limit=1')
    expect(await ada.get(`/game/assets?cursor=${next_cursor}`)).toBeProblem(400, 'INVALID_CURSOR')
    const other = await ada.assets('/assets?limit=1')
    expect(await bob.get(`/game/favorites?cursor=${other.next_cursor}`)).toBeProblem(400, 'INVALID_CURSOR')
  })
})

describe('the erasure of a user', () => {
  it('takes the favorites away at once, and leaves those of the new account', async () => {
    const [ada, bob] = await two()
    const assets = [await ada.emptyAsset('1', shown), await ada.emptyAsset('2', shown)]
    for (const asset of assets) await add(bob, asset)
    await erase(bob)
    expect(await names(bob)).toEqual([])
    for (const asset of assets) await add(bob, asset)
    expect(await names(bob)).toEqual(['2', '1'])
  })

  it('takes the user’s assets out of the favorites of others', async () => {
    const [ada, bob] = await two()
    const asset = await ada.emptyAsset('castle', shown)
    await add(bob, asset)
    await erase(ada)
    expect(await names(bob)).toEqual([])
    expect((await bob.unfavor(asset)).status).toBe(204)
    expect(await bob.unfavor(asset)).toBeProblem(404, 'ASSET_NOT_FOUND')
  })
})
