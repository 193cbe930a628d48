import { describe, expect, it } from 'vitest'
import { made } from '../support/answer.ts'
import { aged, type Creator, signUpCreator } from '../support/creator.ts'
import { newKey, unknownId } from '../support/ids.ts'
import { expectSound } from '../support/invariants.ts'
import { records } from '../support/records.ts'
import { operator } from '../support/user.ts'

/** Ada with a public asset of three versions, and Bob. */
async function three(declared: Record<string, unknown> = {}) {
  const [ada, bob] = [await signUpCreator('ada'), await signUpCreator('bob')]
  const asset = await ada.asset('castle', { visibility: 'public', ...declared }, 'one')
  await ada.version(asset, 'two')
  await ada.version(asset, 'three')
  return { ada, bob, asset }
}

const whole = async (user: Creator, path: string) =>
  made(records.GameAssetWithVersions, await user.get(`/game/${path}`), 200)

/** What a user gets of an asset: the record's current version and versions, and the content of what has no name. */
async function gets(user: Creator, asset: { id: string }) {
  const record = await whole(user, `assets/${asset.id}`)
  const [url] = await user.assetUrls([{ asset_id: asset.id }])
  const content = await (await user.fetchSigned(url?.url ?? '')).text()
  return [record.current_version, record.versions.map(({ version }) => version), content]
}

const all = [3, [3, 2, 1]]
const upTo2 = [2, [2, 1], 'two']

