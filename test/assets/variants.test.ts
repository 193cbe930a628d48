import { describe, expect, it } from 'vitest'
import { made } from '../support/answer.ts'
import { serviceWithCheck } from '../support/checking.ts'
import { bytes } from '../support/content.ts'
import { aged, Creator, giveQuota, signUpCreator } from '../support/creator.ts'
import { unknownId } from '../support/ids.ts'
import { expectNothingSuperfluous, expectSound } from '../support/invariants.ts'
import { expectAgreedIn, expectRecordsAndObjectsAgree, runJobIn } from '../support/objects.ts'
import { records, Upload } from '../support/records.ts'
import { operator, put } from '../support/user.ts'

const MIB = 1_048_576

async function scene(declared: Record<string, unknown> = {}) {
  const ada = await signUpCreator('ada')
  const asset = await ada.asset('castle', { visibility: 'public', ...declared }, 'for all')
  return { ada, bob: await signUpCreator('bob'), asset }
}

const platformsOf = ({ variants }: { variants: { platform: string }[] }) =>
  variants.map(({ platform }) => platform)

describe('a variant of a version', () => {
  it('is in every record of its version, by platform, and changes the asset as a version does', async () => {
    const { ada, bob, asset } = await scene()
    await aged(asset)
    const before = await ada.tagOf(asset)
    const checksum_sha256 = 'm0tGO9kzJYWuYsqpe2gR4wMqfJpGYQcUwgwCZBmC2TA='
    const { version } = await ada.publish({ asset_id: asset.id, version: 1, platform: 'ios' }, 'of ios')
    expect(version).toMatchObject({ version: 1, size_bytes: 7, platform: null })
    expect(
      await ada.startContent({ asset_id: asset.id, version: 1, platform: 'web', checksum_sha256 }),
    ).toMatchObject({ status: 201 })
    const last = await ada.publish({ asset_id: asset.id, version: 1, platform: 'android' }, 'of android')
    expect(last.asset).toMatchObject({ id: asset.id, current_version: 1 })
    expect(last.version.variants).toEqual([
      { platform: 'android', size_bytes: 10, checksum_sha256: null, created_at: expect.any(Number) },
      { platform: 'ios', size_bytes: 6, checksum_sha256: null, created_at: expect.any(Number) },
    ])
    expect(last.asset.updated_at).toBe(last.version.variants[0]?.created_at)
    expect(last.asset.updated_at).toBeGreaterThan(asset.updated_at - 3_600)
    expect(await ada.tagOf(asset)).not.toBe(before)
    for (const user of [ada, bob]) {
      expect(await user.readVersion(asset, 1)).toEqual(last.version)
      expect((await user.readAsset(asset)).body).toMatchObject({ versions: [last.version] })
      expect((await user.get(`/game/assets/${asset.id}/versions`)).body).toMatchObject({
        versions: [last.version],
      })
      expect((await user.get(`/game/public/world/${asset.id}`)).body).toMatchObject({
        versions: [last.version],
      })
    }
    expect((await ada.quota()).used_bytes).toBe(7 + 6 + 10 + 3)
    await expectSound(ada.id)
  })

  it('is read by its platform; others get the version’s own content if that is for all or for them', async () => {
    const { ada, bob, asset } = await scene()
    await ada.variant(asset, 1, 'android', 'of android')
    await ada.publish({ asset_id: asset.id, platform: 'windows' }, 'of windows')
    await ada.variant(asset, 2, 'android', 'second of android')
    for (const user of [ada, bob]) {
      expect(await user.contentOf(asset, 1)).toBe('for all')
      expect(await user.contentOf(asset, 1, 'android')).toBe('of android')
      expect(await user.contentOf(asset, 1, 'ios')).toBe('for all')
      expect(await user.contentOf(asset, 2)).toBe('of windows')
      expect(await user.contentOf(asset, 2, 'windows')).toBe('of windows')
      expect(await user.contentOf(asset, 2, 'android')).toBe('second of android')
      expect(await user.urlOf(asset, 2, 'ios')).toBeProblem(404, 'VARIANT_NOT_FOUND')
      expect(await user.urlOf(asset, 3, 'ios')).toBeProblem(404, 'VERSION_NOT_FOUND')
      expect(await user.urlOf(asset, 2, 'i os')).toBeProblem(400, 'VALIDATION_FAILED')
      expect((await user.urlOf(asset, 1, 'ios')).body).toMatchObject({
        ...{ version: 1, platform: null, size_bytes: 7, checksum_sha256: null },
      })
      expect((await user.urlOf(asset, 2, 'android')).body).toMatchObject({
        ...{ version: 2, platform: 'android', size_bytes: 17 },
      })
      expect((await user.urlOf(asset, 2)).body).toMatchObject({ platform: 'windows', size_bytes: 10 })
    }
    await ada.editAsset(asset, { visibility: 'private' })
    expect(await bob.urlOf(asset, 1, 'android')).toBeProblem(404, 'ASSET_NOT_FOUND')
    expect(await ada.contentOf(asset, 1, 'android')).toBe('of android')
  })

  it('is what a request for many URLs and one for updates get for its platform', async () => {
    const { ada, bob, asset } = await scene()
    await ada.publish({ asset_id: asset.id, platform: 'windows' }, 'of windows')
    await ada.variant(asset, 2, 'android', 'of android')
    const asset_id = asset.id
    const items = [
      { asset_id, platform: 'android' },
      { asset_id, platform: 'windows', version: 2 },
      { asset_id, platform: 'ios', version: 1 },
      { asset_id, platform: 'ios' },
      { asset_id, platform: 'ios', version: 3 },
      { asset_id },
    ]
    for (const user of [ada, bob]) {
      const urls = await user.assetUrls(items)
      expect(urls).toMatchObject([
        { version: 2, platform: 'android', size_bytes: 10, checksum_sha256: null },
        { version: 2, platform: 'windows', size_bytes: 10 },
        { version: 1, platform: null, size_bytes: 7 },
        { asset_id, version: 2, code: 'VARIANT_NOT_FOUND' },
        { asset_id, version: 3, code: 'VERSION_NOT_FOUND' },
        { version: 2, platform: 'windows', size_bytes: 10 },
      ])
      const texts = urls.map(async ({ url }) => url && (await user.fetchSigned(url)).text())
      const [all, android, windows] = ['for all', 'of android', 'of windows']
      expect(await Promise.all(texts)).toEqual([android, windows, all, undefined, undefined, windows])
      const have = [
        { asset_id, version: 1, platform: 'android' },
        { asset_id, version: 2, platform: 'android' },
        { asset_id, version: 0, platform: 'ios' },
        { asset_id, version: 2, platform: 'ios' },
        { asset_id, version: 1 },
      ]
      expect((await user.request('POST', '/game/updates', { json: { items: have } })).body).toEqual({
        updates: [
          { asset_id, version: 2, platform: 'android', size_bytes: 10, checksum_sha256: null },
          { asset_id, version: null },
          { asset_id, code: 'VARIANT_NOT_FOUND' },
          { asset_id, code: 'VARIANT_NOT_FOUND' },
          { asset_id, version: 2, platform: 'windows', size_bytes: 10, checksum_sha256: null },
        ],
      })
    }
    const wrong = { json: { items: [{ asset_id, platform: 'i os' }] } }
    expect(await bob.request('POST', '/game/urls', wrong)).toBeProblem(400, 'VALIDATION_FAILED')
  })

  it('of a version that others are not served yet is no change to them', async () => {
    const { ada, bob, asset } = await scene()
    await ada.release(asset.id, 1)
    await ada.version(asset)
    const state = async () => {
      const { headers, body } = await bob.readAsset(asset)
      return [headers.get('ETag'), body]
    }
    const before = await state()
    const tag = await ada.tagOf(asset)
    await ada.variant(asset, 2, 'android')
    await ada.deleteVariant(asset, 2, 'android')
    expect(await state()).toEqual(before)
    expect(await ada.tagOf(asset)).not.toBe(tag)
    expect(await bob.urlOf(asset, 2, 'android')).toBeProblem(404, 'VERSION_NOT_FOUND')
    await ada.variant(asset, 1, 'android')
    expect(await state()).not.toEqual(before)
  })

  it('has each platform of its version once, that of the version’s own content too, and replaces none', async () => {
    const { ada, asset } = await scene({ platform: 'windows' })
    await ada.variant(asset, 1, 'android', 'first')
    const [late, later] = [
      await ada.sent({ asset_id: asset.id, version: 1, platform: 'ios' }),
      await ada.sent({ asset_id: asset.id, version: 1, platform: 'ios' }),
    ]
    for (const platform of ['windows', 'android'])
      expect(await ada.startContent({ asset_id: asset.id, version: 1, platform })).toBeProblem(
        409,
        'DUPLICATE_PLATFORM',
      )
    expect((await ada.complete(late)).status).toBe(200)
    for (let i = 0; i < 2; i++) expect(await ada.complete(later)).toBeProblem(409, 'DUPLICATE_PLATFORM')
    expect((await ada.get(`/uploads/${later.id}`)).body).toMatchObject({ state: 'open' })
    expect((await ada.complete(late)).status).toBe(200)
    expect((await ada.request('DELETE', `/uploads/${later.id}`)).status).toBe(204)
    expect(await ada.contentOf(asset, 1, 'android')).toBe('first')
    expect(platformsOf(await ada.readVersion(asset, 1))).toEqual(['android', 'ios'])
    expect((await ada.quota()).used_bytes).toBe(7 + 5 + 3)
    await expectSound(ada.id)
    await expectAgreedIn(4)
  })

  it('is one of eight at most; deleted ones count, and their platforms are not free again', async () => {
    const { ada, asset } = await scene()
    for (let i = 0; i < 7; i++) await ada.variant(asset, 1, `p_${i}`)
    const late = await ada.sent({ asset_id: asset.id, version: 1, platform: 'late' })
    await ada.variant(asset, 1, 'p_7')
    const expectFull = async () => {
      const ninth = await ada.startContent({ asset_id: asset.id, version: 1, platform: 'p_8' })
      expect(ninth).toBeProblem(409, 'LIMIT_REACHED', 'variants')
      expect(await ada.complete(late)).toBeProblem(409, 'LIMIT_REACHED', 'variants')
    }
    await expectFull()
    expect((await ada.deleteVariant(asset, 1, 'p_3')).status).toBe(204)
    await expectFull()
    expect(await ada.startContent({ asset_id: asset.id, version: 1, platform: 'p_3' })).toBeProblem(
      409,
      'DUPLICATE_PLATFORM',
    )
    await ada.version(asset)
    await ada.variant(asset, 2, 'p_3')
    await expectSound(ada.id)
  })

  it('needs a version of one’s own asset, which has it at completion too', async () => {
    const { ada, bob, asset } = await scene()
    const of = { asset_id: asset.id, version: 1, platform: 'ios' }
    expect(await bob.startContent(of)).toBeProblem(404, 'ASSET_NOT_FOUND')
    expect(await ada.startContent({ ...of, asset_id: unknownId })).toBeProblem(404, 'ASSET_NOT_FOUND')
    for (const version of [0, 2, -1, 1e300])
      expect(await ada.startContent({ ...of, version })).toBeProblem(404, 'VERSION_NOT_FOUND')
    const upload = await ada.sent(of)
    await ada.version(asset)
    await ada.deleteAsset(asset)
    expect(await ada.complete(upload)).toBeProblem(404, 'ASSET_NOT_FOUND')
    await ada.restoreAsset(asset)
    expect((await ada.deleteVersion(asset, 1)).status).toBe(204)
    for (let i = 0; i < 2; i++) expect(await ada.complete(upload)).toBeProblem(404, 'VERSION_NOT_FOUND')
    expect((await ada.get(`/uploads/${upload.id}`)).body).toMatchObject({ state: 'failed' })
    expect(await ada.startContent(of)).toBeProblem(404, 'VERSION_NOT_FOUND')
    expect((await ada.quota()).used_bytes).toBe(7)
    await expectSound(ada.id)
    await expectAgreedIn(4)
  })

  it('has a platform and no member of a version or of an asset', async () => {
    const { ada, asset } = await scene()
    const of = { asset_id: asset.id, version: 1 }
    const invalid = async (body: Record<string, unknown>, path: string) =>
      expect(await ada.startContent(body)).toBeProblem(400, 'VALIDATION_FAILED', `"path":"${path}"`)
    await invalid(of, '/platform')
    await invalid({ version: 1, platform: 'ios', name: 'x', asset_type: 'world' }, '/version')
    await invalid({ ...of, platform: 'ios', notes: 'x' }, '/notes')
    await invalid({ ...of, platform: 'ios', tags: ['x'] }, '/tags')
    for (const platform of ['', 'iOS', 'i-os', 'a'.repeat(33), 1])
      await invalid({ ...of, platform }, '/platform')
    expect((await ada.startContent({ ...of, platform: 'a_0'.repeat(10) })).status).toBe(201)
    const empty = { ...of, platform: 'ios', size_bytes: 0 }
    expect(await ada.startContent(empty)).toBeProblem(400, 'VALIDATION_FAILED')
  })

  it('is added on the condition that the asset has not changed, if one asks for it', async () => {
    const { ada, asset } = await scene()
    const tag = await ada.tagOf(asset)
    const of = { asset_id: asset.id, version: 1, platform: 'ios' }
    const upload = made(Upload, await ada.startContent(of, { 'If-Match': tag }), 201)
    await put(upload, bytes('new'))
    await ada.editAsset(asset, { name: 'tower' })
    expect(await ada.startContent(of, { 'If-Match': tag })).toBeProblem(412, 'PRECONDITION_FAILED')
    expect(await ada.complete(upload)).toBeProblem(412, 'PRECONDITION_FAILED')
    const now = { 'If-Match': await ada.tagOf(asset) }
    expect((await ada.request('POST', `/uploads/${upload.id}/complete`, { headers: now })).status).toBe(200)
    await ada.editAsset(asset, { name: 'castle' })
    expect(await ada.deleteVariant(asset, 1, 'ios', now)).toBeProblem(412, 'PRECONDITION_FAILED')
    expect((await ada.deleteVariant(asset, 1, 'ios', { 'If-Match': await ada.tagOf(asset) })).status).toBe(
      204,
    )
  })

  it('is charged to the byte, once for each asset, and is what the user is told to have stored', async () => {
    const { ada, asset } = await scene()
    const large = 'x'.repeat(MIB)
    await ada.variant(asset, 1, 'ios', large)
    await ada.version(asset, '22')
    await giveQuota(ada, 7 + MIB + 2 + 10)
    const of = { asset_id: asset.id, version: 2, platform: 'ios' }
    expect(await ada.startContent({ ...of, size_bytes: 11 })).toBeProblem(
      403,
      'QUOTA_EXCEEDED',
      `"used_bytes":${7 + MIB + 2}`,
    )
    await ada.publish(of, 'x'.repeat(10))
    const back = made(records.Version, await ada.rollBack(asset, { from_version: 1 }), 201)
    expect(platformsOf(back)).toEqual(['ios'])
    expect(back.variants[0]).toMatchObject({ size_bytes: MIB, created_at: back.created_at })
    expect(await ada.contentOf(asset, 3, 'ios')).toBe(large)
    expect((await ada.quota()).used_bytes).toBe(7 + MIB + 2 + 10)
    const breakdown = made(records.QuotaBreakdown, await ada.get('/quota/breakdown'), 200)
    expect(breakdown.parts.find(({ kind }) => kind === 'world')?.bytes).toBe(7 + MIB + 2 + 10)
    const listed = { type: 'version', asset_id: asset.id, platform: 'ios', bytes: MIB }
    expect(breakdown.largest).toMatchObject([{ ...listed, version: 3, id: back.id }])
    expect((await ada.deleteVariant(asset, 3, 'ios')).status).toBe(204)
    const [first] = made(records.QuotaBreakdown, await ada.get('/quota/breakdown'), 200).largest
    expect(first).toMatchObject({ ...listed, version: 1 })
    expect((await ada.quota()).used_bytes).toBe(7 + MIB + 2 + 10)
    expect((await ada.deleteVariant(asset, 1, 'ios')).status).toBe(204)
    expect((await ada.quota()).used_bytes).toBe(7 + 2 + 10)
    await expectSound(ada.id)
    await expectAgreedIn(4)
  })

  it('goes with a branch and with a rollback, without a copy, and stays when its first version goes', async () => {
    const { ada, bob, asset } = await scene({ platform: 'windows' })
    await ada.variant(asset, 1, 'ios', 'of ios')
    await ada.variant(asset, 1, 'web', 'of web')
    expect((await ada.deleteVariant(asset, 1, 'web')).status).toBe(204)
    for (const user of [ada, bob]) {
      const branch = await user.branched(asset)
      expect(branch.version).toMatchObject({ platform: 'windows', size_bytes: 7 })
      expect(platformsOf(branch.version)).toEqual(['ios'])
      expect(await user.contentOf(branch.asset, 1, 'ios')).toBe('of ios')
      // The platform of a deleted variant is free in the branch, which is another version.
      await user.variant(branch.asset, 1, 'web', 'other web')
      expect(await user.startContent({ asset_id: branch.asset.id, version: 1, platform: 'ios' })).toBeProblem(
        409,
        'DUPLICATE_PLATFORM',
      )
      expect((await user.quota()).used_bytes).toBe((user === ada ? 2 : 1) * (7 + 6) + 9)
      const again = made(records.Branch, await user.branch(branch.asset, { name: 'again' }), 201)
      expect(platformsOf(again.version)).toEqual(['ios', 'web'])
    }
    await ada.rollBack(asset, { from_version: 1 })
    await ada.deleteVersion(asset, 1)
    expect(await ada.contentOf(asset, 2, 'ios')).toBe('of ios')
    await ada.deleteAsset(asset, '?permanent=true')
    await expectSound(ada.id, bob.id)
    await runJobIn(4)
    const { assets } = await bob.assets('/assets')
    for (const branch of assets) expect(await bob.contentOf(branch, 1, 'ios')).toBe('of ios')
    await expectNothingSuperfluous()
    for (const branch of assets) await bob.deleteAsset(branch, '?permanent=true')
    expect((await bob.quota()).used_bytes).toBe(0)
    await runJobIn(6)
    await expectAgreedIn(9)
    await expectNothingSuperfluous()
  })

  it('has no branch when there is no room for all contents', async () => {
    const { ada, bob, asset } = await scene()
    await ada.variant(asset, 1, 'ios', 'of ios')
    await giveQuota(bob, 12)
    await giveQuota(ada, 7 + 6 + 12)
    for (const user of [ada, bob])
      expect(await user.branch(asset, { name: 'branch' })).toBeProblem(403, 'QUOTA_EXCEEDED')
    await giveQuota(bob, 13)
    expect(platformsOf((await bob.branched(asset)).version)).toEqual(['ios'])
    expect((await bob.quota()).used_bytes).toBe(13)
    await expectSound(ada.id, bob.id)
    await expectNothingSuperfluous()
  })
})

