import { describe, expect, it } from 'vitest'
import { made } from '../support/answer.ts'
import { aged, type Creator, signUpCreator } from '../support/creator.ts'
import { valuesOf } from '../support/description.ts'
import { idOf, newKey, unknownId } from '../support/ids.ts'
import { expectSound } from '../support/invariants.ts'
import { runJobIn } from '../support/objects.ts'
import { records } from '../support/records.ts'
import { serviceWith } from '../support/service.ts'
import { operator } from '../support/user.ts'

const gameAssetTypes = await valuesOf('browseAssets', 'type')

const world = (name: string) => ({ name, type: 'world' })

async function two(): Promise<[Creator, Creator]> {
  return [await signUpCreator('ada'), await signUpCreator('bob')]
}

describe('POST /v1/game/assets', () => {
  it.each(gameAssetTypes)(
    'answers with a new %s without content, private unless it says otherwise',
    async (type) => {
      const ada = await signUpCreator()
      const answer = await ada.createAsset({ name: 'Castle', type, blocked: true, current_version: 7 })
      expect(answer.status).toBe(201)
      const { created_at } = made(records.GameAsset, answer, 201)
      expect(answer.body).toEqual({
        id: expect.any(String),
        owner_id: ada.id,
        type,
        name: 'Castle',
        description: '',
        tags: [],
        metadata: {},
        visibility: 'private',
        listed: true,
        rating: null,
        preview_url: null,
        preview_width: null,
        preview_height: null,
        current_version: 0,
        favorites: 0,
        published_at: null,
        created_at: expect.any(Number),
        updated_at: created_at,
      })
      expect(Math.abs(created_at - Date.now() / 1000)).toBeLessThan(60)
      expect(answer.headers.get('Location')).toBe(`/v1/game/assets/${idOf(answer)}`)
      for (const visibility of ['public', 'private'])
        expect((await ada.createAsset({ name: visibility, type, visibility })).body).toMatchObject({
          visibility,
        })
    },
  )

  it('refuses other types and visibilities by their codes', async () => {
    const ada = await signUpCreator()
    for (const type of ['', 'World', 'file', 'world ', 7, null, undefined, ['world']])
      expect(await ada.createAsset({ name: 'a', type })).toBeProblem(400, 'INVALID_ASSET_TYPE', '/type')
    for (const visibility of ['', 'Public', 'hidden', true, null, ['public']])
      expect(await ada.createAsset({ ...world('a'), visibility })).toBeProblem(
        400,
        'INVALID_VISIBILITY',
        '/visibility',
      )
    for (const json of [[], 'name', 7, null])
      expect(await ada.createAsset(json)).toBeProblem(400, 'VALIDATION_FAILED')
    expect(await ada.assetNames('/assets')).toEqual([])
  })

  it('tells of several faults the name’s first, then the type’s, then the visibility’s, then a taken name', async () => {
    const ada = await signUpCreator()
    await ada.emptyAsset('taken')
    const faulty = { name: ' ', type: 'file', visibility: 'hidden' }
    expect(await ada.createAsset(faulty)).toBeProblem(400, 'ASSET_NAME_REQUIRED')
    expect(await ada.createAsset({})).toBeProblem(400, 'ASSET_NAME_REQUIRED')
    faulty.name = 'x'.repeat(256)
    expect(await ada.createAsset(faulty)).toBeProblem(400, 'ASSET_NAME_TOO_LONG')
    faulty.name = 'taken'
    expect(await ada.createAsset(faulty)).toBeProblem(400, 'INVALID_ASSET_TYPE')
    faulty.type = 'world'
    expect(await ada.createAsset(faulty)).toBeProblem(400, 'INVALID_VISIBILITY')
    faulty.visibility = 'public'
    expect(await ada.createAsset(faulty)).toBeProblem(409, 'DUPLICATE_ASSET_NAME')
  })

  it('gives a name to one of many who ask for it at once', async () => {
    const ada = await signUpCreator()
    const answers = await Promise.all(Array.from({ length: 12 }, () => ada.createAsset(world('one'))))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(11).fill(409)])
    expect(await ada.assetNames('/assets')).toEqual(['one'])
    await expectSound(ada.id)
  })

  it('refuses more assets than a user may have, until one is deleted for good', async () => {
    const ada = await signUpCreator('ada', serviceWith({ MAX_ASSETS: '2' }))
    const first = await ada.emptyAsset('first')
    await ada.emptyAsset('second')
    const limit = [409, 'LIMIT_REACHED', '"limit":"assets"'] as const
    expect(await ada.createAsset(world('third'))).toBeProblem(...limit)
    await ada.deleteAsset(first, '?permanent=true')
    expect((await ada.createAsset(world('third'))).status).toBe(201)
    expect(await ada.createAsset(world('fourth'))).toBeProblem(...limit)
    await expectSound(ada.id)
  })

  it('makes one asset of a request that is repeated with its key, and shows it as it stands now', async () => {
    const [ada, bob] = await two()
    const headers = newKey()
    const ask = () => ada.createAsset(world('one'), headers)
    const answers = await Promise.all(Array.from({ length: 12 }, ask))
    expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(201))
    expect(new Set(answers.map(idOf)).size).toBe(1)
    const [id] = answers.map(idOf)
    const { body } = await ada.editAsset(id ?? '', { name: 'two', visibility: 'public' })
    const again = await ask()
    expect([again.status, again.body]).toEqual([201, body])
    expect(again.headers.get('Location')).toBe(`/v1/game/assets/${id}`)
    expect(await ada.createAsset(world('other'), headers)).toBeProblem(422, 'IDEMPOTENCY_KEY_REUSED')
    expect((await bob.createAsset(world('one'), headers)).body).toMatchObject({ owner_id: bob.id })
    expect(await ada.assetNames('/assets')).toEqual(['two'])
  })

  it('leaves the key of a refused request free', async () => {
    const ada = await signUpCreator()
    const headers = newKey()
    const asset = await ada.emptyAsset('taken')
    expect(await ada.createAsset({ name: 'a', type: 'x' }, headers)).toBeProblem(400, 'INVALID_ASSET_TYPE')
    expect(await ada.createAsset(world('taken'), headers)).toBeProblem(409, 'DUPLICATE_ASSET_NAME')
    await ada.deleteAsset(asset)
    expect((await ada.createAsset(world('taken'), headers)).status).toBe(201)
  })

  it.each(['', '?permanent=true'])(
    'says that the asset is gone when it was deleted since (DELETE%s)',
    async (query) => {
      const ada = await signUpCreator()
      const headers = newKey()
      const ask = () => ada.createAsset(world('one'), headers)
      await ada.deleteAsset(idOf(await ask()), query)
      expect(await ask()).toBeProblem(404, 'ASSET_NOT_FOUND')
      expect(await ada.assetNames('/assets')).toEqual([])
    },
  )

  it('takes keys of 1 to 255 characters', async () => {
    const ada = await signUpCreator()
    for (const length of [0, 256])
      expect(await ada.createAsset(world('a'), { 'Idempotency-Key': 'k'.repeat(length) })).toBeProblem(
        400,
        'VALIDATION_FAILED',
        '"in":"header"',
      )
    for (const length of [1, 255])
      expect(
        (await ada.createAsset(world(`${length}`), { 'Idempotency-Key': 'k'.repeat(length) })).status,
      ).toBe(201)
  })
})

