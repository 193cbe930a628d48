import { afterEach, describe, expect, it, vi } from 'vitest'
import { made } from '../support/answer.ts'
import { bytes } from '../support/content.ts'
import { Creator, signUpCreator, summaryOf } from '../support/creator.ts'
import { tokenFor } from '../support/identities.ts'
import { newKey, newNeighbourOf, unknownId } from '../support/ids.ts'
import { expectSound } from '../support/invariants.ts'
import { meter } from '../support/meter.ts'
import { toNextSecond } from '../support/next-second.ts'
import { records, Upload } from '../support/records.ts'
import { operator, put, type User } from '../support/user.ts'

const blocked = { blocked: true }

async function scene() {
  const [ada, bob] = [await signUpCreator('ada'), await signUpCreator('bob')]
  const moderator = await operator('content:moderate')
  const ask = (method: string, kind: string) => async (item: { id: string }) => {
    const answer = await moderator.request(method, `/${kind}/${item.id}/block`)
    expect([answer.status, answer.text]).toEqual([204, ''])
  }
  return {
    ada,
    bob,
    moderator,
    blockAsset: ask('PUT', 'game/assets'),
    unblockAsset: ask('DELETE', 'game/assets'),
    blockFile: ask('PUT', 'files'),
    unblockFile: ask('DELETE', 'files'),
  }
}

describe.each([
  ['game/assets', 'ASSET_NOT_FOUND'],
  ['files', 'FILE_NOT_FOUND'],
] as const)('PUT and DELETE /v1/%s/{id}/block', (kind, code) => {
  const thing = (ada: Creator) => (kind === 'files' ? ada.file('a', 'a') : ada.asset('a'))
  const remove = async (ada: Creator, item: { id: string }) => {
    if (kind === 'game/assets') return ada.deleteAsset(item, '?permanent=true')
    await ada.delete(item)
    return ada.purge(item)
  }

  it('answer 204, also again, and tell nothing of what does not exist or is gone for good', async () => {
    const { ada, moderator } = await scene()
    const item = await thing(ada)
    for (const method of ['DELETE', 'PUT', 'PUT', 'DELETE', 'DELETE', 'PUT']) {
      const answer = await moderator.request(method, `/${kind}/${item.id}/block`)
      expect([answer.status, answer.text]).toEqual([204, ''])
    }
    await remove(ada, item)
    for (const method of ['PUT', 'DELETE'])
      for (const id of [item.id, unknownId, 'x', '%00'])
        expect(await moderator.request(method, `/${kind}/${id}/block`)).toBeProblem(404, code)
  })

  it('are for those with the scope only, whatever they ask for', async () => {
    const { ada, bob } = await scene()
    const others = [ada, bob, await operator('quota:write'), await operator('content:moderates')]
    const item = await thing(ada)
    for (const user of others)
      for (const method of ['PUT', 'DELETE'])
        for (const id of [item.id, unknownId])
          expect(await user.request(method, `/${kind}/${id}/block`)).toBeProblem(403, 'FORBIDDEN')
    expect((await ada.get(`/${kind}/${item.id}`)).text).not.toContain('blocked')
  })
})

afterEach(() => void vi.restoreAllMocks())

