import { describe, expect, it } from 'vitest'
import type { Answer } from '../support/answer.ts'
import { made } from '../support/answer.ts'
import { bytes } from '../support/content.ts'
import { type Creator, signUpCreator } from '../support/creator.ts'
import { newKey, unknownId } from '../support/ids.ts'
import { expectSound } from '../support/invariants.ts'
import { records, Upload } from '../support/records.ts'
import { operator, put } from '../support/user.ts'

const tag = (answer: Answer) => answer.headers.get('ETag') ?? 'none'
const failed = [412, 'PRECONDITION_FAILED'] as const

/** An asset with one version, which has changed since its first ETag. */
async function changed(ada: Creator, declared: Record<string, unknown> = {}) {
  const asset = await ada.asset('a', declared)
  const old = await ada.tagOf(asset)
  const current = tag(await ada.editAsset(asset, { description: 'now' }))
  return { asset, old, current }
}

describe('the ETag of an asset', () => {
  it('comes with every answer that is the asset, the same until the asset changes', async () => {
    const ada = await signUpCreator()
    const key = newKey()
    const create = () => ada.createAsset({ name: 'a', type: 'world', visibility: 'public' }, key)
    const answer = await create()
    const asset = made(records.GameAsset, answer, 201)
    expect(tag(answer)).toMatch(/^"\d+"$/)
    for (const same of [
      await create(),
      await ada.readAsset(asset),
      await ada.get(`/game/public/world/${asset.id}`),
      await ada.restoreAsset(asset),
    ]) {
      expect(tag(same)).toBe(tag(answer))
      expect(same.headers.get('Cache-Control')).toBe('no-store, no-transform')
    }
    await ada.version(asset)
    const branched = await ada.branch(asset, { name: 'branch' })
    expect(tag(branched)).toBe(await ada.tagOf(made(records.Branch, branched, 201).asset))
  })

  it('is another one after every change that its owner sees, and none after what changes nothing', async () => {
    const ada = await signUpCreator()
    const asset = await ada.asset('a', { visibility: 'public' })
    const moderator = await operator('content:moderate')
    const block = (method: string) => moderator.request(method, `/game/assets/${asset.id}/block`)
    const tags = [await ada.tagOf(asset)]
    const changes: (() => Promise<unknown>)[] = [
      () => ada.editAsset(asset, { name: 'b' }),
      () => ada.editAsset(asset, { name: 'b' }),
      () => ada.editAsset(asset, { visibility: 'private' }),
      () => ada.editAsset(asset, { visibility: 'public' }),
      () => ada.editAsset(asset, { description: 'text' }),
      () => ada.editAsset(asset, { tags: ['a'] }),
      () => ada.editAsset(asset, { metadata: { a: 1 } }),
      () => ada.editAsset(asset, { listed: false }),
      () => ada.version(asset),
      () => ada.rollBack(asset, { from_version: 1 }),
      () => block('PUT'),
      () => block('DELETE'),
      async () => [await ada.deleteAsset(asset), await ada.restoreAsset(asset)],
    ]
    for (const change of changes) {
      await change()
      const now = await ada.tagOf(asset)
      expect(tags, String(change)).not.toContain(now)
      tags.push(now)
    }
    await block('PUT')
    const blocked = await ada.tagOf(asset)
    await block('PUT')
    expect(await ada.tagOf(asset)).toBe(blocked)
    await block('DELETE')
    const free = await ada.tagOf(asset)
    await block('DELETE')
    await ada.restoreAsset(asset)
    await ada.branch(asset, { name: 'branch' })
    await ada.sent({ asset_id: asset.id })
    expect(await ada.editAsset(asset, { listed: null })).toBeProblem(400, 'VALIDATION_FAILED')
    expect(await ada.tagOf(asset)).toBe(free)
  })
})