describe('the channel live', () => {
  it('is what everybody else gets, wherever they get the current version; the owner’s record stays whole', async () => {
    const { ada, bob, asset } = await three()
    expect(await gets(bob, asset)).toEqual([...all, 'three'])
    expect(await ada.release(asset, 2)).toEqual({
      channel: 'live',
      version: 2,
      key: null,
      updated_at: expect.any(Number),
    })
    expect(await gets(bob, asset)).toEqual(upTo2)
    expect(await gets(ada, asset)).toEqual([...all, 'two'])
    for (const user of [ada, bob]) {
      const { current_version, versions } = await whole(user, `public/world/${asset.id}`)
      expect([current_version, versions.map(({ version }) => version)]).toEqual([2, [2]])
    }
    expect([await ada.versions(asset), await bob.versions(asset)]).toEqual([
      [3, 2, 1],
      [2, 1],
    ])
    for (const path of ['', '/url']) {
      const third = `/game/assets/${asset.id}/versions/3${path}`
      expect((await ada.get(third)).status).toBe(200)
      expect(await bob.get(third)).toBeProblem(404, 'VERSION_NOT_FOUND')
    }
    const third = { asset_id: asset.id, version: 3 }
    expect(await bob.assetUrls([third])).toEqual([{ ...third, code: 'VERSION_NOT_FOUND' }])
    expect(await ada.assetUrls([third])).toMatchObject([{ ...third, url: expect.any(String) }])
    expect(await ada.contentOf(asset, 3)).toBe('three')
    await ada.version(asset, 'four')
    expect(await gets(bob, asset)).toEqual(upTo2)
    await ada.release(asset, 4)
    expect(await gets(bob, asset)).toEqual([4, [4, 3, 2, 1], 'four'])
    expect((await ada.deleteChannel(asset, 'live')).status).toBe(204)
    await ada.version(asset, 'five')
    expect(await gets(bob, asset)).toEqual([5, [5, 4, 3, 2, 1], 'five'])
    await expectSound(ada.id)
  })

  it('is in lists of others: the catalogue, a search, favorites and branches', async () => {
    const { ada, bob, asset } = await three()
    const source = await ada.asset('source', { visibility: 'public' })
    const branch = (await ada.branched(source)).asset
    await ada.version(branch, 'next')
    await ada.editAsset(branch, { visibility: 'public' })
    await ada.release(branch, 1)
    await ada.release(asset, 1)
    for (const one of [asset, branch]) await bob.favor(one)
    const versionIn = async (user: Creator, path: string, one: { id: string }) => {
      const list = path.endsWith('branches') ? records.BranchPage : records.GameAssetPage
      const page = made(list, await user.get(`/game/${path}`), 200)
      const found = 'branches' in page ? page.branches : page.assets
      return found.find(({ id }) => id === one.id)?.current_version
    }
    const mine = `public?owner_id=${ada.id}`
    for (const path of [mine, `${mine}&sort=updated`, `${mine}&q=castle`])
      expect(await versionIn(ada, path, asset), path).toBe(1)
    expect(await versionIn(bob, 'favorites', asset)).toBe(1)
    expect(await versionIn(bob, 'favorites', branch)).toBe(1)
    expect(await versionIn(bob, `assets/${source.id}/branches`, branch)).toBe(1)
    expect(await versionIn(ada, `assets/${source.id}/branches`, branch)).toBe(2)
    expect(await versionIn(ada, 'assets', asset)).toBe(3)
    await ada.release(asset, 2)
    expect(await versionIn(bob, mine, asset)).toBe(2)
    expect((await ada.deleteChannel(asset, 'live')).status).toBe(204)
    expect(await versionIn(bob, mine, asset)).toBe(3)
  })

  it('is what a branch of others begins with; the owner branches the newest', async () => {
    const { ada, bob, asset } = await three()
    await ada.release(asset, 2)
    expect((await bob.branched(asset)).version.branched_from_version).toBe(2)
    expect((await ada.branched(asset)).version.branched_from_version).toBe(3)
    const third = await bob.branch(asset, { name: 'third', from_version: 3 })
    expect(third).toBeProblem(404, 'VERSION_NOT_FOUND')
    expect(third.body).toMatchObject({ detail: 'The latest version is 2.' })
    expect((await bob.branch(asset, { name: 'first', from_version: 1 })).status).toBe(201)
    expect((await ada.branch(asset, { name: 'third', from_version: 3 })).status).toBe(201)
  })

  it('hides from others which version a branch is from, when they do not get that', async () => {
    const { ada, bob, asset } = await three()
    await ada.release(asset, 2)
    const branch = (await ada.branched(asset)).asset
    await ada.editAsset(branch, { visibility: 'public' })
    const source = async (user: Creator) => (await user.readVersion(branch, 1)).branched_from_version
    expect([await source(ada), await source(bob)]).toEqual([3, null])
    await ada.release(asset, 3)
    expect(await source(bob)).toBe(3)
  })

  it('is what a moderator opens', async () => {
    const { ada, asset } = await three()
    await ada.release(asset, 2)
    const moderator = await operator('content:moderate')
    const target = { type: 'asset', id: asset.id }
    const opening = await moderator.request('POST', '/moderation/cases', { json: { target } })
    const { id } = made(records.WholeCase, opening, 201)
    const content = `/moderation/cases/${id}/content`
    const opened = await moderator.request('POST', content, { json: { reason: 'a look' } })
    const { url } = made(records.DownloadUrl, opened, 200)
    expect(await (await ada.fetchSigned(url)).text()).toBe('two')
  })
})

