import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it } from 'vitest'
import { made } from '../support/answer.ts'
import { aged, type Creator, signUpCreator } from '../support/creator.ts'
import { databaseOf } from '../support/databases.ts'
import { newKey, unknownId } from '../support/ids.ts'
import { expectInPlace, expectSound } from '../support/invariants.ts'
import { expectRecordsAndObjectsAgree, runJobIn } from '../support/objects.ts'
import { records } from '../support/records.ts'
import { serviceWith } from '../support/service.ts'
import { operator } from '../support/user.ts'

let ada: Creator
let bob: Creator

beforeEach(async () => {
  ;[ada, bob] = [await signUpCreator('ada'), await signUpCreator('bob')]
})

/** An asset with as many versions, whose contents are `1`, `22`, `333`, … */
async function withVersions(owner: Creator, count: number, declared: Record<string, unknown> = {}) {
  const asset = await owner.asset('asset', declared, '1')
  for (let version = 2; version <= count; version++)
    await owner.version(asset, String(version).repeat(version))
  return asset
}

const used = async (user: Creator) => (await user.quota()).used_bytes

/** The revision and the times of an asset. */
const stateOf = (id: string) =>
  databaseOf(id)
    .prepare('SELECT revision, updated_at, kept_until, deleted_versions FROM game_assets WHERE id = ?')
    .bind(id)
    .first<{ revision: number; updated_at: number; kept_until: number | null; deleted_versions: number }>()

