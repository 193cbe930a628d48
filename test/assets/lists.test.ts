import { describe, expect, it } from 'vitest'
import { type Creator, signUpCreator, summaryOf } from '../support/creator.ts'
import { unknownId } from '../support/ids.ts'
import { expectSound } from '../support/invariants.ts'
import { runJobIn } from '../support/objects.ts'

async function two(): Promise<[Creator, Creator]> {
  return [await signUpCreator('ada'), await signUpCreator('bob')]
}

/** Makes assets of those names, one after the other, and deletes them if they are to be listed as deleted. */
async function many(ada: Creator, names: string[], query: string, type = 'world') {
  for (const name of names) {
    const asset = await ada.emptyAsset(name, { type })
    if (query.includes('deleted=true')) await ada.deleteAsset(asset)
  }
}

describe('GET /v1/game/assets', () => {
  it('lists the caller’s assets with their exact members, newest first, and nobody else’s', async () => {
    const [ada, bob] = await two()
    expect((await ada.get('/game/assets')).body).toEqual({ assets: [], next_cursor: null })
    const first = await ada.emptyAsset('first', { type: 'prop' })
    const second = await ada.asset('second', { visibility: 'public' })
    const third = await ada.emptyAsset('third', { type: 'avatar' })
    await bob.emptyAsset('bobs', { visibility: 'public' })
    const { status, body } = await ada.get('/game/assets')
    expect([status, body]).toEqual([
      200,
      { assets: [third, second, first].map(summaryOf), next_cursor: null },
    ])
  })

  it('keeps an asset in its place when it is changed, gets content, or comes back', async () => {
    const ada = await signUpCreator()
    const first = await ada.emptyAsset('first')
    await ada.emptyAsset('second')
    await ada.editAsset(first, { name: 'renamed' })
    await ada.version(first)
    await ada.deleteAsset(first)
    await ada.restoreAsset(first)
    expect(await ada.assetNames('/assets')).toEqual(['second', 'renamed'])
  })

  it('lists one type only, or the deleted ones only, or both', async () => {
    const ada = await signUpCreator()
    for (const type of ['world', 'prop', 'avatar', 'world']) {
      await ada.emptyAsset(`${type} ${crypto.randomUUID().slice(0, 4)}`, { type })
      await many(ada, [`gone ${type} ${crypto.randomUUID().slice(0, 4)}`], '?deleted=true', type)
    }
    const listed = async (query: string) =>
      (await ada.assetNames(`/assets${query}`)).map((name) => name.slice(0, -5))
    expect(await listed('')).toEqual(['world', 'avatar', 'prop', 'world'])
    expect(await listed('?type=world')).toEqual(['world', 'world'])
    expect(await listed('?type=avatar&deleted=false')).toEqual(['avatar'])
    expect(await listed('?deleted=true')).toEqual(['gone world', 'gone avatar', 'gone prop', 'gone world'])
    expect(await listed('?deleted=true&type=prop')).toEqual(['gone prop'])
    for (const type of ['', 'World', 'file', 'world,prop'])
      expect(await ada.get(`/game/assets?type=${type}`)).toBeProblem(
        400,
        'INVALID_ASSET_TYPE',
        '"in":"query"',
      )
    expect(await listed('?deleted=1&type=prop')).toEqual(['gone prop'])
    expect(await listed('?deleted=0&type=avatar')).toEqual(['avatar'])
    for (const deleted of ['', '2', '01', 'yes', 'True'])
      expect(await ada.get(`/game/assets?deleted=${deleted}`)).toBeProblem(
        400,
        'VALIDATION_FAILED',
        '/deleted',
      )
    expect(await ada.get('/game/assets?type=x&limit=0')).toBeProblem(400, 'INVALID_ASSET_TYPE')
  })

  it('shows deleted ones to their owner only, as they were', async () => {
    const [ada, bob] = await two()
    const asset = await ada.asset('a', { visibility: 'public' })
    await ada.deleteAsset(asset)
    expect((await ada.get('/game/assets?deleted=true')).body).toEqual({
      assets: [summaryOf(asset)],
      next_cursor: null,
    })
    expect(await bob.assetNames('/assets?deleted=true')).toEqual([])
  })

  it('takes limits from 1 to 100, and 50 unless told', async () => {
    const ada = await signUpCreator()
    await Promise.all(Array.from({ length: 51 }, (_, i) => ada.emptyAsset(`${i}`)))
    for (const [query, count] of [
      ['', 50],
      ['?limit=1', 1],
      ['?limit=51', 51],
      ['?limit=100', 51],
    ] as const) {
      const page = await ada.assets(`/assets${query}`)
      expect([page.assets.length, page.next_cursor === null]).toEqual([count, count === 51])
    }
    for (const limit of ['0', '101', '-1', '1.5', '1e1', 'x', ''])
      expect(await ada.get(`/game/assets?limit=${limit}`)).toBeProblem(400, 'VALIDATION_FAILED', '/limit')
  })

  it.each(['?', '?type=world', '?deleted=true', '?deleted=true&type=world'])(
    'goes on page by page, each once, whatever comes and goes (%s)',
    async (query) => {
      const ada = await signUpCreator()
      const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i']
      await many(ada, names, query)
      const first = await ada.assets(`/assets${query}&limit=2`)
      expect(first.assets.map(({ name }) => name)).toEqual(['i', 'h'])
      await many(ada, ['new'], query)
      const [shown, last] = first.assets
      const [leaving] = (await ada.assets(`/assets${query}&limit=100`)).assets.filter(
        ({ name }) => name === 'e',
      )
      for (const { id } of [shown, last, leaving].flatMap((asset) => asset ?? []))
        await ada.deleteAsset(id, '?permanent=true')
      const second = await ada.assets(`/assets${query}&limit=3&cursor=${first.next_cursor}`)
      expect(second.assets.map(({ name }) => name)).toEqual(['g', 'f', 'd'])
      const third = await ada.assets(`/assets${query}&limit=100&cursor=${second.next_cursor}`)
      expect(third.assets.map(({ name }) => name)).toEqual(['c', 'b', 'a'])
      expect(third.next_cursor).toBeNull()
    },
  )

  it('shows no next page when the last one is just full', async () => {
    const ada = await signUpCreator()
    await many(ada, ['a', 'b'], '')
    expect((await ada.assets('/assets?limit=2')).next_cursor).toBeNull()
    expect((await ada.assets('/assets?limit=1')).next_cursor).not.toBeNull()
  })

  it('refuses cursors that are malformed or of another list', async () => {
    const ada = await signUpCreator()
    await many(ada, ['a', 'b'], '')
    await many(ada, ['c', 'd'], '?deleted=true')
    const asset = await ada.asset('e', { visibility: 'public' })
    await ada.asset('f', { visibility: 'public' })
    await ada.version(asset)
    await ada.folder('one')
    await ada.folder('two')
    const lists = [
      '/game/assets?limit=1',
      '/game/assets?limit=1&type=world',
      '/game/assets?limit=1&deleted=true',
      '/game/assets?limit=1&deleted=true&type=world',
      '/game/public?limit=1',
      `/game/assets/${asset.id}/versions?limit=1`,
      '/files?limit=1',
    ]
    const cursors: string[] = []
    for (const path of lists) {
      const { next_cursor } = (await ada.get(path)).body as { next_cursor: string }
      expect(next_cursor, path).toEqual(expect.any(String))
      cursors.push(next_cursor)
    }
    const malformed = ['', 'x', btoa('[]'), btoa('{}'), btoa('null'), btoa('["assets",1,2]'), '%00', '🏰']
    for (const [i, path] of lists.slice(0, 4).entries())
      for (const cursor of [...malformed, ...cursors.filter((_, other) => other !== i)])
        expect(await ada.get(`${path}&cursor=${encodeURIComponent(cursor)}`)).toBeProblem(
          400,
          'INVALID_CURSOR',
        )
  })

  it('is the same after a cursor without an id', async () => {
    const ada = await signUpCreator()
    await many(ada, ['a'], '?deleted=true', 'avatar')
    const cursor = btoa(JSON.stringify(['assets avatar true', '', '']))
    const path = '/game/assets?type=avatar&deleted=true'
    expect((await ada.get(`${path}&cursor=${cursor}`)).body).toEqual({ assets: [], next_cursor: null })
    expect(await ada.assetNames('/assets?type=avatar&deleted=true')).toEqual(['a'])
  })

  it('shows with another user’s cursor only what is the caller’s own', async () => {
    const [ada, bob] = await two()
    await bob.emptyAsset('bobs')
    await many(ada, ['a', 'b'], '')
    const { next_cursor } = await ada.assets('/assets?limit=1')
    expect((await bob.assets(`/assets?cursor=${next_cursor}`)).assets.map(({ name }) => name)).toEqual([
      'bobs',
    ])
  })
})