describe('what others see of changes above live', () => {
  it('is nothing: neither ETag nor updated_at nor the place among the updated ones changes for them', async () => {
    const { ada, bob, asset } = await three()
    await aged(asset)
    await ada.release(asset, 2)
    const seen = async (user: Creator) => {
      const answer = await user.readAsset(asset)
      const { updated_at } = made(records.GameAssetWithVersions, answer, 200)
      return [answer.headers.get('ETag'), updated_at]
    }
    const [before, own] = [await seen(bob), await seen(ada)]
    const entry = async () => (await bob.assets(`/public?owner_id=${ada.id}&sort=updated`)).assets
    const listed = await entry()
    const hidden: (() => Promise<unknown>)[] = [
      () => ada.version(asset, 'four'),
      () => ada.rollBack(asset, { from_version: 1 }),
      () => ada.editVersion(asset, 4, { notes: 'hidden' }),
      () => ada.deleteVersion(asset, 4),
      () => ada.release(asset, 3, 'beta'),
      () => ada.release(asset, 5, 'beta'),
      () => ada.deleteChannel(asset, 'beta'),
    ]
    const tags = new Set([own[0]])
    for (const change of hidden) {
      await change()
      expect(await seen(bob)).toEqual(before)
      expect(await entry()).toEqual(listed)
      tags.add((await seen(ada))[0])
    }
    expect(tags.size).toBe(hidden.length + 1)
    expect((await seen(ada))[1]).toBeGreaterThan(Number(before[1]))
    const shown: (() => Promise<unknown>)[] = [
      () => ada.editAsset(asset, { description: 'for all' }),
      () => ada.editVersion(asset, 2, { notes: 'for all' }),
      () => ada.deleteVersion(asset, 1),
      () => ada.release(asset, 3),
      () => ada.deleteChannel(asset, 'live'),
    ]
    const others = new Set([before[0]])
    for (const change of shown) {
      await change()
      others.add((await seen(bob))[0])
    }
    expect(others.size).toBe(shown.length + 1)
    await expectSound(ada.id)
  })

  it('raises updated_at when a version is released that they never got, and not by going back and forth', async () => {
    const { ada, bob, asset } = await three()
    const updated = async (user: Creator) => (await whole(user, `assets/${asset.id}`)).updated_at
    await aged(asset)
    const old = await updated(bob)
    await ada.release(asset, 1)
    await ada.release(asset, 3)
    await ada.release(asset, 2)
    expect(await updated(bob)).toBe(old)
    expect(await updated(ada)).toBeGreaterThan(old)
    await aged(asset)
    const [before, own] = [await updated(bob), await updated(ada)]
    await ada.version(asset, 'four')
    expect(await updated(ada)).toBeGreaterThan(own)
    // Testers get it, and others do not.
    for (const version of [4, 3, 4]) await ada.release(asset, version, 'beta')
    expect(await updated(bob)).toBe(before)
    await ada.release(asset, 4)
    expect(await updated(bob)).toBeGreaterThan(before)
    await aged(asset)
    const released = await updated(bob)
    for (const version of [1, 4, 2]) await ada.release(asset, version)
    await ada.deleteChannel(asset, 'live')
    expect(await updated(bob)).toBe(released)
    await ada.release(asset, 4)
    await ada.version(asset, 'five')
    await ada.deleteChannel(asset, 'live')
    expect(await updated(bob)).toBeGreaterThan(released)
  })
})

