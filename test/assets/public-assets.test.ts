import { describe, expect, it } from 'vitest'
import { type Creator, signUpCreator, summaryOf } from '../support/creator.ts'
import { valuesOf } from '../support/description.ts'
import { unknownId } from '../support/ids.ts'
import { operator } from '../support/user.ts'

const gameAssetTypes = await valuesOf('browseAssets', 'type')

const shown = { visibility: 'public' }

async function two(): Promise<[Creator, Creator]> {
  return [await signUpCreator('ada'), await signUpCreator('bob')]
}

/** The names of an owner's assets in a list of public ones, page by page, as anybody sees them. */
async function namesOf(owner: Creator, query = '', limit = 100): Promise<string[]> {
  const visitor = await signUpCreator('visitor')
  const names: string[] = []
  let cursor: string | null = null
  do {
    const after = cursor ? `&cursor=${cursor}` : ''
    const page: Awaited<ReturnType<Creator['assets']>> = await visitor.assets(
      `/public?limit=${limit}${after}${query}`,
    )
    expect(page.assets.length).toBeLessThanOrEqual(limit)
    names.push(...page.assets.filter(({ owner_id }) => owner_id === owner.id).map(({ name }) => name))
    cursor = page.next_cursor
  } while (cursor)
  return names
}

describe('GET /v1/game/public/{type}/{id}', () => {
  it('answers with a public asset and its latest version, if it has one', async () => {
    const [ada, bob] = await two()
    for (const type of gameAssetTypes) {
      const asset = await ada.emptyAsset(type, { type, ...shown })
      const path = `/game/public/${type}/${asset.id}`
      for (const user of [ada, bob]) {
        const { status, body } = await user.get(path)
        expect([status, body]).toEqual([200, { ...asset, versions: [] }])
      }
      await ada.version(asset)
      const { version, asset: now } = await ada.publish({ asset_id: asset.id })
      expect((await bob.get(path)).body).toEqual({ ...now, versions: [version] })
    }
  })

  it('knows no asset of another type, and none that is private, deleted or unknown', async () => {
    const [ada, bob] = await two()
    const asset = await ada.asset('a', shown)
    for (const path of [`prop/${asset.id}`, `avatar/${asset.id}`, `world/${unknownId}`, 'world/x'])
      expect(await bob.get(`/game/public/${path}`)).toBeProblem(404, 'ASSET_NOT_FOUND')
    const hidings = [() => ada.editAsset(asset, { visibility: 'private' }), () => ada.deleteAsset(asset)]
    for (const hide of hidings) {
      await hide()
      for (const user of [ada, bob])
        expect(await user.get(`/game/public/world/${asset.id}`)).toBeProblem(404, 'ASSET_NOT_FOUND')
      if (hide === hidings[0]) await ada.editAsset(asset, shown)
    }
  })

  it.each(['World', 'worlds', 'file', '%00', '*'])('knows no type %s', async (type) => {
    const ada = await signUpCreator()
    const asset = await ada.emptyAsset('a', shown)
    for (const id of [asset.id, unknownId])
      expect(await ada.get(`/game/public/${type}/${id}`)).toBeProblem(
        400,
        'INVALID_ASSET_TYPE',
        '"in":"path"',
      )
  })
})

