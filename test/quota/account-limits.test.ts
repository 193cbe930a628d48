import { describe, expect, it } from 'vitest'
import { signUpCreator } from '../support/creator.ts'
import { newKey } from '../support/ids.ts'
import { expectSound } from '../support/invariants.ts'
import { runJobIn } from '../support/objects.ts'
import { serviceWith } from '../support/service.ts'
import { operator, signUp } from '../support/user.ts'

const shown = { visibility: 'public' }
const limited = (variables: Record<string, string>) => signUpCreator('ada', serviceWith(variables))

describe('MAX_PUBLIC_ASSETS', () => {
  const reached = [409, 'LIMIT_REACHED', '"limit":"public_assets"'] as const

  it('holds for creating, publishing and restoring; what is made private or deleted makes room', async () => {
    const ada = await limited({ MAX_PUBLIC_ASSETS: '2' })
    const [one, two] = [await ada.emptyAsset('one', shown), await ada.emptyAsset('two', shown)]
    expect(await ada.createAsset({ name: 'three', type: 'world', ...shown })).toBeProblem(...reached)
    const three = await ada.emptyAsset('three')
    expect(await ada.editAsset(three, shown)).toBeProblem(...reached)
    expect(await ada.editAsset(three, { name: 'still three', ...shown })).toBeProblem(...reached)
    expect((await ada.editAsset(one, { name: 'renamed', ...shown })).status).toBe(200)
    await ada.editAsset(one, { visibility: 'private' })
    expect((await ada.editAsset(three, shown)).status).toBe(200)
    await ada.deleteAsset(two)
    expect((await ada.editAsset(one, shown)).status).toBe(200)
    expect(await ada.restoreAsset(two)).toBeProblem(...reached)
    expect(await ada.assetNames('/assets?deleted=true')).toEqual(['two'])
    await ada.deleteAsset(one, '?permanent=true')
    expect((await ada.restoreAsset(two)).status).toBe(200)
    expect(await ada.assetNames('/assets')).toEqual(['three', 'two'])
    await expectSound(ada.id)
  })

  it('leaves an upload open whose asset would be one too many, until there is room', async () => {
    const ada = await limited({ MAX_PUBLIC_ASSETS: '1' })
    const one = await ada.emptyAsset('one', shown)
    const upload = await ada.sent({ name: 'two', asset_type: 'world', ...shown })
    for (let again = 0; again < 2; again++) expect(await ada.complete(upload)).toBeProblem(...reached)
    expect((await ada.get(`/uploads/${upload.id}`)).body).toMatchObject({ state: 'open' })
    await ada.editAsset(one, { visibility: 'private' })
    expect((await ada.complete(upload)).status).toBe(200)
    await expectSound(ada.id)
  })

  it('counts what a moderator has blocked, and never keeps a moderator from lifting a block', async () => {
    const ada = await limited({ MAX_PUBLIC_ASSETS: '1' })
    const moderator = await operator('content:moderate')
    const one = await ada.emptyAsset('one', shown)
    expect((await moderator.request('PUT', `/game/assets/${one.id}/block`)).status).toBe(204)
    expect(await ada.createAsset({ name: 'two', type: 'world', ...shown })).toBeProblem(...reached)
    expect((await moderator.request('DELETE', `/game/assets/${one.id}/block`)).status).toBe(204)
    await expectSound(ada.id)
  })
})