describe('a blocked asset', () => {
  it('is there for its owner, who sees in every record that it is blocked', async () => {
    const { ada, blockAsset, unblockAsset } = await scene()
    const { asset, version } = await ada.publish({ name: 'a', asset_type: 'world', visibility: 'public' })
    const other = await ada.emptyAsset('other')
    const before = await ada.readAsset(asset)
    expect(before.body).toEqual({ ...asset, versions: [version] })
    await blockAsset(asset)
    expect((await ada.readAsset(asset)).body).toEqual({ ...asset, ...blocked, versions: [version] })
    expect((await ada.assets('/assets')).assets).toEqual([
      summaryOf(other),
      { ...summaryOf(asset), ...blocked },
    ])
    expect(await ada.versions(asset)).toEqual([1])
    expect(await ada.readVersion(asset, 1)).toEqual(version)
    expect(await ada.contentOf(asset, 1)).toBe('content')
    for (const change of [{ name: 'b' }, { name: 'a' }, { visibility: 'private' }, { visibility: 'public' }])
      expect((await ada.editAsset(asset, change)).body).toMatchObject({ ...change, ...blocked })
    expect((await ada.publish({ asset_id: asset.id })).asset).toMatchObject(blocked)
    expect((await ada.rollBack(asset, { from_version: 1 })).status).toBe(201)
    await ada.deleteAsset(asset)
    expect((await ada.assets('/assets?deleted=true')).assets).toMatchObject([blocked])
    expect((await ada.restoreAsset(asset)).body).toMatchObject(blocked)
    await unblockAsset(asset)
    const later = { current_version: 3, published_at: expect.any(Number), updated_at: expect.any(Number) }
    expect((await ada.assets('/assets')).assets).toEqual([
      summaryOf(other),
      { ...summaryOf(asset), ...later },
    ])
    expect((await ada.restoreAsset(asset)).body).toEqual({ ...asset, ...later })
    await expectSound(ada.id)
  })

  it('has one revision more by a block and by its end, however often each is asked for', async () => {
    const { ada, blockAsset, unblockAsset } = await scene()
    const asset = await ada.asset('Windmill')
    const etag = async () => (await ada.readAsset(asset)).headers.get('ETag')
    const etags = [await etag()]
    for (const act of [blockAsset, blockAsset, unblockAsset, unblockAsset]) {
      await act(asset)
      etags.push(await etag())
    }
    const [before, blocked, again, unblocked, once_more] = etags
    expect([again, once_more]).toEqual([blocked, unblocked])
    expect(new Set([before, blocked, unblocked]).size).toBe(3)
  })

  it('is there for nobody else, until it is unblocked', async () => {
    const { ada, bob, moderator, blockAsset, unblockAsset } = await scene()
    const asset = await ada.asset('Windmill', { visibility: 'public' })
    const own = await bob.branched(asset, 'kept')
    const paths = ['', '/versions', '/versions/1', '/versions/1/url', '/versions/9', '/branches']
    const isThere = async (there: boolean) => {
      for (const user of [bob, moderator]) {
        for (const path of [...paths.map((end) => `assets/${asset.id}${end}`), `public/world/${asset.id}`]) {
          const answer = await user.get(`/game/${path}`)
          if (!there) expect(answer, path).toBeProblem(404, 'ASSET_NOT_FOUND')
          else if (!path.endsWith('9')) expect(answer.status, path).toBe(200)
          if (there && !path.endsWith('url')) expect(answer.text).not.toContain('blocked')
        }
        for (const query of ['', '?q=w', '?q=wi', '?q=indmi', '?q=windmill&type=world', '?type=world']) {
          const { text } = await user.get(`/game/public${query}`)
          expect(text.includes(asset.id), query).toBe(there)
        }
      }
    }
    await isThere(true)
    await blockAsset(asset)
    await isThere(false)
    expect(await bob.branch(asset, { name: 'b' })).toBeProblem(404, 'ASSET_NOT_FOUND')
    expect(await bob.branch(asset, { name: 'kept', from_version: 9 })).toBeProblem(404, 'ASSET_NOT_FOUND')
    await ada.editAsset(asset, { visibility: 'public', name: 'Windmill 2' })
    await isThere(false)
    expect(await bob.contentOf(own.asset, 1)).toBe('content')
    await unblockAsset(asset)
    await isThere(true)
    expect((await bob.branch(asset, { name: 'b' })).status).toBe(201)
  })

  it('goes along to a branch that its owner makes, so that branching is no way around it', async () => {
    const { ada, bob, blockAsset } = await scene()
    const asset = await ada.asset('windmill')
    await blockAsset(asset)
    const branch = await ada.branched(asset, 'mill')
    expect(branch.asset).toMatchObject(blocked)
    await ada.editAsset(branch.asset, { visibility: 'public' })
    expect(await bob.readAsset(branch.asset)).toBeProblem(404, 'ASSET_NOT_FOUND')
  })

  it('stays blocked when it is deleted and restored, and private when it was private', async () => {
    const { ada, bob, blockAsset, unblockAsset } = await scene()
    const asset = await ada.asset('Lighthouse', { visibility: 'public' })
    await blockAsset(asset)
    await ada.deleteAsset(asset)
    await ada.restoreAsset(asset)
    expect(await bob.readAsset(asset)).toBeProblem(404, 'ASSET_NOT_FOUND')
    await ada.editAsset(asset, { visibility: 'private' })
    await unblockAsset(asset)
    expect(await bob.readAsset(asset)).toBeProblem(404, 'ASSET_NOT_FOUND')
    expect(await bob.assetNames('/public')).not.toContain('Lighthouse')
  })

  it('is told as blocked when its upload is completed again', async () => {
    const { ada, blockAsset } = await scene()
    const upload = await ada.sent({ name: 'a', asset_type: 'world', visibility: 'public' })
    const { asset, ...rest } = made(records.CompletedAsset, await ada.complete(upload), 200)
    await blockAsset(asset)
    expect((await ada.complete(upload)).body).toEqual({ ...rest, asset: { ...asset, ...blocked } })
  })
})