describe('DELETE /v1/game/assets/{id}/versions/{version}', () => {
  it('deletes any version but the current one, with its bytes, and nothing else', async () => {
    const asset = await withVersions(ada, 4)
    const deleted = await ada.deleteVersion(asset, 2)
    expect([deleted.status, deleted.text]).toEqual([204, ''])
    expect(await ada.versions(asset)).toEqual([4, 3, 1])
    expect(await used(ada)).toBe(1 + 3 + 4)
    expect(await ada.contentOf(asset, 1)).toBe('1')
    for (const path of ['', '/url'])
      expect(await ada.get(`/game/assets/${asset.id}/versions/2${path}`)).toBeProblem(
        404,
        'VERSION_NOT_FOUND',
      )
    expect(await ada.assetUrls([{ asset_id: asset.id, version: 2 }, { asset_id: asset.id }])).toMatchObject([
      { code: 'VERSION_NOT_FOUND' },
      { version: 4 },
    ])
    expect((await ada.deleteVersion(asset, 1)).status).toBe(204)
    expect((await ada.deleteVersion(asset, 3)).status).toBe(204)
    expect(await ada.versions(asset)).toEqual([4])
    const whole = made(records.GameAssetWithVersions, await ada.readAsset(asset), 200)
    expect([whole.current_version, whole.versions.length]).toEqual([4, 1])
    expect(await ada.deleteVersion(asset, 4)).toBeProblem(409, 'VERSION_IS_CURRENT')
    expect(await ada.contentOf(asset, 4)).toBe('4444')
    await runJobIn(4)
    await expectRecordsAndObjectsAgree()
    expect(await ada.contentOf(asset, 4)).toBe('4444')
    await expectSound(ada.id)
  })

  it('does not use a number again', async () => {
    const asset = await withVersions(ada, 2)
    await ada.deleteVersion(asset, 1)
    expect((await ada.version(asset, '333')).version).toBe(3)
    await ada.deleteVersion(asset, 2)
    expect((await ada.rollBack(asset, { from_version: 3 })).body).toMatchObject({ version: 4 })
    expect(await ada.versions(asset)).toEqual([4, 3])
    expect(await ada.deleteVersion(asset, 2)).toBeProblem(404, 'VERSION_NOT_FOUND')
    await expectSound(ada.id)
  })

  it('is for the owner alone, of an asset that is there', async () => {
    const asset = await withVersions(ada, 2, { visibility: 'public' })
    for (const id of [asset.id, unknownId, 'x'])
      for (const number of [1, 2, 3])
        expect(await bob.deleteVersion(id, number)).toBeProblem(404, 'ASSET_NOT_FOUND')
    for (const number of ['0', '-1', '1.5', 'abc', '99999999999999999999', '3', '1e0', '٢'])
      expect(await ada.deleteVersion(asset, number)).toBeProblem(404, 'VERSION_NOT_FOUND')
    expect(await ada.deleteVersion(await ada.emptyAsset('empty'), 0)).toBeProblem(404, 'VERSION_NOT_FOUND')
    await ada.deleteAsset(asset)
    expect(await ada.deleteVersion(asset, 1)).toBeProblem(404, 'ASSET_NOT_FOUND')
    await ada.restoreAsset(asset)
    expect(await ada.versions(asset)).toEqual([2, 1])
    expect((await ada.deleteVersion(asset, 1)).status).toBe(204)
    await expectSound(ada.id)
  })

  it('is for a blocked asset, too, which stays blocked', async () => {
    const asset = await withVersions(ada, 2, { visibility: 'public' })
    const moderator = await operator('content:moderate')
    await moderator.request('PUT', `/game/assets/${asset.id}/block`)
    expect((await ada.deleteVersion(asset, 1)).status).toBe(204)
    expect((await ada.readAsset(asset)).body).toMatchObject({ blocked: true, current_version: 2 })
    await expectSound(ada.id)
  })

  it('is a change of the asset: a new revision, and a new time', async () => {
    const asset = await withVersions(ada, 3)
    await aged(asset)
    const [before, tag] = [await stateOf(asset.id), await ada.tagOf(asset)]
    await ada.deleteVersion(asset, 1)
    const after = await stateOf(asset.id)
    expect(await ada.tagOf(asset)).not.toBe(tag)
    expect(after).toMatchObject({
      revision: (before?.revision ?? 0) + 1,
      kept_until: null,
      deleted_versions: 1,
    })
    expect(after?.updated_at).toBeGreaterThan(before?.updated_at ?? 0)
    for (const number of [1, 3, 7]) await ada.deleteVersion(asset, number)
    await bob.deleteVersion(asset, 2)
    expect(await stateOf(asset.id), 'what is refused changes nothing').toEqual(after)
  })

  it('asks for the revision that If-Match names', async () => {
    const asset = await withVersions(ada, 3)
    const revision = (await stateOf(asset.id))?.revision ?? 0
    const ifMatch = (tags: string) => ({ 'If-Match': tags })
    for (const tags of [`"${revision - 1}"`, `"${revision + 1}"`, '"other"', '"0"'])
      expect(await ada.deleteVersion(asset, 1, ifMatch(tags))).toBeProblem(412, 'PRECONDITION_FAILED')
    expect(await ada.deleteVersion(asset, 3, ifMatch('"1"'))).toBeProblem(412, 'PRECONDITION_FAILED')
    expect(await ada.deleteVersion(asset, 9, ifMatch('"1"'))).toBeProblem(404, 'VERSION_NOT_FOUND')
    expect(await bob.deleteVersion(asset, 1, ifMatch('*'))).toBeProblem(404, 'ASSET_NOT_FOUND')
    expect(await ada.deleteVersion(asset, 1, ifMatch('nonsense'))).toBeProblem(400, 'VALIDATION_FAILED')
    expect(await ada.versions(asset)).toEqual([3, 2, 1])
    expect((await ada.deleteVersion(asset, 1, ifMatch(`"7", "${revision}"`))).status).toBe(204)
    expect(await ada.deleteVersion(asset, 2, ifMatch(`"${revision}"`))).toBeProblem(
      412,
      'PRECONDITION_FAILED',
    )
    expect((await ada.deleteVersion(asset, 2, ifMatch('*'))).status).toBe(204)
    expect(await ada.deleteVersion(asset, 3, ifMatch('*'))).toBeProblem(409, 'VERSION_IS_CURRENT')
  })

  it('makes room for another version, by an upload and by a rollback', async () => {
    const few = await signUpCreator('few', serviceWith({ MAX_VERSIONS_PER_ASSET: '2' }))
    const limit = [409, 'LIMIT_REACHED', '"limit":"versions"'] as const
    const asset = await withVersions(few, 2)
    const open = async () => few.startContent({ asset_id: asset.id })
    expect(await open()).toBeProblem(...limit)
    await few.deleteVersion(asset, 1)
    const upload = await few.sent({ asset_id: asset.id })
    expect((await few.rollBack(asset, { from_version: 2 })).status).toBe(201)
    expect(await few.rollBack(asset, { from_version: 2 })).toBeProblem(...limit)
    expect(await few.complete(upload)).toBeProblem(...limit)
    await few.deleteVersion(asset, 2)
    expect((await few.complete(upload)).body).toMatchObject({ version: { version: 4 } })
    expect(await open()).toBeProblem(...limit)
    expect(await few.versions(asset)).toEqual([4, 3])
    await expectSound(few.id)
  })

  it('makes room among all versions of the user', async () => {
    const few = await signUpCreator('few', serviceWith({ MAX_VERSIONS: '2' }))
    const asset = await withVersions(few, 2)
    expect(await few.rollBack(asset, { from_version: 1 })).toBeProblem(409, 'LIMIT_REACHED', 'all_versions')
    await few.deleteVersion(asset, 1)
    expect((await few.rollBack(asset, { from_version: 2 })).status).toBe(201)
  })
})