describe('GET /v1/game/assets/{id}', () => {
  it('answers with the asset and its versions, to its owner, and to anyone when it is public', async () => {
    const [ada, bob] = await two()
    const empty = await ada.emptyAsset('empty')
    expect((await ada.readAsset(empty)).body).toEqual({ ...empty, versions: [] })
    const { asset, version } = await ada.publish({ name: 'full', asset_type: 'prop' })
    const full = { ...asset, versions: [version] }
    expect((await ada.readAsset(asset)).body).toEqual(full)
    expect(await bob.readAsset(asset)).toBeProblem(404, 'ASSET_NOT_FOUND')
    await ada.editAsset(asset, { visibility: 'public' })
    const shown = {
      ...full,
      visibility: 'public',
      published_at: expect.any(Number),
      updated_at: expect.any(Number),
    }
    expect((await bob.readAsset(asset)).body).toEqual(shown)
  })
})

describe('PUT /v1/game/assets/{id}', () => {
  it('changes the name, the visibility, or both, and leaves the rest', async () => {
    const ada = await signUpCreator()
    const { asset, version } = await ada.publish({ name: 'a', asset_type: 'avatar' })
    const changes = [{ name: 'b' }, { visibility: 'public' }, { name: 'c', visibility: 'private' }]
    let now: Record<string, unknown> = asset
    for (const change of changes) {
      const { status, body } = await ada.editAsset(asset, { ...change, type: 'prop', id: 'x' })
      const published_at = change.visibility === 'public' ? expect.any(Number) : null
      now = { ...now, ...change, published_at, updated_at: expect.any(Number) }
      expect([status, body]).toEqual([200, now])
      expect((await ada.readAsset(asset)).body).toEqual({ ...(body as object), versions: [version] })
      expect((body as typeof asset).updated_at).toBeGreaterThanOrEqual(asset.updated_at)
    }
  })

  it('refuses a body with neither, and faulty members by their codes, the name’s first', async () => {
    const ada = await signUpCreator()
    const asset = await ada.emptyAsset()
    for (const body of [{}, { type: 'prop' }, [], null])
      expect(await ada.editAsset(asset, body)).toBeProblem(400, 'VALIDATION_FAILED')
    for (const visibility of ['hidden', '', null, true])
      expect(await ada.editAsset(asset, { visibility })).toBeProblem(400, 'INVALID_VISIBILITY')
    expect(await ada.editAsset(asset, { name: null })).toBeProblem(400, 'ASSET_NAME_REQUIRED')
    expect(await ada.editAsset(asset, { name: '', visibility: 'x' })).toBeProblem(400, 'ASSET_NAME_REQUIRED')
    expect(await ada.editAsset(asset, { name: 'new', visibility: 'x' })).toBeProblem(
      400,
      'INVALID_VISIBILITY',
    )
    expect((await ada.readAsset(asset)).body).toEqual({ ...asset, versions: [] })
  })

  it('refuses a name that another asset of the owner’s has, and changes nothing then', async () => {
    const ada = await signUpCreator()
    const [asset] = [await ada.emptyAsset('a'), await ada.emptyAsset('b')]
    const change = { name: 'b', visibility: 'public' }
    expect(await ada.editAsset(asset, change)).toBeProblem(409, 'DUPLICATE_ASSET_NAME')
    expect((await ada.readAsset(asset)).body).toEqual({ ...asset, versions: [] })
    expect((await ada.editAsset(asset, { name: 'a' })).status).toBe(200)
    await ada.editAsset(asset, { name: 'c' })
    expect((await ada.createAsset(world('a'))).status).toBe(201)
  })

  it('moves updated_at, as new content does; deleting, restoring and blocking do not', async () => {
    const ada = await signUpCreator()
    const asset = await ada.asset('a')
    const moderator = await operator('content:moderate')
    const moves: [moves: boolean, act: () => Promise<unknown>][] = [
      [true, () => ada.editAsset(asset, { name: 'b' })],
      [true, () => ada.editAsset(asset, { visibility: 'public' })],
      [true, () => ada.version(asset)],
      [true, () => ada.rollBack(asset, { from_version: 1 })],
      [false, () => ada.deleteAsset(asset)],
      [false, () => ada.restoreAsset(asset)],
      [false, () => ada.restoreAsset(asset, { name: 'ignored' })],
      [false, () => moderator.request('PUT', `/game/assets/${asset.id}/block`)],
      [false, () => ada.branch(asset, { name: 'branch' })],
    ]
    for (const [does, act] of moves) {
      await aged(asset)
      await act()
      const query = String(act).includes('deleteAsset') ? '?deleted=true' : ''
      const now = (await ada.assets(`/assets${query}`)).assets.find(({ id }) => id === asset.id)
      expect(Date.now() / 1000 - (now?.updated_at ?? 0) < 1_800, String(act)).toBe(does)
    }
  })

  it('is the owner’s, and not for what is deleted', async () => {
    const [ada, bob] = await two()
    const asset = await ada.emptyAsset('a', { visibility: 'public' })
    for (const id of [asset.id, unknownId, 'x'])
      expect(await bob.editAsset(id, { name: 'b' })).toBeProblem(404, 'ASSET_NOT_FOUND')
    await ada.deleteAsset(asset)
    expect(await ada.editAsset(asset, { name: 'b' })).toBeProblem(404, 'ASSET_NOT_FOUND')
  })
})

