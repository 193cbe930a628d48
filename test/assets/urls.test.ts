import { describe, expect, it } from 'vitest'
import { type Creator, signUpCreator } from '../support/creator.ts'
import { unknownId } from '../support/ids.ts'
import { bookmarkOf, lasting, urlAt } from '../support/urls.ts'
import { operator } from '../support/user.ts'

interface Item {
  asset_id: string
  version?: number
}

/** The answer of a request for one URL, as the request for many has it. `current`: the version of an item without one. */
async function alone(user: Creator, { asset_id, version }: Item, current: number): Promise<object> {
  const found = await urlAt(user, `/game/assets/${asset_id}/versions/${version ?? current}/url`)
  const isKnown = !('code' in found) || found.code !== 'ASSET_NOT_FOUND'
  return { asset_id, version: version ?? (isKnown ? current : undefined), ...found }
}

describe('the URLs of many assets', () => {
  it('are in the order asked for, and each reads its version', async () => {
    const ada = await signUpCreator('ada')
    const asset = await ada.asset('castle', {}, 'one')
    await ada.version(asset, 'two')
    const other = await ada.asset('tree', {}, 'tree')
    const branch = (await ada.branched(asset)).asset
    const items = [
      { asset_id: other.id },
      { asset_id: asset.id },
      { asset_id: asset.id, version: 1 },
      { asset_id: asset.id, version: 1 },
      { asset_id: branch.id },
    ]
    const urls = await ada.assetUrls(items)
    expect(urls.map(({ asset_id, version }) => ({ asset_id, version }))).toEqual(
      items.map(({ asset_id }, index) => ({ asset_id, version: [1, 2, 1, 1, 1][index] })),
    )
    const contents: string[] = []
    for (const { url = '' } of urls) contents.push(await (await ada.fetchSigned(url)).text())
    expect(contents).toEqual(['tree', 'two', 'one', 'one', 'two'])
  })

  it('have the answers of the single requests, for the owner and for others', async () => {
    const [ada, bob] = [await signUpCreator('ada'), await signUpCreator('bob')]
    const [open, closed] = [await ada.asset('open', { visibility: 'public' }), await ada.asset('closed')]
    await ada.version(open)
    const [empty, deleted] = [
      await ada.emptyAsset('empty', { visibility: 'public' }),
      await ada.asset('deleted'),
    ]
    await ada.deleteAsset(deleted)
    const purged = await ada.asset('purged', { visibility: 'public' })
    await ada.deleteAsset(purged, '?permanent=true')
    const blocked = await ada.asset('blocked', { visibility: 'public' })
    const moderator = await operator('content:moderate')
    expect((await moderator.request('PUT', `/game/assets/${blocked.id}/block`)).status).toBe(204)
    const branch = (await bob.branched(open)).asset
    const currents = new Map([
      ...[open, closed, deleted, purged, blocked, branch].map(({ id }) => [id, 1] as const),
      [open.id, 2],
      [empty.id, 0],
      [unknownId, 0],
    ])
    const items = [...currents.keys()].flatMap((asset_id): Item[] => [
      { asset_id },
      ...[1, 2, 3, 0, -1, 1e15, 1e300].map((version) => ({ asset_id, version })),
    ])
    for (const user of [ada, bob]) {
      const single: object[] = []
      for (const item of items) single.push(await alone(user, item, currents.get(item.asset_id) ?? 0))
      expect(lasting(await user.assetUrls(items))).toEqual(lasting(single))
    }
    expect(await bob.assetUrls([{ asset_id: empty.id }, { asset_id: closed.id }])).toEqual([
      { asset_id: empty.id, version: 0, code: 'VERSION_NOT_FOUND' },
      { asset_id: closed.id, code: 'ASSET_NOT_FOUND' },
    ])
  })

  it('of text that is no id are ASSET_NOT_FOUND', async () => {
    const ada = await signUpCreator('ada')
    const { id } = await ada.asset()
    const texts = ['', 'urls', id.toUpperCase(), '\ud800']
    expect(await ada.assetUrls([...texts, id].map((asset_id) => ({ asset_id })))).toEqual([
      ...texts.map((asset_id) => ({ asset_id, code: 'ASSET_NOT_FOUND' })),
      expect.objectContaining({ asset_id: id, version: 1, url: expect.any(String) }),
    ])
  })

  it('of an asset that is private again are ASSET_NOT_FOUND at once, whatever bookmark a request has', async () => {
    const [ada, bob] = [await signUpCreator('ada'), await signUpCreator('bob')]
    const asset = await ada.asset('open', { visibility: 'public' })
    const headers = await bookmarkOf(bob)
    expect(await bob.assetUrls([{ asset_id: asset.id }])).toMatchObject([{ version: 1 }])
    await ada.editAsset(asset, { visibility: 'private' })
    const answer = await bob.request('POST', '/game/urls', {
      json: { items: [{ asset_id: asset.id }] },
      headers,
    })
    expect(answer.body).toEqual({ urls: [{ asset_id: asset.id, code: 'ASSET_NOT_FOUND' }] })
  })

  it('are asked for up to 100 assets, and for one at least, each with a whole number or no version', async () => {
    const ada = await signUpCreator('ada')
    const item = { asset_id: (await ada.asset()).id }
    expect(await ada.assetUrls(Array.from({ length: 100 }, () => item))).toHaveLength(100)
    const wrong = [
      { version: 1.5 },
      { version: '1' },
      { version: null },
      { asset_id: 1 },
      { asset_id: undefined },
    ]
    for (const items of [
      [],
      Array.from({ length: 101 }, () => item),
      item,
      [item.asset_id],
      undefined,
      ...wrong.map((change) => [{ ...item, ...change }]),
    ])
      expect(await ada.request('POST', '/game/urls', { json: { items } })).toBeProblem(
        400,
        'VALIDATION_FAILED',
      )
  })
})