describe('DELETE /v1/game/assets/{id}/versions/{version}/variants/{platform}', () => {
  it('deletes a variant of the owner’s, and nothing a second time', async () => {
    const { ada, bob, asset } = await scene({ platform: 'windows' })
    await ada.variant(asset, 1, 'ios', 'of ios')
    await aged(asset)
    const tag = await ada.tagOf(asset)
    expect(await bob.deleteVariant(asset, 1, 'ios')).toBeProblem(404, 'ASSET_NOT_FOUND')
    expect(await ada.deleteVariant(asset, 2, 'ios')).toBeProblem(404, 'VERSION_NOT_FOUND')
    for (const platform of ['windows', 'web', 'NONE', '%'])
      expect(await ada.deleteVariant(asset, 1, platform)).toBeProblem(404, 'VARIANT_NOT_FOUND')
    expect(await ada.tagOf(asset)).toBe(tag)
    expect((await ada.deleteVariant(asset, 1, 'ios')).status).toBe(204)
    expect(await ada.tagOf(asset)).not.toBe(tag)
    const { updated_at } = made(records.GameAsset, await ada.readAsset(asset), 200)
    expect(updated_at).toBeGreaterThan(asset.updated_at - 3_600)
    expect(await ada.deleteVariant(asset, 1, 'ios')).toBeProblem(404, 'VARIANT_NOT_FOUND')
    expect(platformsOf(await ada.readVersion(asset, 1))).toEqual([])
    expect(await ada.urlOf(asset, 1, 'ios')).toBeProblem(404, 'VARIANT_NOT_FOUND')
    expect(await ada.contentOf(asset, 1)).toBe('for all')
    expect((await ada.quota()).used_bytes).toBe(7)
    await ada.deleteAsset(asset)
    expect(await ada.deleteVariant(asset, 1, 'ios')).toBeProblem(404, 'ASSET_NOT_FOUND')
    await expectSound(ada.id)
    await expectAgreedIn(4)
  })

  it('lets a repeated completion of its upload answer VARIANT_NOT_FOUND', async () => {
    const { ada, asset } = await scene()
    const upload = await ada.sent({ asset_id: asset.id, version: 1, platform: 'ios' })
    const first = await ada.complete(upload)
    expect((await ada.complete(upload)).body).toEqual(first.body)
    await ada.deleteVariant(asset, 1, 'ios')
    expect(await ada.complete(upload)).toBeProblem(404, 'VARIANT_NOT_FOUND')
    await ada.version(asset)
    await ada.deleteVersion(asset, 1)
    expect(await ada.complete(upload)).toBeProblem(404, 'VERSION_NOT_FOUND')
    await ada.deleteAsset(asset, '?permanent=true')
    expect(await ada.complete(upload)).toBeProblem(404, 'ASSET_NOT_FOUND')
  })
})