describe('a blocked file', () => {
  const tag = async (user: User, { id }: { id: string }) =>
    (await user.get(`/files/${id}`)).headers.get('ETag')

  it('is there for its owner, who sees in every record that it is blocked', async () => {
    const { ada, blockFile, unblockFile } = await scene()
    const file = await ada.file('a', 'a')
    const before = (await ada.get(`/files/${file.id}`)).body
    expect(before).toEqual({ file, ancestors: [] })
    await blockFile(file)
    expect((await ada.get(`/files/${file.id}`)).body).toEqual({
      file: { ...file, ...blocked },
      ancestors: [],
    })
    expect((await ada.get('/files')).body).toEqual({ files: [{ ...file, ...blocked }], next_cursor: null })
    expect(await (await ada.download(file)).text()).toBe('a')
    for (const change of [{ name: 'b' }, { is_public: true }, { parent_id: null }])
      expect((await ada.change(file, change)).body).toMatchObject({ ...change, ...blocked })
    const upload = { upload_type: 'file', file_id: file.id, size_bytes: 3, mime_type: 'text/plain' }
    const started = made(Upload, await ada.startUpload(upload), 201)
    expect(started.file).toMatchObject(blocked)
    expect((await ada.get(`/uploads/${started.id}`)).body).toMatchObject({ file: blocked })
    await put(started, bytes('new'))
    const completed = made(records.CompletedFile, await ada.complete(started), 200)
    expect([completed.file, completed.upload.file]).toMatchObject([blocked, blocked])
    await ada.delete(file)
    expect((await ada.get('/trash')).body).toMatchObject({ files: [blocked] })
    expect((await ada.restore(file)).body).toMatchObject(blocked)
    await unblockFile(file)
    for (const path of [`/files/${file.id}`, '/files', `/uploads/${started.id}`])
      expect((await ada.get(path)).text).not.toContain('blocked')
    await expectSound(ada.id)
  })

  it('has another ETag from then on, and another again when it is unblocked', async () => {
    const { ada, blockFile, unblockFile } = await scene()
    for (const item of [await ada.file('a', 'a'), await ada.folder()]) {
      const tags = [await tag(ada, item)]
      await blockFile(item)
      tags.push(await tag(ada, item))
      expect(await ada.change(item, { name: 'b' }, { 'If-Match': tags[0] ?? '' })).toBeProblem(
        412,
        'PRECONDITION_FAILED',
      )
      await unblockFile(item)
      tags.push(await tag(ada, item))
      expect(new Set(tags).size).toBe(3)
    }
  })

  it('is there for nobody else, though it is public, until it is unblocked', async () => {
    const { ada, bob, moderator, blockFile, unblockFile } = await scene()
    const folder = await ada.folder()
    const [file, other] = [
      await ada.file('a', 'a', { parent_id: folder.id }),
      await ada.file('b', 'b', { parent_id: folder.id }),
    ]
    await ada.change(folder, { is_public: true })
    await ada.change(file, { is_public: true })
    for (const user of [bob, moderator]) {
      await blockFile(file)
      expect(await user.get(`/files/${file.id}`)).toBeProblem(404, 'FILE_NOT_FOUND')
      expect(await user.get(`/files/${file.id}/url`)).toBeProblem(404, 'FILE_NOT_FOUND')
      expect(await user.names({ parent_id: folder.id })).toEqual(['b'])
      expect(await ada.names({ parent_id: folder.id })).toEqual(['a', 'b'])
      expect((await user.read(other)).file.name).toBe('b')
      await unblockFile(file)
      expect(await user.names({ parent_id: folder.id, limit: 1 })).toEqual(['a', 'b'])
      expect(await (await user.download(file)).text()).toBe('a')
      expect((await user.get(`/files/${file.id}`)).text).not.toContain('blocked')
    }
  })

  it('takes all that it holds with it when it is a folder', async () => {
    const { ada, bob, blockFile, unblockFile } = await scene()
    const top = await ada.folder('top')
    const inner = await ada.folder('inner', { in: top })
    const file = await ada.file('a', 'a', { parent_id: inner.id })
    const share = await ada.share(file, bob)
    for (const item of [top, inner, file]) await ada.change(item, { is_public: true })
    for (const item of [top, inner]) {
      await blockFile(item)
      expect(await bob.get(`/files/${inner.id}`)).toBeProblem(404, 'FILE_NOT_FOUND')
      expect(await bob.get(`/files?parent_id=${inner.id}`)).toBeProblem(404, 'FILE_PARENT_NOT_FOUND')
      for (const path of [`/files/${file.id}`, `/files/${file.id}/url`, `/shares/${share.id}/url`])
        expect(await bob.get(path)).toBeProblem(404, 'FILE_NOT_FOUND')
      expect(await bob.sharedWithMe()).toEqual([])
      expect((await ada.read(item)).file).toMatchObject(blocked)
      expect(await (await ada.download(file)).text()).toBe('a')
      expect(await ada.names({ parent_id: inner.id })).toEqual(['a'])
      await unblockFile(item)
      expect((await bob.read(file)).ancestors.map(({ name }) => name)).toEqual(['top', 'inner'])
      expect((await bob.sharedUrl(share)).status).toBe(200)
      expect(await bob.sharedWithMe()).toHaveLength(1)
    }
  })

  it('is not served to those it is shared with, nor listed for them, until it is unblocked', async () => {
    const { ada, bob, blockFile, unblockFile } = await scene()
    const [file, other] = [await ada.file('a', 'a'), await ada.file('b', 'b')]
    const [share] = [await ada.share(file, bob), await ada.share(other, bob)]
    await blockFile(file)
    expect(await bob.sharedUrl(share)).toBeProblem(404, 'FILE_NOT_FOUND')
    expect((await bob.sharedWithMe()).map(({ file }) => file.name)).toEqual(['b'])
    expect((await ada.get(`/files/${file.id}/shares`)).body).toEqual([share])
    await ada.delete(file)
    expect((await bob.sharedWithMe()).map(({ file }) => file.name)).toEqual(['b'])
    await ada.restore(file)
    expect(await bob.sharedUrl(share)).toBeProblem(404, 'FILE_NOT_FOUND')
    await unblockFile(file)
    expect((await bob.sharedUrl(share)).status).toBe(200)
    expect((await bob.sharedWithMe()).map(({ file }) => file.name)).toEqual(['b', 'a'])
    expect(JSON.stringify(await bob.sharedWithMe())).not.toContain('blocked')
  })

  it('keeps its place and its times: being blocked changes nothing else in the record', async () => {
    const { ada, blockFile, unblockFile } = await scene()
    const folder = await ada.folder()
    const file = await ada.file('a', 'a', { parent_id: folder.id })
    const before = await ada.read(file)
    await blockFile(file)
    expect(await ada.read(file)).toEqual({ ...before, file: { ...before.file, ...blocked } })
    await unblockFile(file)
    expect(await ada.read(file)).toEqual(before)
  })
})