describe('any other channel', () => {
  it('has a key that stays, with which whoever may read the asset gets it as of the channel', async () => {
    const { ada, bob, asset } = await three()
    await ada.release(asset, 1)
    const beta = await ada.release(asset, 2, 'beta')
    expect(beta.key).toMatch(/^[\w-]{32}$/)
    const key = `?channel_key=${beta.key}`
    for (const user of [ada, bob]) {
      const answer = await user.get(`/game/assets/${asset.id}${key}`)
      const record = made(records.GameAssetWithVersions, answer, 200)
      expect([record.current_version, record.versions.map(({ version }) => version)]).toEqual([2, [2, 1]])
      expect(answer.headers.has('ETag')).toBe(false)
      expect(record.updated_at).toBeGreaterThanOrEqual(beta.updated_at)
      const page = await user.get(`/game/assets/${asset.id}/versions${key}&limit=1`)
      const { versions, next_cursor } = made(records.VersionPage, page, 200)
      expect(versions.map(({ version }) => version)).toEqual([2])
      const said = atob((next_cursor ?? '').replaceAll('-', '+').replaceAll('_', '/'))
      expect(said).toContain(asset.id)
      expect(said).not.toContain(beta.key)
      const next = await user.get(`/game/assets/${asset.id}/versions${key}&limit=1&cursor=${next_cursor}`)
      expect(made(records.VersionPage, next, 200).versions.map(({ version }) => version)).toEqual([1])
      const without = await user.get(`/game/assets/${asset.id}/versions?cursor=${next_cursor}`)
      expect(without).toBeProblem(400, 'INVALID_CURSOR')
      for (const path of ['', '/url']) {
        expect((await user.get(`/game/assets/${asset.id}/versions/2${path}${key}`)).status).toBe(200)
        const third = await user.get(`/game/assets/${asset.id}/versions/3${path}${key}`)
        expect(third).toBeProblem(404, 'VERSION_NOT_FOUND')
      }
      const item = { asset_id: asset.id, channel_key: beta.key ?? '' }
      const [url, third] = await user.assetUrls([item, { ...item, version: 3 }])
      expect(await (await user.fetchSigned(url?.url ?? '')).text()).toBe('two')
      expect([url?.version, third?.code]).toEqual([2, 'VERSION_NOT_FOUND'])
      const name = `of ${user.id}`
      const branch = await user.branch(asset, { name, channel_key: beta.key })
      expect(made(records.Branch, branch, 201).version.branched_from_version).toBe(2)
      const above = { name: 'above', channel_key: beta.key, from_version: 3 }
      expect(await user.branch(asset, above)).toBeProblem(404, 'VERSION_NOT_FOUND')
    }
    expect((await ada.release(asset, 3, 'beta')).key).toBe(beta.key)
    expect((await whole(ada, `assets/${asset.id}${key}`)).current_version).toBe(3)
    await ada.deleteChannel(asset, 'beta')
    expect((await ada.release(asset, 3, 'beta')).key).not.toBe(beta.key)
    expect(await bob.get(`/game/assets/${asset.id}${key}`)).toBeProblem(404, 'CHANNEL_NOT_FOUND')
    await expectSound(ada.id)
  })

  it('opens nothing: not a private asset, and none with an unknown key or the key of another asset', async () => {
    const { ada, bob, asset } = await three()
    const closed = await ada.asset('closed', {}, 'closed')
    const key = (await ada.release(closed, 1, 'beta')).key ?? ''
    const ways = (id: string, channel_key: string) =>
      [
        (user: Creator) => user.get(`/game/assets/${id}?channel_key=${channel_key}`),
        (user: Creator) => user.get(`/game/assets/${id}/versions?channel_key=${channel_key}`),
        (user: Creator) => user.get(`/game/assets/${id}/versions/1?channel_key=${channel_key}`),
        (user: Creator) => user.get(`/game/assets/${id}/versions/1/url?channel_key=${channel_key}`),
        (user: Creator) => user.branch(id, { name: newKey()['Idempotency-Key'], channel_key }),
      ] as const
    for (const ask of ways(closed.id, key)) {
      expect(await ask(bob)).toBeProblem(404, 'ASSET_NOT_FOUND')
      expect([200, 201]).toContain((await ask(ada)).status)
    }
    for (const wrong of [key, 'unknown', ''])
      for (const user of [ada, bob]) {
        for (const ask of ways(asset.id, wrong))
          expect(await ask(user), wrong).toBeProblem(404, 'CHANNEL_NOT_FOUND')
        const item = { asset_id: asset.id, channel_key: wrong }
        expect(await user.assetUrls([item])).toEqual([{ asset_id: asset.id, code: 'CHANNEL_NOT_FOUND' }])
      }
    expect(await bob.assetUrls([{ asset_id: closed.id, channel_key: key }])).toEqual([
      { asset_id: closed.id, code: 'ASSET_NOT_FOUND' },
    ])
    const open = (await whole(bob, `public/world/${asset.id}?channel_key=unknown`)).current_version
    expect(open).toBe(3)
  })
})