describe('the content of a variant', () => {
  it('goes with its version, with its asset, and with its owner', async () => {
    const { ada, bob, asset } = await scene()
    await ada.variant(asset, 1, 'ios')
    await ada.version(asset)
    await ada.variant(asset, 2, 'ios')
    await ada.deleteVersion(asset, 1)
    expect((await ada.quota()).used_bytes).toBe(14)
    await ada.deleteAsset(asset, '?permanent=true')
    expect((await ada.quota()).used_bytes).toBe(0)
    const other = await bob.asset('other', {}, 'for all')
    await bob.variant(other, 1, 'ios')
    await bob.sent({ asset_id: other.id, version: 1, platform: 'web' })
    const eraser = await operator('users:erase')
    expect((await eraser.request('DELETE', `/users/${bob.id}`)).status).toBe(202)
    await expectSound(ada.id, bob.id)
    await runJobIn(4)
    await expectAgreedIn(9)
    await expectNothingSuperfluous()
  })

  it('is not read while its asset is blocked, except that its owner sees the record', async () => {
    const { ada, bob, asset } = await scene()
    await ada.variant(asset, 1, 'ios')
    const moderator = await operator('content:moderate')
    expect((await moderator.request('PUT', `/game/assets/${asset.id}/block`)).status).toBe(204)
    expect(await bob.urlOf(asset, 1, 'ios')).toBeProblem(404, 'ASSET_NOT_FOUND')
    expect(platformsOf(await ada.readVersion(asset, 1))).toEqual(['ios'])
    await ada.variant(asset, 1, 'web')
    expect(await ada.contentOf(asset, 1, 'web')).toBe('content')
  })

  it('is added when the studio’s check has accepted it, and not when it is rejected', async () => {
    const { service } = serviceWithCheck()
    const checker = await operator('content:check')
    const { ada: before, asset } = await scene()
    const ada = new Creator(before.id, before.token, service)
    const verdict = async (upload: { id: string }, json: unknown, status = 204) =>
      expect((await checker.request('PUT', `/uploads/${upload.id}/verdict`, { json })).status).toBe(status)
    const [good, bad, double, gone] = await Promise.all(
      ['ios', 'web', 'ios', 'mac'].map((platform) => ada.sent({ asset_id: asset.id, version: 1, platform })),
    )
    if (!good || !bad || !double || !gone) throw new Error('not sent')
    for (const upload of [good, bad, double, gone]) expect((await ada.complete(upload)).status).toBe(202)
    expect(platformsOf(await ada.readVersion(asset, 1))).toEqual([])
    await verdict(good, { verdict: 'ready' })
    await verdict(bad, { verdict: 'failed', reason: 'no' })
    await verdict(double, { verdict: 'ready' })
    expect(platformsOf(await ada.readVersion(asset, 1))).toEqual(['ios'])
    expect(await ada.complete(good)).toMatchObject({ status: 200, body: { version: { version: 1 } } })
    expect(await ada.complete(bad)).toBeProblem(422, 'UPLOAD_REJECTED')
    expect(await ada.complete(double)).toBeProblem(409, 'DUPLICATE_PLATFORM')
    await before.version(asset)
    await ada.deleteVersion(asset, 1)
    await verdict(gone, { verdict: 'ready' }, 404)
    expect(await ada.complete(gone)).toBeProblem(404, 'VERSION_NOT_FOUND')
    await expectSound(ada.id)
  })

  it('that is aborted or never sent is released', async () => {
    const { ada, asset } = await scene()
    const of = { asset_id: asset.id, version: 1 }
    const upload = await ada.sent({ ...of, platform: 'ios' })
    await ada.startContent({ ...of, platform: 'web' })
    expect((await ada.quota()).used_bytes).toBe(7 + 6)
    expect((await ada.request('DELETE', `/uploads/${upload.id}`)).status).toBe(204)
    await ada.variant(asset, 1, 'ios')
    await runJobIn(4)
    expect((await ada.quota()).used_bytes).toBe(7 + 7)
    expect(await ada.contentOf(asset, 1, 'ios')).toBe('content')
    await expectSound(ada.id)
    await expectRecordsAndObjectsAgree()
  })
})
