import { env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { made } from '../support/answer.ts'
import { type Creator, signUpCreator } from '../support/creator.ts'
import { expectSound } from '../support/invariants.ts'
import { expectRecordsAndObjectsAgree, runJobIn } from '../support/objects.ts'
import { records, Upload } from '../support/records.ts'
import { serviceWith } from '../support/service.ts'

const newWorld = (name: string) => ({ name, asset_type: 'world' })

const stateOf = async (user: Creator, upload: { id: string }) =>
  made(Upload, await user.get(`/uploads/${upload.id}`), 200).state

describe('completing an upload for a game asset', () => {
  it('makes the asset with its first version, and answers the same again', async () => {
    const ada = await signUpCreator()
    for (const visibility of [undefined, 'private', 'public'] as const) {
      const name = `Castle ${visibility}`
      const upload = await ada.sent({ name: ` ${name} `, asset_type: 'prop', visibility })
      expect(await ada.assetNames('/assets')).not.toContain(name)
      const answer = await ada.complete(upload)
      const { asset, version } = made(records.CompletedAsset, answer, 200)
      const { id, upload_type, size_bytes, expires_at } = upload
      expect(answer.body).toEqual({
        upload: { id, upload_type, state: 'completed', size_bytes, expires_at },
        asset: {
          id: asset.id,
          owner_id: ada.id,
          type: 'prop',
          name,
          description: '',
          tags: [],
          metadata: {},
          visibility: visibility ?? 'private',
          listed: true,
          rating: null,
          preview_url: null,
          preview_width: null,
          preview_height: null,
          current_version: 1,
          favorites: 0,
          published_at: visibility === 'public' ? asset.created_at : null,
          created_at: expect.any(Number),
          updated_at: asset.created_at,
        },
        version: {
          id: expect.any(String),
          asset_id: asset.id,
          version: 1,
          size_bytes: 3,
          checksum_sha256: null,
          notes: null,
          min_build: null,
          max_build: null,
          created_at: asset.created_at,
          branched_from_asset_id: null,
          branched_from_version: null,
          platform: null,
          variants: [],
        },
      })
      for (const given of [undefined, { name: 'ignored' }])
        expect((await ada.complete(upload, given)).body).toEqual(answer.body)
      expect((await ada.readAsset(asset)).body).toEqual({ ...asset, versions: [version] })
    }
    expect((await ada.quota()).used_bytes).toBe(9)
    await expectSound(ada.id)
  })

  it('happens once, however many ask for it at once', async () => {
    const ada = await signUpCreator()
    const upload = await ada.sent(newWorld('one'))
    const answers = await Promise.all(Array.from({ length: 8 }, () => ada.complete(upload)))
    for (const { status, body } of answers) expect([status, body]).toEqual([200, answers[0]?.body])
    expect(await ada.assetNames('/assets')).toEqual(['one'])
    await expectSound(ada.id)
  })

  it('leaves the upload open when nothing was sent, or its name was taken since, and takes another name', async () => {
    const ada = await signUpCreator()
    const unsent = made(Upload, await ada.startContent(newWorld('unsent')), 201)
    expect(await ada.complete(unsent)).toBeProblem(409, 'UPLOAD_INCOMPLETE')
    const [first, second] = [await ada.sent(newWorld('one'), 'first'), await ada.sent(newWorld('one'))]
    expect((await ada.complete(first)).status).toBe(200)
    expect(await ada.startContent(newWorld('one'))).toBeProblem(409, 'DUPLICATE_ASSET_NAME')
    for (const given of [undefined, {}, { name: ' one ' }]) {
      expect(await ada.complete(second, given)).toBeProblem(409, 'DUPLICATE_ASSET_NAME')
      expect(await stateOf(ada, second)).toBe('open')
    }
    expect(await ada.complete(second, { name: '' })).toBeProblem(400, 'ASSET_NAME_REQUIRED')
    const completed = made(records.CompletedAsset, await ada.complete(second, { name: 'two' }), 200)
    expect(completed.asset).toMatchObject({ name: 'two', current_version: 1 })
    expect(await ada.contentOf(completed.asset, 1)).toBe('new')
    expect(made(records.CompletedAsset, await ada.complete(second), 200)).toEqual(completed)
    expect(await ada.assetNames('/assets')).toEqual(['two', 'one'])
    await expectSound(ada.id)
  })

  it('is refused while the asset is in its trash, stays open, and goes on when the asset is restored', async () => {
    const ada = await signUpCreator()
    const asset = await ada.asset('a', {}, 'content')
    const [sent, unsent] = [
      await ada.sent({ asset_id: asset.id }),
      made(Upload, await ada.startContent({ asset_id: asset.id }), 201),
    ]
    await ada.deleteAsset(asset)
    await runJobIn(0)
    for (const upload of [sent, unsent, sent]) {
      expect(await ada.complete(upload)).toBeProblem(404, 'ASSET_NOT_FOUND')
      expect(await stateOf(ada, upload)).toBe('open')
    }
    expect((await ada.quota()).used_bytes).toBe(7 + 3 + 3)
    await ada.restoreAsset(asset)
    const completed = made(records.CompletedAsset, await ada.complete(sent), 200)
    expect(await ada.contentOf(asset, completed.version.version)).toBe('new')
    expect(await ada.complete(unsent)).toBeProblem(409, 'UPLOAD_INCOMPLETE')
    expect(await ada.versions(asset)).toEqual([2, 1])
    await expectSound(ada.id)
  })

  it('expires in its time when the asset stays in its trash', async () => {
    const ada = await signUpCreator()
    const asset = await ada.asset('a', {}, 'content')
    const upload = await ada.sent({ asset_id: asset.id })
    await ada.deleteAsset(asset)
    expect(await ada.complete(upload)).toBeProblem(404, 'ASSET_NOT_FOUND')
    await runJobIn(2)
    expect(await ada.get(`/uploads/${upload.id}`)).toBeProblem(404, 'UPLOAD_NOT_FOUND')
    expect((await ada.quota()).used_bytes).toBe(7)
    await runJobIn(4)
    await expectRecordsAndObjectsAgree()
  })

  it('fails when the asset was deleted for good meanwhile, and releases the bytes', async () => {
    const ada = await signUpCreator()
    const asset = await ada.asset('a', {}, 'content')
    const uploads = [await ada.sent({ asset_id: asset.id })]
    uploads.push(made(Upload, await ada.startContent({ asset_id: asset.id }), 201))
    await ada.deleteAsset(asset, '?permanent=true')
    for (const upload of uploads) {
      expect(await ada.complete(upload)).toBeProblem(404, 'ASSET_NOT_FOUND')
      expect(await stateOf(ada, upload)).toBe('failed')
    }
    await runJobIn(0)
    expect((await ada.quota()).used_bytes).toBe(0)
    await ada.restoreAsset(asset)
    for (const upload of uploads) expect(await ada.complete(upload)).toBeProblem(404, 'ASSET_NOT_FOUND')
    await expectSound(ada.id)
    await runJobIn(2)
    await expectRecordsAndObjectsAgree()
  })

  it('fails when the content is not what was declared, and makes no asset and no version', async () => {
    const ada = await signUpCreator()
    const { id: asset_id } = await ada.emptyAsset('a')
    const checksum_sha256 = 'ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0='
    expect((await ada.complete(await ada.sent({ asset_id, checksum_sha256 }, 'abc'))).status).toBe(200)
    for (const declared of [newWorld('b'), { asset_id }]) {
      const upload = await ada.sent({ ...declared, checksum_sha256 }, 'xyz')
      for (let again = 0; again < 2; again++)
        expect(await ada.complete(upload)).toBeProblem(422, 'UPLOAD_MISMATCH')
      expect(await stateOf(ada, upload)).toBe('failed')
    }
    expect(await ada.assetNames('/assets')).toEqual(['a'])
    expect(await ada.versions(asset_id)).toEqual([1])
    expect((await ada.quota()).used_bytes).toBe(3)
    await expectSound(ada.id)
  })

  it('is the caller’s own', async () => {
    const [ada, bob] = [await signUpCreator('ada'), await signUpCreator('bob')]
    const upload = await ada.sent(newWorld('a'))
    expect(await bob.complete(upload)).toBeProblem(404, 'UPLOAD_NOT_FOUND')
    expect(await bob.get(`/uploads/${upload.id}`)).toBeProblem(404, 'UPLOAD_NOT_FOUND')
    expect(await bob.abort(upload)).toBeProblem(404, 'UPLOAD_NOT_FOUND')
    expect((await ada.complete(upload)).status).toBe(200)
  })

  it('refuses one asset more than a user may have, and leaves the upload open', async () => {
    const ada = await signUpCreator('ada', serviceWith({ MAX_ASSETS: '1' }))
    const uploads = [await ada.sent(newWorld('a')), await ada.sent(newWorld('b'))]
    const { asset } = made(records.CompletedAsset, await ada.complete(uploads[0] ?? ''), 200)
    expect(await ada.complete(uploads[1] ?? '')).toBeProblem(409, 'LIMIT_REACHED', '"limit":"assets"')
    await ada.deleteAsset(asset, '?permanent=true')
    expect((await ada.complete(uploads[1] ?? '')).status).toBe(200)
    await expectSound(ada.id)
  })

  it('says that the asset is gone when it was deleted for good since', async () => {
    const ada = await signUpCreator()
    const upload = await ada.sent(newWorld('a'))
    const { asset } = made(records.CompletedAsset, await ada.complete(upload), 200)
    await ada.deleteAsset(asset, '?permanent=true')
    expect(await ada.complete(upload)).toBeProblem(404, 'ASSET_NOT_FOUND')
  })
})

describe('content that is sent in parts', () => {
  /** The last is what this storage tells; the signed URL asks R2 for the asset's present name in any case. */
  it.each([
    ['a new asset, under the name that it came with', 'attachment; filename="castle.glb 2"'],
    ['a new version, which came without a name', 'attachment'],
  ])('becomes %s', async (what, disposition) => {
    const ada = await signUpCreator('ada', serviceWith({ MULTIPART_THRESHOLD: '3' }))
    const { id: asset_id } = await ada.emptyAsset('castle.glb')
    const declared = what.startsWith('a new asset') ? newWorld('castle.glb 2') : { asset_id }
    const upload = made(Upload, await ada.startContent({ ...declared, size_bytes: 7 }), 201)
    expect(upload.multipart).toMatchObject({ part_count: 1 })
    const handed = made(records.PartUrls, await ada.parts(upload, { part_numbers: [1] }), 200)
    const { url: to = '', headers } = handed.parts[0] ?? {}
    const etag = (await env.S3.fetch(to, { method: 'PUT', body: 'content', headers })).headers.get('ETag')
    const parts = [{ part_number: 1, etag }]
    const { asset, version } = made(records.CompletedAsset, await ada.complete(upload, { parts }), 200)
    expect(version).toMatchObject({ version: 1, size_bytes: 7 })
    const path = `/game/assets/${asset.id}/versions/1/url`
    const { url } = made(records.DownloadUrl, await ada.get(path), 200)
    const response = await ada.fetchSigned(url)
    expect(await response.text()).toBe('content')
    expect(response.headers.get('Content-Disposition')).toBe(disposition)
    expect(new URL(url).searchParams.get('response-content-disposition')).toContain('castle.glb')
  })
})

describe('aborting an upload for a game asset', () => {
  it('leaves nothing behind, and does not touch the asset', async () => {
    const ada = await signUpCreator()
    const asset = await ada.asset('a', {}, 'content')
    const uploads = [await ada.sent({ asset_id: asset.id }), await ada.sent(newWorld('b'))]
    for (const upload of uploads) {
      expect((await ada.abort(upload)).status).toBe(204)
      expect(await ada.complete(upload)).toBeProblem(404, 'UPLOAD_NOT_FOUND')
    }
    expect(await ada.assetNames('/assets')).toEqual(['a'])
    expect(await ada.versions(asset)).toEqual([1])
    expect((await ada.quota()).used_bytes).toBe(7)
    const completed = await ada.sent({ asset_id: asset.id })
    await ada.complete(completed)
    expect(await ada.abort(completed)).toBeProblem(409, 'UPLOAD_COMPLETED')
    await expectSound(ada.id)
    await runJobIn(2)
    await expectRecordsAndObjectsAgree()
  })
})