describe('what lies in a blocked folder', () => {
  it('stays blocked when it had been deleted before, and the folder is deleted for good', async () => {
    const { ada, bob, blockFile } = await scene()
    for (const how of ['the folder', 'a folder in between'] as const) {
      const outer = await ada.folder(how)
      const inner = await ada.folder('inner', { in: outer })
      const file = await ada.file('a', 'a', { parent_id: inner.id })
      await ada.change(file, { is_public: true })
      await blockFile(outer)
      await ada.delete(file)
      const deleted = how === 'a folder in between' ? inner : outer
      await ada.delete(deleted)
      expect((await ada.purge(deleted)).status).toBe(204)
      expect((await ada.restore(file)).body).toMatchObject({ parent_id: null, blocked: true })
      expect(await bob.get(`/files/${file.id}`), how).toBeProblem(404, 'FILE_NOT_FOUND')
    }
  })

  it('has no block of its own from being moved to where it is, in a folder that is blocked', async () => {
    const { ada, bob, blockFile, unblockFile } = await scene()
    const folder = await ada.folder()
    const file = await ada.file('a', 'a', { parent_id: folder.id })
    await ada.change(folder, { is_public: true })
    await blockFile(folder)
    const answer = await ada.change(file, { name: 'b', parent_id: folder.id })
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject(blocked)
    await unblockFile(folder)
    expect((await bob.read(file)).file.name).toBe('b')
    expect((await ada.read(file)).file).not.toHaveProperty('blocked')
  })

  it('has no block of its own from being moved about inside a folder that is blocked', async () => {
    const { ada, bob, blockFile, unblockFile } = await scene()
    const top = await ada.folder('top')
    const [one, other] = [await ada.folder('one', { in: top }), await ada.folder('other', { in: top })]
    const file = await ada.file('a', 'a', { parent_id: one.id })
    await ada.change(top, { is_public: true })
    for (const folder of [top, one]) await blockFile(folder)
    for (const into of [other, top, one, other]) expect((await ada.move(file, { into })).status).toBe(200)
    for (const folder of [top, one]) await unblockFile(folder)
    expect((await bob.read(file)).file.name).toBe('a')
  })

  it('takes the block along from one blocked folder to another', async () => {
    const { ada, bob, blockFile, unblockFile } = await scene()
    const [one, other] = [await ada.folder('one'), await ada.folder('other')]
    const file = await ada.file('a', 'a', { parent_id: one.id })
    await ada.change(other, { is_public: true })
    for (const folder of [one, other]) await blockFile(folder)
    expect((await ada.move(file, { into: other })).body).toMatchObject(blocked)
    await unblockFile(other)
    expect(await bob.get(`/files/${file.id}`)).toBeProblem(404, 'FILE_NOT_FOUND')
  })

  it('takes the block along when it is moved out, or restored to another place', async () => {
    const { ada, bob, blockFile, unblockFile } = await scene()
    const [outer, other] = [await ada.folder('outer'), await ada.folder('other')]
    const inner = await ada.folder('inner', { in: outer })
    const [moved, restored, stays] = [
      await ada.file('moved', 'a', { parent_id: inner.id }),
      await ada.file('restored', 'b', { parent_id: inner.id }),
      await ada.file('stays', 'c', { parent_id: inner.id }),
    ]
    await ada.change(outer, { is_public: true })
    await blockFile(outer)
    const answer = await ada.change(moved, { parent_id: other.id, is_public: true })
    expect(answer.body).toMatchObject(blocked)
    expect(await bob.get(`/files/${moved.id}`)).toBeProblem(404, 'FILE_NOT_FOUND')
    await ada.delete(outer)
    expect((await ada.restore(restored)).body).toMatchObject({ parent_id: null, blocked: true })
    await ada.change(restored, { is_public: true })
    expect(await bob.get(`/files/${restored.id}`)).toBeProblem(404, 'FILE_NOT_FOUND')
    await ada.restore(outer)
    await unblockFile(outer)
    expect((await bob.get(`/files/${stays.id}`)).status).toBe(200)
    expect((await ada.read(stays)).file).not.toHaveProperty('blocked')
    expect(await bob.get(`/files/${moved.id}`)).toBeProblem(404, 'FILE_NOT_FOUND')
    await unblockFile(moved)
    expect((await bob.get(`/files/${moved.id}`)).status).toBe(200)
    expect((await ada.change(stays, { parent_id: other.id })).body).not.toHaveProperty('blocked')
  })
})