describe('setting and deleting channels', () => {
  it('is for the owner of an asset that is not deleted, and of a version that is there', async () => {
    const { ada, bob, asset } = await three()
    await ada.release(asset, 1, 'beta')
    for (const ask of [
      () => bob.putChannel(asset, 'beta', 1),
      () => bob.deleteChannel(asset, 'beta'),
      () => bob.get(`/game/assets/${asset.id}/channels`),
      () => ada.putChannel(unknownId, 'beta', 1),
      () => ada.deleteChannel(unknownId, 'beta'),
      () => ada.get(`/game/assets/${unknownId}/channels`),
    ])
      expect(await ask()).toBeProblem(404, 'ASSET_NOT_FOUND')
    for (const version of [4, 0, -1, 1e300])
      expect(await ada.putChannel(asset, 'beta', version)).toBeProblem(404, 'VERSION_NOT_FOUND')
    for (const version of [1.5, '1', null, undefined])
      expect(await ada.putChannel(asset, 'beta', version)).toBeProblem(400, 'VALIDATION_FAILED')
    for (const channel of ['Beta', 'a'.repeat(33), 'a_b', 'é']) {
      expect(await ada.putChannel(asset, channel, 1)).toBeProblem(400, 'VALIDATION_FAILED')
      expect(await ada.deleteChannel(asset, channel)).toBeProblem(404, 'CHANNEL_NOT_FOUND')
    }
    expect((await ada.deleteChannel(asset, 'beta')).status).toBe(204)
    expect(await ada.deleteChannel(asset, 'beta')).toBeProblem(404, 'CHANNEL_NOT_FOUND')
    await ada.release(asset, 1, 'beta')
    await ada.deleteAsset(asset)
    expect(await ada.putChannel(asset, 'beta', 1)).toBeProblem(404, 'ASSET_NOT_FOUND')
    await ada.restoreAsset(asset)
    expect(await ada.channels(asset)).toMatchObject([{ channel: 'beta', version: 1 }])
    await ada.deleteAsset(asset, '?permanent=true')
    await expectSound(ada.id)
  })

  it('takes If-Match on the asset', async () => {
    const { ada, asset } = await three()
    const old = { 'If-Match': await ada.tagOf(asset) }
    expect((await ada.putChannel(asset, 'live', 1, old)).status).toBe(200)
    expect(await ada.putChannel(asset, 'live', 2, old)).toBeProblem(412, 'PRECONDITION_FAILED')
    expect(await ada.deleteChannel(asset, 'live', old)).toBeProblem(412, 'PRECONDITION_FAILED')
    expect(await ada.deleteChannel(asset, 'beta', old)).toBeProblem(404, 'CHANNEL_NOT_FOUND')
    expect(await ada.channels(asset)).toMatchObject([{ version: 1 }])
    const now = { 'If-Match': await ada.tagOf(asset) }
    expect((await ada.deleteChannel(asset, 'live', now)).status).toBe(204)
  })

  it('keeps at most ten channels an asset, and lists them all by name', async () => {
    const { ada, asset } = await three()
    const names = ['live', 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', '0-9']
    for (const name of names) await ada.release(asset, 1, name)
    const refused = await ada.putChannel(asset, 'one-more', 1)
    expect(refused).toBeProblem(409, 'LIMIT_REACHED')
    expect(refused.body).toMatchObject({ limit: 'channels' })
    await ada.release(asset, 2, 'live')
    const channels = await ada.channels(asset)
    expect(channels.map(({ channel }) => channel)).toEqual(names.toSorted())
    expect(new Set(channels.map(({ key }) => key)).size).toBe(10)
    await ada.deleteChannel(asset, 'a')
    await ada.release(asset, 1, 'one-more')
    await expectSound(ada.id)
  })

  it('keeps versions that channels serve from being deleted', async () => {
    const { ada, asset } = await three()
    await ada.release(asset, 1)
    await ada.release(asset, 2, 'beta')
    for (const version of [1, 2, 3])
      expect(await ada.deleteVersion(asset, version)).toBeProblem(409, 'VERSION_IS_CURRENT')
    await ada.deleteChannel(asset, 'beta')
    expect((await ada.deleteVersion(asset, 2)).status).toBe(204)
    expect(await ada.putChannel(asset, 'beta', 2)).toBeProblem(404, 'VERSION_NOT_FOUND')
    expect((await ada.deleteAsset(asset, '?permanent=true')).status).toBe(204)
    await expectSound(ada.id)
  })
})