describe('POST /v1/game/assets/{id}/restore', () => {
  it('brings an asset back as it was, with its versions and their content', async () => {
    const [ada, bob] = await two()
    const asset = await ada.asset('a', { visibility: 'public' }, 'content')
    await ada.version(asset, 'more')
    const before = (await ada.readAsset(asset)).body as Record<string, unknown>
    const { versions: _, ...record } = before
    await ada.deleteAsset(asset)
    const { status, body } = await ada.restoreAsset(asset)
    expect([status, body]).toEqual([200, record])
    for (const user of [ada, bob]) {
      expect((await user.readAsset(asset)).body).toEqual(before)
      expect(await user.contentOf(asset, 1)).toBe('content')
    }
    expect(await ada.assetNames('/assets?deleted=true')).toEqual([])
    expect(await ada.assetNames('/assets')).toEqual(['a'])
    expect((await ada.version(asset)).version).toBe(3)
    await expectSound(ada.id)
  })

  it('refuses while its name is taken, and takes another, unless that is taken, too', async () => {
    const ada = await signUpCreator()
    const asset = await ada.emptyAsset('a')
    await ada.deleteAsset(asset)
    for (const name of ['a', 'b']) await ada.emptyAsset(name)
    for (const body of [undefined, {}, { name: 'a' }, { name: 'b' }])
      expect(await ada.restoreAsset(asset, body)).toBeProblem(409, 'DUPLICATE_ASSET_NAME')
    expect(await ada.assetNames('/assets?deleted=true')).toEqual(['a'])
    const { status, body } = await ada.restoreAsset(asset, { name: ' c ' })
    expect([status, body]).toEqual([200, { ...asset, name: 'c', updated_at: expect.any(Number) }])
    expect(await ada.assetNames('/assets')).toEqual(['b', 'a', 'c'])
  })

  it('takes another name also when its own is free', async () => {
    const ada = await signUpCreator()
    const asset = await ada.emptyAsset('a')
    await ada.deleteAsset(asset)
    expect((await ada.restoreAsset(asset, { name: 'b' })).body).toMatchObject({ id: asset.id, name: 'b' })
  })

  it('leaves an asset that is not deleted unchanged, whatever name comes with it', async () => {
    const ada = await signUpCreator()
    const asset = await ada.emptyAsset('a')
    await ada.emptyAsset('b')
    for (const sent of [undefined, {}, { name: 'a' }, { name: 'b' }, { name: 'c' }]) {
      const { status, body } = await ada.restoreAsset(asset, sent)
      expect([status, body]).toEqual([200, asset])
    }
    expect((await ada.readAsset(asset)).body).toEqual({ ...asset, versions: [] })
  })

  it('makes a public asset one of the deleted only once, however often it is deleted and restored', async () => {
    const ada = await signUpCreator()
    const asset = await ada.emptyAsset('again', { visibility: 'public' })
    for (let i = 0; i < 3; i++) {
      await ada.deleteAsset(asset)
      expect(await ada.assetNames('/assets?deleted=true')).toEqual(['again'])
      await ada.restoreAsset(asset)
      expect(await ada.assetNames('/assets')).toEqual(['again'])
    }
  })

  it('is for the owner, for what is there, and with a name that is one', async () => {
    const [ada, bob] = await two()
    const asset = await ada.emptyAsset('a', { visibility: 'public' })
    for (const delete_ of [() => undefined, () => ada.deleteAsset(asset)]) {
      await delete_()
      for (const id of [asset.id, unknownId, 'x'])
        for (const body of [undefined, { name: 'b' }])
          expect(await bob.restoreAsset(id, body)).toBeProblem(404, 'ASSET_NOT_FOUND')
    }
    expect(await ada.restoreAsset(asset, { name: '' })).toBeProblem(400, 'ASSET_NAME_REQUIRED')
    expect(await ada.restoreAsset(asset, [])).toBeProblem(400, 'VALIDATION_FAILED')
    await ada.deleteAsset(asset, '?permanent=true')
    expect(await ada.restoreAsset(asset)).toBeProblem(404, 'ASSET_NOT_FOUND')
  })

  it('works for thirty days, until the job has deleted the asset for good', async () => {
    const ada = await signUpCreator()
    const asset = await ada.asset('a')
    await ada.deleteAsset(asset)
    await runJobIn(29)
    expect((await ada.restoreAsset(asset)).body).toEqual(asset)
    expect(await ada.contentOf(asset, 1)).toBe('content')
    await ada.deleteAsset(asset)
    await runJobIn(31)
    expect(await ada.restoreAsset(asset)).toBeProblem(404, 'ASSET_NOT_FOUND')
    expect(await ada.assetNames('/assets?deleted=true')).toEqual([])
    expect((await ada.quota()).used_bytes).toBe(0)
    await expectSound(ada.id)
  })
})