describe('DELETE /v1/game/assets/{id}', () => {
  it('answers 204, and the asset is gone from sight; its bytes count on', async () => {
    const [ada, bob] = await two()
    const asset = await ada.asset('a', { visibility: 'public' }, 'content')
    const answer = await ada.deleteAsset(asset)
    expect([answer.status, answer.text]).toEqual([204, ''])
    for (const user of [ada, bob]) {
      expect(await user.readAsset(asset)).toBeProblem(404, 'ASSET_NOT_FOUND')
      expect(await user.get(`/game/assets/${asset.id}/versions/1/url`)).toBeProblem(404, 'ASSET_NOT_FOUND')
    }
    expect(await ada.deleteAsset(asset)).toBeProblem(404, 'ASSET_NOT_FOUND')
    expect(await ada.assetNames('/assets')).toEqual([])
    expect((await ada.quota()).used_bytes).toBe(7)
  })

  it('deletes for good what is live and what is deleted, and the bytes go with the job at the latest', async () => {
    const ada = await signUpCreator()
    const [live, deleted] = [await ada.asset('live'), await ada.asset('deleted')]
    await ada.deleteAsset(deleted, '?permanent=false')
    expect(await ada.assetNames('/assets?deleted=true')).toEqual(['deleted'])
    for (const asset of [live, deleted]) {
      const answer = await ada.deleteAsset(asset, '?permanent=true')
      expect([answer.status, answer.text]).toEqual([204, ''])
      for (const query of ['', '?permanent=true'])
        expect(await ada.deleteAsset(asset, query)).toBeProblem(404, 'ASSET_NOT_FOUND')
      expect(await ada.readAsset(asset)).toBeProblem(404, 'ASSET_NOT_FOUND')
      expect(await ada.restoreAsset(asset)).toBeProblem(404, 'ASSET_NOT_FOUND')
    }
    expect(await ada.assetNames('/assets?deleted=true')).toEqual([])
    await runJobIn(0)
    expect((await ada.quota()).used_bytes).toBe(0)
    await expectSound(ada.id)
  })

  it('is the owner’s, and takes permanent as true, false, 1 or 0 only', async () => {
    const [ada, bob] = await two()
    const asset = await ada.emptyAsset('a', { visibility: 'public' })
    for (const query of ['', '?permanent=true'])
      for (const id of [asset.id, unknownId, 'x'])
        expect(await bob.deleteAsset(id, query)).toBeProblem(404, 'ASSET_NOT_FOUND')
    for (const query of ['?permanent=', '?permanent=2', '?permanent=TRUE'])
      expect(await ada.deleteAsset(asset, query)).toBeProblem(400, 'VALIDATION_FAILED', '/permanent')
    expect((await ada.readAsset(asset)).status).toBe(200)
    expect((await ada.deleteAsset(asset, '?permanent=0')).status).toBe(204)
    expect(await ada.assetNames('/assets?deleted=1')).toEqual(['a'])
    expect((await ada.deleteAsset(asset, '?permanent=1')).status).toBe(204)
    expect(await ada.assetNames('/assets?deleted=1')).toEqual([])
  })
})