describe('GET /v1/game/public', () => {
  it('lists everybody’s public assets with their exact members, newest first', {
    tags: 'runtime',
  }, async () => {
    const [ada, bob] = await two()
    await ada.emptyAsset('hidden')
    const first = await ada.emptyAsset('first', { type: 'prop', ...shown })
    const second = await bob.asset('second', shown)
    const third = await ada.asset('third', { asset_type: 'avatar', ...shown })
    const { status, body } = await bob.get('/game/public?limit=3')
    expect([status, body]).toEqual([
      200,
      {
        assets: [third, second, first].map(summaryOf),
        next_cursor: expect.toBeOneOf([null, expect.any(String)]),
      },
    ])
    expect(await namesOf(ada)).toEqual(['third', 'first'])
    for (const [type, names] of [
      ['world', []],
      ['avatar', ['third']],
      ['prop', ['first']],
    ] as const)
      expect(await namesOf(ada, `&type=${type}`)).toEqual(names)
  })

  it('shows an asset as long as it is public, not deleted and not blocked', async () => {
    const ada = await signUpCreator()
    const moderator = await operator('content:moderate')
    const asset = await ada.emptyAsset('here')
    const block = (method: string) => moderator.request(method, `/game/assets/${asset.id}/block`)
    const steps: [step: () => Promise<unknown>, isThere: boolean][] = [
      [() => ada.get('/quota'), false],
      [() => ada.editAsset(asset, shown), true],
      [() => ada.editAsset(asset, { visibility: 'private' }), false],
      [() => ada.editAsset(asset, shown), true],
      [() => block('PUT'), false],
      [() => ada.editAsset(asset, shown), false],
      [() => block('DELETE'), true],
      [() => ada.deleteAsset(asset), false],
      [() => ada.restoreAsset(asset), true],
      [() => ada.deleteAsset(asset, '?permanent=true'), false],
    ]
    for (const [step, isThere] of steps) {
      await step()
      expect(await namesOf(ada), String(step)).toEqual(isThere ? ['here'] : [])
    }
  })

  it.each([1, 2, 3, 100])('shows each asset once, %s a page', async (limit) => {
    const [ada, bob] = await two()
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
    for (const [i, name] of names.entries()) {
      await ada.emptyAsset(name, { type: gameAssetTypes[i % 3], ...shown })
      await bob.emptyAsset(name, { type: gameAssetTypes[(i + 1) % 3], ...shown })
    }
    expect(await namesOf(ada, '', limit)).toEqual([...names].reverse())
    expect(await namesOf(ada, '&type=world', limit)).toEqual(['g', 'd', 'a'])
  })

  it('goes on from where a page ended, whatever comes and goes', async () => {
    const ada = await signUpCreator()
    const assets = []
    for (const name of ['a', 'b', 'c', 'd', 'e']) assets.push(await ada.emptyAsset(name, shown))
    const first = await ada.assets('/public?limit=2')
    expect(first.assets.map(({ name }) => name)).toEqual(['e', 'd'])
    await ada.emptyAsset('new', shown)
    await ada.deleteAsset(assets[3] ?? '')
    await ada.editAsset(assets[1] ?? '', { visibility: 'private' })
    const second = await ada.assets(`/public?limit=2&cursor=${first.next_cursor}`)
    expect(second.assets.map(({ name }) => name)).toEqual(['c', 'a'])
  })

  it('takes limits from 1 to 100, and 50 unless told', async () => {
    const ada = await signUpCreator()
    await Promise.all(Array.from({ length: 51 }, (_, i) => ada.emptyAsset(`${i}`, shown)))
    expect((await ada.assets('/public')).assets).toHaveLength(50)
    expect((await ada.assets('/public?limit=1')).assets).toHaveLength(1)
    expect((await ada.assets('/public?limit=100')).assets.length).toBeGreaterThan(50)
    for (const limit of ['0', '101', '-1', '1.5', 'x', ''])
      expect(await ada.get(`/game/public?limit=${limit}`)).toBeProblem(400, 'VALIDATION_FAILED', '/limit')
  })

  it('refuses types that are none, and cursors that are malformed or of another list', async () => {
    const ada = await signUpCreator()
    for (const name of ['castle 1', 'castle 2']) await ada.emptyAsset(name, shown)
    for (const type of ['', 'World', 'file'])
      expect(await ada.get(`/game/public?type=${type}`)).toBeProblem(400, 'INVALID_ASSET_TYPE')
    const lists = [
      '/game/public?limit=1',
      '/game/public?limit=1&type=world',
      '/game/public?limit=1&q=c',
      '/game/public?limit=1&q=ca',
      '/game/public?limit=1&q=castle',
      '/game/public?limit=1&q=castle&type=world',
      '/game/public?limit=1&q=cast',
      '/game/assets?limit=1',
    ]
    const cursors: string[] = []
    for (const path of lists) {
      const { next_cursor } = (await ada.get(path)).body as { next_cursor: string }
      expect(next_cursor, path).toEqual(expect.any(String))
      cursors.push(next_cursor)
    }
    for (const [i, path] of lists.entries())
      for (const cursor of ['', 'x', btoa('[]'), ...cursors.filter((_, other) => other !== i)])
        expect(await ada.get(`${path}&cursor=${cursor}`), path).toBeProblem(400, 'INVALID_CURSOR')
  })
})