describe('GET /v1/blocked', () => {
  /** What a moderator finds of one owner's, page by page: other tests block things at the same time. */
  async function blockedOf(moderator: User, owner: { id: string }, query = '') {
    const found = []
    let cursor = ''
    do {
      const answer = await moderator.get(`/blocked?limit=2${query}${cursor}`)
      const page = made(records.BlockedPage, answer, 200)
      found.push(...page.blocked)
      cursor = page.next_cursor === null ? '' : `&cursor=${page.next_cursor}`
    } while (cursor !== '')
    return found.filter(({ owner_id }) => owner_id === owner.id)
  }
  const put = (moderator: User, path: string, reason?: string | null) =>
    moderator.request('PUT', `${path}/block`, reason === undefined ? {} : { json: { reason } })

  it('lists what is blocked by itself: who, when and why, latest block first, of one kind or both', async () => {
    const { ada, moderator } = await scene()
    const [folder, asset] = [await ada.folder('maps'), await ada.asset('castle')]
    const inside = await ada.file('inside', 'a', { parent_id: folder.id })
    expect((await put(moderator, `/files/${folder.id}`, 'stolen 🏰')).status).toBe(204)
    expect((await put(moderator, `/game/assets/${asset.id}`)).status).toBe(204)
    const all = await blockedOf(moderator, ada)
    const expected = [
      { kind: 'assets', id: asset.id, name: 'castle', reason: null },
      { kind: 'files', id: folder.id, name: 'maps', reason: 'stolen 🏰' },
    ].map((thing) => ({
      ...thing,
      owner_id: ada.id,
      blocked_by: moderator.id,
      blocked_at: expect.any(Number),
    }))
    expect(all).toHaveLength(2)
    expect(all).toEqual(expect.arrayContaining(expected))
    expect(all.map(({ id }) => id)).not.toContain(inside.id)
    expect(all.map(({ blocked_at }) => blocked_at)).toEqual(
      all.map(({ blocked_at }) => blocked_at).sort((one, other) => other - one),
    )
    for (const [kind, id] of [
      ['files', folder.id],
      ['assets', asset.id],
    ])
      expect((await blockedOf(moderator, ada, `&kind=${kind}`)).map((thing) => thing.id)).toEqual([id])
  })

  it('lists what one owner has, and looks at no more than a page of what their partition has', async () => {
    const { service, of } = meter()
    const [ada, moderator] = [
      await signUpCreator('ada', service),
      (await operator('content:moderate')).through(service),
    ]
    const neighbour = newNeighbourOf(ada.id)
    const bob = new Creator(neighbour, await tokenFor(neighbour), service)
    const [first, asset] = [await ada.file('first', 'a'), await ada.asset('second')]
    await put(moderator, `/files/${first.id}`)
    await put(moderator, `/game/assets/${asset.id}`)
    toNextSecond()
    for (let i = 0; i < 20; i++) await put(moderator, `/files/${(await bob.file(`${i}`, 'b')).id}`)
    const of_ = `&owner_id=${encodeURIComponent(ada.id)}`
    expect((await blockedOf(moderator, ada, of_)).map((thing) => thing.id).sort()).toEqual(
      [first.id, asset.id].sort(),
    )
    expect((await blockedOf(moderator, ada, `&kind=assets${of_}`)).map(({ name }) => name)).toEqual([
      'second',
    ])
    const cost = await of(async () => {
      const page = made(records.BlockedPage, await moderator.get(`/blocked?limit=2${of_}`), 200)
      expect(page).toMatchObject({ blocked: [], next_cursor: expect.any(String) })
    })
    expect(cost).toMatchObject({ trips: 1, rows_written: 0 })
    expect(cost.rows_read).toBeLessThanOrEqual(30)
    const { next_cursor } = made(records.BlockedPage, await moderator.get(`/blocked?limit=2${of_}`), 200)
    const ofBob = `/blocked?limit=2&owner_id=${encodeURIComponent(bob.id)}&cursor=${next_cursor}`
    expect(await moderator.get(ofBob)).toBeProblem(400, 'INVALID_CURSOR')
  })

  it('keeps a reason until another is given, and ends with the block', async () => {
    const { ada, moderator, unblockFile } = await scene()
    const file = await ada.file('a', 'a')
    const reason = async () => (await blockedOf(moderator, ada)).map((thing) => thing.reason)
    await put(moderator, `/files/${file.id}`, 'first')
    await put(moderator, `/files/${file.id}`)
    expect(await reason()).toEqual(['first'])
    await put(moderator, `/files/${file.id}`, 'x'.repeat(500))
    expect(await reason()).toEqual(['x'.repeat(500)])
    await put(moderator, `/files/${file.id}`, null)
    expect(await reason()).toEqual([null])
    await unblockFile(file)
    expect(await reason()).toEqual([])
  })

  it('tells nobody else of the reason, the owner neither', async () => {
    const { ada, moderator } = await scene()
    const [file, asset] = [await ada.file('a', 'a'), await ada.asset('a')]
    await put(moderator, `/files/${file.id}`, 'a secret of moderators')
    await put(moderator, `/game/assets/${asset.id}`, 'a secret of moderators')
    for (const path of [`/files/${file.id}`, '/files', `/game/assets/${asset.id}`, '/game/assets'])
      expect((await ada.get(path)).text).not.toContain('secret')
    for (const user of [ada, await operator('quota:write')])
      expect(await user.get('/blocked')).toBeProblem(403, 'FORBIDDEN')
  })

  it('follows a block that goes along: out of a blocked folder, and into a branch', async () => {
    const { ada, moderator } = await scene()
    const folder = await ada.folder('maps')
    const file = await ada.file('a', 'a', { parent_id: folder.id })
    await put(moderator, `/files/${folder.id}`, 'stolen')
    await ada.change(file, { parent_id: null })
    expect(await blockedOf(moderator, ada)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ id: file.id, reason: 'stolen', blocked_by: moderator.id }),
      ]),
    )
  })

  it('leaves out what is gone for good or erased with its owner', async () => {
    const { ada, bob, moderator } = await scene()
    const [file, asset, bobs] = [await ada.file('a', 'a'), await ada.asset('a'), await bob.file('b', 'b')]
    for (const path of [`/files/${file.id}`, `/game/assets/${asset.id}`, `/files/${bobs.id}`])
      await put(moderator, path)
    await ada.delete(file)
    expect(await blockedOf(moderator, ada)).toHaveLength(2)
    await ada.purge(file)
    await ada.deleteAsset(asset, '?permanent=true')
    await (await operator('users:erase')).request('DELETE', `/users/${bob.id}`)
    expect([await blockedOf(moderator, ada), await blockedOf(moderator, bob)]).toEqual([[], []])
  })

  it('refuses another kind, a cursor of another list, and a reason that is too long', async () => {
    const { ada, moderator } = await scene()
    const [one, two] = [await ada.file('a', 'a'), await ada.file('b', 'b')]
    for (const file of [one, two]) await put(moderator, `/files/${file.id}`)
    const { next_cursor } = made(records.BlockedPage, await moderator.get('/blocked?limit=1&kind=files'), 200)
    expect(await moderator.get(`/blocked?cursor=${next_cursor}`)).toBeProblem(400, 'INVALID_CURSOR')
    expect(await moderator.get('/blocked?kind=users')).toBeProblem(400, 'VALIDATION_FAILED')
    for (const reason of ['x'.repeat(501), 7, '\u0000'])
      expect(await moderator.request('PUT', `/files/${one.id}/block`, { json: { reason } })).toBeProblem(
        400,
        'VALIDATION_FAILED',
      )
    expect((await blockedOf(moderator, ada)).map(({ reason }) => reason)).toEqual([null, null])
  })

  it.each([
    ['NUL', 'a\u0000b', 'must not hold the character U+0000 (NUL).'],
    ['half of a surrogate pair', 'a\ud83c', 'must not hold half of a surrogate pair.'],
    ['too many characters', 'x'.repeat(501), 'must have at most 500 characters.'],
  ])('says of a reason with %s what is wrong with it', async (_, reason, message) => {
    const { ada, moderator } = await scene()
    const [file, asset] = [await ada.file('a', 'a'), await ada.asset('a')]
    for (const path of [`/files/${file.id}/block`, `/game/assets/${asset.id}/block`]) {
      const answer = await moderator.request('PUT', path, { json: { reason } })
      expect(answer).toBeProblem(400, 'VALIDATION_FAILED')
      expect(answer.body).toMatchObject({ errors: [{ in: 'body', path: '/reason', message }] })
    }
  })
})