describe('MAX_VERSIONS', () => {
  const reached = [409, 'LIMIT_REACHED', '"limit":"all_versions"'] as const

  it('holds over all assets, for rolling back, branching and completing an upload, which stays open', async () => {
    const ada = await limited({ MAX_VERSIONS: '2' })
    const asset = await ada.asset('one')
    expect((await ada.rollBack(asset, { from_version: 1 })).status).toBe(201)
    expect(await ada.rollBack(asset, { from_version: 1 })).toBeProblem(...reached)
    expect(await ada.branch(asset, { name: 'branch' })).toBeProblem(...reached)
    const [version, another] = [
      await ada.sent({ asset_id: asset.id }),
      await ada.sent({ name: 'two', asset_type: 'world' }),
    ]
    for (const upload of [version, another]) {
      expect(await ada.complete(upload)).toBeProblem(...reached)
      expect((await ada.get(`/uploads/${upload.id}`)).body).toMatchObject({ state: 'open' })
    }
    expect(await ada.assetNames('/assets')).toEqual(['one'])
    await ada.deleteAsset(asset, '?permanent=true')
    expect((await ada.complete(another)).status).toBe(200)
    await expectSound(ada.id)
  })

  it('counts variants as versions, so that each row of a rollback or of a branch is one', async () => {
    const ada = await limited({ MAX_VERSIONS: '4' })
    const asset = await ada.asset('one')
    await ada.variant(asset, 1, 'ios')
    expect((await ada.rollBack(asset, { from_version: 1 })).status).toBe(201)
    expect(await ada.rollBack(asset, { from_version: 1 })).toBeProblem(...reached)
    const variant = await ada.sent({ asset_id: asset.id, version: 1, platform: 'web' })
    expect(await ada.complete(variant)).toBeProblem(...reached)
    expect((await ada.deleteVariant(asset, 2, 'ios')).status).toBe(204)
    for (const refused of [
      await ada.rollBack(asset, { from_version: 1 }),
      await ada.branch(asset, { name: 'with its variant', from_version: 1 }),
    ])
      expect(refused).toBeProblem(...reached)
    expect((await ada.complete(variant)).status).toBe(200)
    expect((await ada.deleteVersion(asset, 1)).status).toBe(204)
    await expectSound(ada.id)
    expect((await ada.rollBack(asset, { from_version: 2 })).status).toBe(201)
    await ada.deleteAsset(asset, '?permanent=true')
    const two = await ada.asset('two')
    await ada.variant(two, 1, 'ios')
    expect((await ada.branch(two, { name: 'branch' })).status).toBe(201)
    await expectSound(ada.id)
  })
})

describe('MAX_ENDED_UPLOADS', () => {
  const reached = [409, 'LIMIT_REACHED', '"limit":"ended_uploads"'] as const

  it('holds for starting, never for completing, and counts what is remembered', async () => {
    const ada = await limited({ MAX_ENDED_UPLOADS: '2' })
    const [one, two] = [
      await ada.sent({ name: 'one', asset_type: 'world' }),
      await ada.upload({ size_bytes: 3 }),
    ]
    const third = await ada.sent({ name: 'three', asset_type: 'world' })
    await ada.abort(two)
    expect((await ada.complete(one)).status).toBe(200)
    await ada.file('file', 'content')
    expect((await ada.complete(third)).status).toBe(200)
    expect(
      await ada.startUpload({ upload_type: 'file', name: 'a', size_bytes: 1, mime_type: 'a/b' }),
    ).toBeProblem(...reached)
    await expectSound(ada.id)
    await runJobIn(3.1)
    await ada.file('another', 'content')
    await expectSound(ada.id)
  })
})

describe('MAX_IDEMPOTENCY_KEYS', () => {
  const reached = [409, 'LIMIT_REACHED', '"limit":"idempotency_keys"'] as const

  it('holds for every creation with a new key, answers what came with an old one, and needs none', async () => {
    const ada = await limited({ MAX_IDEMPOTENCY_KEYS: '2' })
    const file = await ada.file('file', 'content')
    const asset = await ada.asset('asset')
    const [first, folder] = [newKey(), { name: 'folder', asset_type: 'folder' }]
    const made = await ada.createFolder(folder, first)
    const share = { grantee_id: 'bob', permission: 'view' }
    expect((await ada.createShare(file, share, newKey())).status).toBe(201)
    for (const refused of [
      await ada.createFolder(folder, newKey()),
      await ada.createShare(file, { ...share, grantee_id: 'eve' }, newKey()),
      await ada.createAsset({ name: 'a', type: 'world' }, newKey()),
      await ada.branch(asset, { name: 'b' }, newKey()),
      await ada.rollBack(asset, { from_version: 1 }, newKey()),
      await ada.startUpload({ upload_type: 'file', name: 'a', size_bytes: 1, mime_type: 'a/b' }, newKey()),
    ])
      expect(refused).toBeProblem(...reached)
    expect((await ada.createFolder(folder, first)).body).toEqual(made.body)
    expect((await ada.createFolder(folder)).status).toBe(201)
    await expectSound(ada.id)
    await runJobIn(1.1)
    expect((await ada.createFolder(folder, newKey())).status).toBe(201)
    await expectSound(ada.id)
  })

  it('is each caller’s own', async () => {
    const service = serviceWith({ MAX_IDEMPOTENCY_KEYS: '1' })
    for (const user of [await signUp('ada', service), await signUp('bob', service)]) {
      const folder = { name: 'folder', asset_type: 'folder' }
      expect((await user.createFolder(folder, newKey())).status).toBe(201)
      expect(await user.createFolder(folder, newKey())).toBeProblem(...reached)
    }
  })
})
