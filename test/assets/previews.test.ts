import { env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { made } from '../support/answer.ts'
import { aged, type Creator, giveQuota, signUpCreator } from '../support/creator.ts'
import { animated, compressed, cutOff, deep, odd, unreadable } from '../support/hostile-pictures.ts'
import { unknownId } from '../support/ids.ts'
import { gif, ihdr, jpeg, png, pngOf, sized, webp } from '../support/pictures.ts'
import { records } from '../support/records.ts'
import { origin, serviceWith } from '../support/service.ts'
import { show } from '../support/showing.ts'
import { operator } from '../support/user.ts'

const shown = { visibility: 'public' }
const MIB = 1024 ** 2

/** A picture that is followed by zeros up to this size. */
function padded(picture: Uint8Array, size_bytes: number): Uint8Array {
  const bytes = new Uint8Array(size_bytes)
  bytes.set(picture)
  return bytes
}

const objects = async () => (await env.BUCKET.list()).objects.length

async function moderate(method: 'PUT' | 'DELETE', asset: { id: string }): Promise<void> {
  const moderator = await operator('content:moderate')
  expect((await moderator.request(method, `/game/assets/${asset.id}/block`)).status).toBe(204)
}

/** A user with an asset that has a preview, and its URL. */
async function withPreview(declared: Record<string, unknown> = {}) {
  const ada = await signUpCreator('ada')
  const asset = await ada.previewed(await ada.asset('castle', declared))
  return { ada, asset, url: asset.preview_url ?? expect.fail('no URL') }
}

const tagOf = async (ada: Creator, asset: { id: string }) => (await ada.readAsset(asset)).headers.get('ETag')

describe('setting a preview', () => {
  it('answers the asset, in its next revision, with the URL of the preview', async () => {
    const ada = await signUpCreator('ada')
    const asset = await ada.emptyAsset('castle', shown)
    expect(asset.preview_url).toBeNull()
    await aged(asset)
    const answer = await ada.setPreview(asset, png)
    const previewed = made(records.GameAsset, answer, 200)
    expect(previewed).toEqual({
      ...asset,
      created_at: asset.created_at - 3_600,
      updated_at: expect.any(Number),
      preview_url: expect.stringMatching(`^${origin}/pictures/assets/${asset.id}/[0-9a-f-]{36}$`),
      preview_width: 1,
      preview_height: 1,
    })
    expect(previewed.updated_at).toBeGreaterThanOrEqual(asset.updated_at)
    expect(answer.headers.get('ETag')).toBe('"2"')
    expect((await show(previewed.preview_url)).bytes).toEqual(png)
    expect(await tagOf(ada, asset)).toBe('"2"')
  })

  it.each([
    ['image/png', png],
    ['image/jpeg', jpeg],
    ['image/webp', webp],
  ])('takes %s by its first bytes, whatever Content-Type says', async (type, picture) => {
    const ada = await signUpCreator('ada')
    const asset = await ada.emptyAsset('castle', shown)
    const types: Record<string, string>[] = [
      {},
      { 'Content-Type': 'text/html' },
      { 'Content-Type': 'no type' },
    ]
    for (const headers of types) {
      const answer = await ada.setPreview(asset, picture, headers)
      const seen = await show(made(records.GameAsset, answer, 200).preview_url)
      expect([seen.bytes, seen.headers.get('Content-Type')]).toEqual([picture, type])
    }
  })

  it('refuses everything else, whatever Content-Type says, and keeps the preview before', async () => {
    const { ada, asset, url } = await withPreview(shown)
    const stored = await objects()
    const text = new TextEncoder().encode('<svg xmlns="http://www.w3.org/2000/svg"/>')
    for (const wrong of [gif, text, new Uint8Array(), png.slice(0, 4)])
      expect(await ada.setPreview(asset, wrong, { 'Content-Type': 'image/png' })).toBeProblem(
        422,
        'UPLOAD_MISMATCH',
      )
    expect(await ada.previewUrl(asset)).toBe(url)
    expect(await objects()).toBe(stored)
  })

  it.each(Object.entries(sized))(
    'refuses a %s of more than 2,097,152 pixels, and keeps the preview before',
    async (_, picture) => {
      const { ada, asset, url } = await withPreview(shown)
      for (const [width, height] of [
        [2_049, 1_024],
        [16_383, 16_383],
      ] as const)
        expect(await ada.setPreview(asset, picture(width, height))).toBeProblem(422, 'UPLOAD_MISMATCH')
      expect(await ada.previewUrl(asset)).toBe(url)
      for (const [width, height] of [
        [2_048, 1_024],
        [16_383, 128],
      ] as const) {
        const previewed = await ada.previewed(asset, picture(width, height))
        expect(previewed).toMatchObject({ preview_width: width, preview_height: height })
      }
    },
  )

  it('takes as many pixels as MAX_PICTURE_PIXELS says', async () => {
    const { ada, asset } = await withPreview()
    const picture = (width: number, height: number) => pngOf(ihdr(width, height))
    const set = (most: number, picture: Uint8Array<ArrayBuffer>) =>
      ada
        .through(serviceWith({ MAX_PICTURE_PIXELS: String(most) }))
        .request('PUT', `/game/assets/${asset.id}/preview`, { body: picture })
    expect((await set(12, picture(3, 4))).status).toBe(200)
    expect(await set(12, picture(13, 1))).toBeProblem(422, 'UPLOAD_MISMATCH', '12 pixels')
    expect((await set(16_777_216, picture(4_096, 4_096))).status).toBe(200)
    expect(await set(16_777_216, picture(4_097, 4_096))).toBeProblem(422, 'UPLOAD_MISMATCH')
  })

  it('refuses what is no picture at its first byte, is cut off, moves, or unpacks to more', async () => {
    const { ada, asset, url } = await withPreview(shown)
    const hostile = [...unreadable, ...cutOff, ...deep, ...animated, ...(await compressed(65_538))]
    for (const [what, type, picture, why] of hostile)
      expect(await ada.setPreview(asset, picture), what).toBeProblem(
        422,
        'UPLOAD_MISMATCH',
        type === 'image/gif' ? undefined : why,
      )
    expect(await ada.previewUrl(asset)).toBe(url)
    for (const [what, type, picture] of [...odd, ...(await compressed(65_536))])
      if (type !== 'image/gif') expect((await ada.setPreview(asset, picture)).status, what).toBe(200)
  })

  it('takes 1 MiB and not one byte more, whether the length is known or not', async () => {
    const { ada, asset } = await withPreview(shown)
    expect(await ada.setPreview(asset, padded(png, MIB + 1))).toBeProblem(413, 'BODY_TOO_LARGE')
    const stream = new Blob([padded(png, MIB + 1)]).stream()
    expect(await ada.setPreview(asset, stream)).toBeProblem(413, 'BODY_TOO_LARGE')
    const { preview_url } = await ada.previewed(asset, padded(png, MIB))
    expect((await show(preview_url)).bytes).toHaveLength(MIB)
  })

  it('replaces the preview before, whose URL is gone at once', async () => {
    const { ada, asset, url } = await withPreview(shown)
    const { preview_url } = await ada.previewed(asset, webp)
    expect((await show(preview_url)).bytes).toEqual(webp)
    expect((await show(url)).status).toBe(404)
  })

  it('counts in the quota: only the new preview, and none when it is removed', async () => {
    const { ada, asset } = await withPreview()
    const used = async () => (await ada.quota()).used_bytes
    const without = (await used()) - png.length
    await ada.previewed(asset, padded(png, 1_000))
    expect(await used()).toBe(without + 1_000)
    await ada.previewed(asset, padded(jpeg, 600))
    expect(await used()).toBe(without + 600)
    expect((await ada.deletePreview(asset)).status).toBe(204)
    expect(await used()).toBe(without)
    await ada.previewed(asset)
    await ada.deleteAsset(asset, '?permanent=true')
    expect(await used()).toBe(0)
  })

  it('beyond the quota is refused: the preview before stays, and nothing else is stored', async () => {
    const { ada, asset, url } = await withPreview(shown)
    await giveQuota(ada, (await ada.quota()).used_bytes - png.length + 500)
    const stored = await objects()
    expect(await ada.setPreview(asset, padded(webp, 501))).toBeProblem(403, 'QUOTA_EXCEEDED')
    expect(await objects()).toBe(stored)
    expect((await show(url)).bytes).toEqual(png)
    await ada.previewed(asset, padded(webp, 500))
  })

  it('with If-Match changes only the revision that it names, as removing does', async () => {
    const { ada, asset, url } = await withPreview(shown)
    const tag = (await tagOf(ada, asset)) ?? ''
    await ada.previewed(asset, webp)
    const later = await ada.previewUrl(asset)
    expect(later).not.toBe(url)
    const stored = await objects()
    for (const answer of [
      await ada.setPreview(asset, jpeg, { 'If-Match': tag }),
      await ada.deletePreview(asset, { 'If-Match': tag }),
    ])
      expect(answer).toBeProblem(412, 'PRECONDITION_FAILED')
    expect([await ada.previewUrl(asset), await objects()]).toEqual([later, stored])
    const current = (await tagOf(ada, asset)) ?? ''
    expect((await ada.setPreview(asset, jpeg, { 'If-Match': `"x", ${current}` })).status).toBe(200)
    expect((await ada.deletePreview(asset, { 'If-Match': '*' })).status).toBe(204)
  })

  it('or removing one is for the owner of an asset that is not deleted', async () => {
    const { ada, asset, url } = await withPreview(shown)
    const bob = await signUpCreator('bob')
    const deleted = await bob.asset('deleted')
    await bob.deleteAsset(deleted)
    const stored = await objects()
    for (const id of [asset.id, deleted.id, unknownId, 'x', '\u{1F600}'])
      for (const answer of [
        await bob.setPreview(encodeURIComponent(id), png),
        await bob.deletePreview(encodeURIComponent(id)),
      ])
        expect(answer, id).toBeProblem(404, 'ASSET_NOT_FOUND')
    expect(await objects()).toBe(stored)
    expect((await show(url)).status).toBe(200)
    expect(await ada.previewUrl(asset)).toBe(url)
  })
})

describe('removing a preview', () => {
  it('takes it away at once, and without one changes nothing', async () => {
    const { ada, asset, url } = await withPreview(shown)
    const before = await tagOf(ada, asset)
    expect((await ada.deletePreview(asset)).status).toBe(204)
    expect((await show(url)).status).toBe(404)
    expect(await ada.previewUrl(asset)).toBeNull()
    const after = await tagOf(ada, asset)
    expect(after).not.toBe(before)
    expect((await ada.deletePreview(asset)).status).toBe(204)
    expect(await tagOf(ada, asset)).toBe(after)
  })
})

describe('preview_url', () => {
  it('is in every answer that has the asset', async () => {
    const { ada, asset } = await withPreview(shown)
    const bob = await signUpCreator('bob')
    const picture = pngOf(ihdr(16, 9))
    const { preview_url: url } = await ada.previewed(asset, picture)
    const preview = { preview_url: url, preview_width: 16, preview_height: 9 }
    const none = { preview_url: null, preview_width: null, preview_height: null }
    const json = { name: 'fort' }
    expect(made(records.GameAsset, await ada.editAsset(asset, json), 200)).toMatchObject(preview)
    expect((await ada.assets('/assets')).assets[0]).toMatchObject(preview)
    expect((await ada.publish({ asset_id: asset.id })).asset).toMatchObject(preview)
    expect((await bob.readAsset(asset)).body).toMatchObject(preview)
    expect((await bob.assets(`/public?owner_id=${ada.id}`)).assets).toMatchObject([preview])
    const { asset: branch } = await bob.branched(asset)
    expect(branch, 'a branch begins without').toMatchObject(none)
    await bob.editAsset(branch, shown)
    const ofBranch = (await bob.previewed(branch)).preview_url
    const branches = made(records.BranchPage, await ada.get(`/game/assets/${asset.id}/branches`), 200)
    expect(branches.branches.map(({ preview_url }) => preview_url)).toEqual([ofBranch])
    const read = await bob.get(`/game/public/world/${asset.id}`)
    expect(made(records.GameAssetWithVersions, read, 200)).toMatchObject(preview)
    await ada.deleteAsset(asset)
    expect((await ada.assets('/assets?deleted=true')).assets[0]).toMatchObject(none)
    expect(made(records.GameAsset, await ada.restoreAsset(asset), 200)).toMatchObject(preview)
    expect((await ada.deletePreview(asset)).status).toBe(204)
    expect((await ada.readAsset(asset)).body).toMatchObject(none)
  })

  it('of a public asset is 404 while the asset is private, deleted or blocked, and as before afterwards', async () => {
    const { ada, asset, url } = await withPreview(shown)
    const expectHidden = async () => {
      expect((await show(url)).status).toBe(404)
      expect((await show(url, { 'If-None-Match': '*' })).status).toBe(404)
    }
    const expectShown = async () => {
      expect((await show(url)).bytes).toEqual(png)
      expect(await ada.previewUrl(asset)).toBe(url)
    }
    await ada.editAsset(asset, { visibility: 'private' })
    await expectHidden()
    await ada.editAsset(asset, shown)
    await expectShown()
    await ada.deleteAsset(asset)
    await expectHidden()
    await ada.restoreAsset(asset)
    await expectShown()
    await moderate('PUT', asset)
    await expectHidden()
    expect(await ada.previewUrl(asset)).toBeNull()
    await moderate('DELETE', asset)
    await expectShown()
    await ada.deleteAsset(asset, '?permanent=true')
    await expectHidden()
  })

  it('of a blocked asset is null for its owner, who may still change the preview', async () => {
    const { ada, asset } = await withPreview(shown)
    await moderate('PUT', asset)
    expect((await ada.previewed(asset, jpeg)).preview_url).toBeNull()
    await moderate('DELETE', asset)
    expect((await show(await ada.previewUrl(asset))).bytes).toEqual(jpeg)
  })

  it('is gone with an erased user at once', async () => {
    const [open, own] = [await withPreview(shown), await withPreview()]
    const eraser = await operator('users:erase')
    for (const { ada, url } of [open, own]) {
      expect((await show(url)).status).toBe(200)
      expect((await eraser.request('DELETE', `/users/${ada.id}`)).status).toBe(202)
      expect((await show(url)).status).toBe(404)
    }
  })

  it('of a public asset is served to a page of any origin, and as nothing but a picture', async () => {
    const { url } = await withPreview(shown)
    const seen = await show(url, { Origin: 'https://game.example', Authorization: 'Bearer x' })
    const headers = Object.fromEntries(seen.headers)
    expect(headers).toMatchObject({
      'content-type': 'image/png',
      'content-length': String(png.length),
      'cache-control': 'public, max-age=300, must-revalidate',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      etag: `"${url.split('/').at(-1)}"`,
    })
    expect(headers).not.toHaveProperty('vary')
  })

  it.each([
    ['public', shown, 'public, max-age=300, must-revalidate'],
    ['private', {}, 'private, max-age=300'],
  ])(
    'of a %s asset answers 304 to who has the preview, and its headers alone to HEAD',
    async (_, declared, caching) => {
      const { url } = await withPreview(declared)
      const etag = (await show(url)).headers.get('ETag') ?? ''
      const unchanged = await show(url, { 'If-None-Match': `W/${etag}` })
      expect([unchanged.status, unchanged.bytes.length]).toEqual([304, 0])
      const head = await show(url, { method: 'HEAD' })
      expect([head.status, head.bytes.length, head.headers.get('Content-Type')]).toEqual([
        200,
        0,
        'image/png',
      ])
      for (const { headers } of [unchanged, head]) expect(headers.get('Cache-Control')).toBe(caching)
    },
  )
})