describe('the content of a deleted version', () => {
  it('stays, and counts, while another version of the asset has it', async () => {
    const asset = await withVersions(ada, 2)
    await ada.rollBack(asset, { from_version: 1 })
    await ada.deleteVersion(asset, 1)
    expect(await used(ada)).toBe(1 + 2)
    await runJobIn(4)
    expect(await ada.contentOf(asset, 3)).toBe('1')
    await ada.version(asset, '4444')
    await ada.deleteVersion(asset, 3)
    expect(await used(ada)).toBe(2 + 4)
    await runJobIn(4)
    await expectRecordsAndObjectsAgree()
    await expectSound(ada.id)
  })

  it('stays while a branch has it, of whatever user, and counts there alone', async () => {
    const asset = await withVersions(ada, 2, { visibility: 'public' })
    const branches = [
      made(records.Branch, await bob.branch(asset, { name: 'of bob', from_version: 1 }), 201),
      made(records.Branch, await ada.branch(asset, { name: 'of ada', from_version: 1 }), 201),
    ]
    await ada.deleteVersion(asset, 1)
    expect([await used(ada), await used(bob)]).toEqual([2 + 1, 1])
    await runJobIn(4)
    for (const [index, user] of [bob, ada].entries())
      expect(await user.contentOf(branches[index]?.asset ?? '', 1)).toBe('1')
    await expectInPlace()
    await bob.deleteAsset(branches[0]?.asset ?? '', '?permanent=true')
    await ada.deleteAsset(branches[1]?.asset ?? '', '?permanent=true')
    await runJobIn(4)
    await expectRecordsAndObjectsAgree()
    await expectSound(ada.id, bob.id)
  })

  it('goes from a branch alone: the first version too, and the branch is still one', async () => {
    const source = await withVersions(ada, 1, { visibility: 'public' })
    const { asset: branch } = await bob.branched(source)
    await bob.version(branch, 'bobs')
    const before = await env.BUCKET.list({ prefix: 'refs/' })
    expect((await bob.deleteVersion(branch, 1)).status).toBe(204)
    expect(await used(bob)).toBe(4)
    expect(await ada.contentOf(source, 1)).toBe('1')
    await bob.editAsset(branch, { visibility: 'public' })
    expect(await ada.branchNames(source)).toEqual(['branch'])
    await runJobIn(4)
    const { objects } = await env.BUCKET.list({ prefix: 'refs/' })
    expect([before.objects.length, objects.length], 'its marker goes with it').toEqual([1, 0])
    expect(await ada.contentOf(source, 1)).toBe('1')
    await ada.deleteAsset(source, '?permanent=true')
    await runJobIn(4)
    expect(await bob.contentOf(branch, 2)).toBe('bobs')
    await expectRecordsAndObjectsAgree()
    await expectSound(ada.id, bob.id)
  })

  it('goes with the rest when the asset is deleted permanently, or its owner erased', async () => {
    for (const owner of [ada, bob]) {
      const asset = await withVersions(owner, 3)
      await owner.deleteVersion(asset, 2)
      if (owner === ada) await owner.deleteAsset(asset, '?permanent=true')
      else await (await operator('users:erase')).request('DELETE', `/users/${owner.id}`)
      await runJobIn(4)
      expect(await owner.readAsset(asset)).toBeProblem(404, 'ASSET_NOT_FOUND')
      expect(await used(owner)).toBe(0)
      await expectSound(owner.id)
    }
    await runJobIn(4)
    await expectRecordsAndObjectsAgree()
  })
})

describe('a request whose version was deleted since', () => {
  it('is answered VERSION_NOT_FOUND when it completed the upload', async () => {
    const asset = await ada.asset()
    const upload = await ada.sent({ asset_id: asset.id })
    await ada.complete(upload)
    await ada.version(asset)
    await ada.deleteVersion(asset, 2)
    expect(await ada.complete(upload)).toBeProblem(404, 'VERSION_NOT_FOUND')
    expect((await ada.get(`/uploads/${upload.id}`)).body).toMatchObject({ state: 'completed' })
    await ada.deleteAsset(asset, '?permanent=true')
    expect(await ada.complete(upload)).toBeProblem(404, 'ASSET_NOT_FOUND')
    expect(await ada.get(`/uploads/${upload.id}`)).toBeProblem(404, 'UPLOAD_NOT_FOUND')
  })

  it('is answered VERSION_NOT_FOUND when it is a repeated rollback or branch', async () => {
    const asset = await withVersions(ada, 2, { visibility: 'public' })
    const [back, branched] = [newKey(), newKey()]
    const rollBack = () => ada.rollBack(asset, { from_version: 1 }, back)
    const branch = () => bob.branch(asset, { name: 'branch', from_version: 1 }, branched)
    expect((await rollBack()).body).toMatchObject({ version: 3 })
    const made_branch = made(records.Branch, await branch(), 201).asset
    await ada.version(asset)
    await bob.version(made_branch)
    await ada.deleteVersion(asset, 3)
    await bob.deleteVersion(made_branch, 1)
    expect(await rollBack()).toBeProblem(404, 'VERSION_NOT_FOUND')
    expect(await branch()).toBeProblem(404, 'VERSION_NOT_FOUND')
    expect([await ada.versions(asset), await bob.versions(made_branch)]).toEqual([[4, 2, 1], [2]])
  })

  it('is answered VERSION_NOT_FOUND when it is a new rollback to it, or a new branch of it', async () => {
    const asset = await withVersions(ada, 2, { visibility: 'public' })
    await ada.deleteVersion(asset, 1)
    expect(await ada.rollBack(asset, { from_version: 1 })).toBeProblem(404, 'VERSION_NOT_FOUND')
    for (const user of [ada, bob]) {
      expect(await user.branch(asset, { name: 'a', from_version: 1 })).toBeProblem(404, 'VERSION_NOT_FOUND')
      expect((await user.branched(asset)).version).toMatchObject({ branched_from_version: 2 })
    }
  })
})