describe('what lies below a blocked folder', () => {
  it('is told as blocked to its owner, wherever a record of it is answered, until the folder is not', async () => {
    const { ada, bob, blockFile, unblockFile } = await scene()
    const top = await ada.folder('top')
    const inner = await ada.folder('inner', { in: top })
    const file = await ada.file('a', 'a', { parent_id: inner.id })
    const upload = await ada.upload({ size_bytes: 3, name: 'b', parent_id: inner.id })
    const trashed = await ada.folder('trashed', { in: inner })
    await ada.change(top, { is_public: true })
    await blockFile(top)
    const key = newKey()
    const folder = { name: 'c', asset_type: 'folder', parent_id: inner.id }
    const shown = [
      (await ada.read(file)).file,
      ...(await ada.page({ parent_id: inner.id })).files,
      ...(await ada.page({ parent_id: inner.id, asset_type: 'folder' })).files,
      (await ada.createFolder(folder, key)).body,
      (await ada.createFolder(folder, key)).body,
      (await ada.change(file, { name: 'd' })).body,
      (await ada.move(file, { into: top })).body,
      (await ada.move(file, { into: inner })).body,
    ]
    expect(shown.length).toBeGreaterThan(8)
    for (const record of shown) expect(record).toMatchObject(blocked)
    expect((await ada.upload({ size_bytes: 3, name: 'e', parent_id: inner.id })).file).toMatchObject(blocked)
    expect((await ada.get(`/uploads/${upload.id}`)).body).toMatchObject({ file: blocked })
    await put(upload, bytes('abc'))
    expect(made(records.CompletedFile, await ada.complete(upload), 200).file).toMatchObject(blocked)
    await ada.delete(trashed)
    expect(((await ada.get('/trash')).body as { files: unknown[] }).files[0]).not.toHaveProperty('blocked')
    expect((await ada.restore(trashed)).body).toMatchObject(blocked)
    await unblockFile(top)
    for (const { id } of [inner, file, trashed])
      expect((await ada.get(`/files/${id}`)).text).not.toContain('blocked')
    expect((await bob.page({ parent_id: inner.id })).files).toHaveLength(5)
    expect((await ada.get(`/files?parent_id=${inner.id}`)).text).not.toContain('blocked')
  })
})