describe('If-Match', () => {
  it('refuses an edit and a deletion when someone else was faster, and changes nothing then', async () => {
    const ada = await signUpCreator()
    const { asset, old, current } = await changed(ada)
    const before = (await ada.readAsset(asset)).body
    for (const other of [old, '"0"', '"x"', `"0${current.slice(1)}`]) {
      const headers = { 'If-Match': other }
      expect(await ada.editAsset(asset, { name: 'b', visibility: 'public' }, headers)).toBeProblem(...failed)
      for (const query of ['', '?permanent=true'])
        expect(await ada.deleteAsset(asset, query, headers)).toBeProblem(...failed)
    }
    expect((await ada.readAsset(asset)).body).toEqual(before)
    await expectSound(ada.id)
  })

  it('lets the present one through, alone, in a list, weakened, or as *', async () => {
    const ada = await signUpCreator()
    const { asset } = await changed(ada)
    for (const match of [
      (now: string) => now,
      (now: string) => `"7777", ${now}`,
      (now: string) => `W/${now}`,
      () => '*',
    ]) {
      const headers = { 'If-Match': match(await ada.tagOf(asset)) }
      const answer = await ada.editAsset(asset, { description: crypto.randomUUID() }, headers)
      expect([answer.status, tag(answer)]).toEqual([200, await ada.tagOf(asset)])
    }
    const headers = { 'If-Match': await ada.tagOf(asset) }
    expect((await ada.deleteAsset(asset, '', headers)).status).toBe(204)
    // The deletion was a change.
    expect(await ada.deleteAsset(asset, '?permanent=true', headers)).toBeProblem(...failed)
    expect((await ada.deleteAsset(asset, '?permanent=true', { 'If-Match': '*' })).status).toBe(204)
  })

  it('hides what may not be seen: an asset of another user, or none, is not found', async () => {
    const [ada, bob] = [await signUpCreator('ada'), await signUpCreator('bob')]
    const { asset, old, current } = await changed(ada, { visibility: 'public' })
    for (const match of [old, current, '*'])
      for (const target of [asset.id, unknownId]) {
        const [headers, missing] = [{ 'If-Match': match }, [404, 'ASSET_NOT_FOUND'] as const]
        expect(await bob.editAsset(target, { name: 'b' }, headers)).toBeProblem(...missing)
        expect(await bob.deleteAsset(target, '', headers)).toBeProblem(...missing)
        expect(await bob.deleteAsset(target, '?permanent=true', headers)).toBeProblem(...missing)
        expect(await bob.startContent({ asset_id: target }, headers)).toBeProblem(...missing)
      }
  })

  it('goes before the name: a taken one is told at the present revision only', async () => {
    const ada = await signUpCreator()
    await ada.emptyAsset('taken')
    const { asset, old, current } = await changed(ada)
    expect(await ada.editAsset(asset, { name: 'taken' }, { 'If-Match': old })).toBeProblem(...failed)
    expect(await ada.editAsset(asset, { name: 'taken' }, { 'If-Match': current })).toBeProblem(
      409,
      'DUPLICATE_ASSET_NAME',
    )
  })

  it('holds for an upload to an asset, at its start', async () => {
    const ada = await signUpCreator()
    const { asset, old, current } = await changed(ada)
    const declared = { asset_id: asset.id }
    expect(await ada.startContent(declared, { 'If-Match': old })).toBeProblem(...failed)
    expect((await ada.quota()).used_bytes).toBe(7)
    const key = newKey()
    expect((await ada.startContent(declared, { ...key, 'If-Match': current })).status).toBe(201)
    expect((await ada.startContent(declared, { ...key, 'If-Match': current })).status).toBe(201)
    expect(await ada.startContent(declared, key)).toBeProblem(422, 'IDEMPOTENCY_KEY_REUSED')
    await expectSound(ada.id)
  })

  it('holds for an upload to an asset until its completion, whose own replaces it', async () => {
    const ada = await signUpCreator()
    const { asset, current } = await changed(ada)
    const start = async (headers: Record<string, string>) => {
      const upload = made(Upload, await ada.startContent({ asset_id: asset.id }, headers), 201)
      expect((await put(upload, bytes('new'))).status).toBe(200)
      return upload
    }
    const [first, second, free] = [
      await start({ 'If-Match': current }),
      await start({ 'If-Match': current }),
      await start({}),
    ]
    expect((await ada.complete(first)).status).toBe(200)
    expect((await ada.complete(first)).status, 'again').toBe(200)
    expect(await ada.complete(second)).toBeProblem(...failed)
    expect((await ada.get(`/uploads/${second.id}`)).body).toMatchObject({ state: 'open' })
    expect(await ada.complete(free, {}, { 'If-Match': current })).toBeProblem(...failed)
    expect((await ada.complete(free)).status).toBe(200)
    expect(await ada.versions(asset)).toEqual([3, 2, 1])
    const now = await ada.tagOf(asset)
    expect((await ada.complete(second, {}, { 'If-Match': now })).status).toBe(200)
    expect(await ada.versions(asset)).toEqual([4, 3, 2, 1])
    await expectSound(ada.id)
  })

  it('says nothing about an upload of a new asset', async () => {
    const ada = await signUpCreator()
    const declared = { name: 'a', asset_type: 'world' }
    const upload = made(Upload, await ada.startContent(declared, { 'If-Match': '"9"' }), 201)
    await put(upload, bytes('new'))
    expect((await ada.complete(upload, {}, { 'If-Match': '"9"' })).status).toBe(200)
  })
})
