import { env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { send } from '../support/answer.ts'
import { signUpCreator } from '../support/creator.ts'
import { unknownId } from '../support/ids.ts'
import { overridden } from '../support/meter.ts'
import { png } from '../support/pictures.ts'
import { signedQuery } from '../support/previews.ts'
import { origin, serviceWith } from '../support/service.ts'
import { show } from '../support/showing.ts'
import { operator } from '../support/user.ts'

const STEP = 300
const now = () => Math.floor(Date.now() / 1_000)

/** A user with a private asset that has a preview, and the parts of its URL. */
async function withSecret() {
  const ada = await signUpCreator('ada')
  const asset = await ada.previewed(await ada.emptyAsset('secret'))
  const url = new URL(asset.preview_url ?? expect.fail('no URL'))
  return { ada, asset, url: url.href, path: url.pathname, query: url.search, query_of: url.searchParams }
}

/** The comparable answer to somebody without a token. */
async function bodyOf(path: string, headers = {}): Promise<unknown> {
  const { status, text, headers: answered } = await send('GET', path, { headers })
  return [status, answered.get('Cache-Control'), text.replace(/"request_id":"[^"]+"/, '')]
}

describe('the preview of an asset that is not public', () => {
  it('is shown with the signature of its owner, and kept by that browser alone', async () => {
    const { url } = await withSecret()
    const seen = await show(url)
    expect([seen.status, seen.bytes]).toEqual([200, png])
    expect(seen.headers.get('Cache-Control')).toBe('private, max-age=300')
  })

  it('is signed once for all assets of a page, until a full five minutes after DOWNLOAD_URL_TTL', async () => {
    const ada = await signUpCreator('ada', serviceWith({ DOWNLOAD_URL_TTL: '600' }))
    for (const name of ['a', 'b', 'c']) await ada.previewed(await ada.emptyAsset(name))
    await ada.previewed(await ada.emptyAsset('d', { visibility: 'public' }))
    const before = now()
    const { assets } = await ada.assets('/assets')
    const queries = assets.map(({ preview_url }) => new URL(preview_url ?? '').search)
    expect(new Set(queries.slice(1)).size).toBe(1)
    expect(queries[0], 'a public one needs none').toBe('')
    const expires = Number(new URLSearchParams(queries[1]).get('expires'))
    expect(expires % STEP).toBe(0)
    expect(expires).toBeGreaterThanOrEqual(before + 600)
    expect(expires).toBeLessThan(now() + 600 + STEP)
    for (const { preview_url } of assets) expect((await show(preview_url)).status).toBe(200)
    const again = await ada.assets('/assets')
    if (Math.ceil((now() + 600) / STEP) * STEP === expires) expect(again.assets).toEqual(assets)
  })

  it('answers as an unknown path does without a signature, with a wrong or expired one, and with that of another owner', async () => {
    const { ada, path, query_of, query } = await withSecret()
    const other = await withSecret()
    const [expires, signature] = [query_of.get('expires') ?? '', query_of.get('signature') ?? '']
    const flipped = `${signature[0] === 'A' ? 'B' : 'A'}${signature.slice(1)}`
    const later = Number(expires) + STEP
    const unknown = await bodyOf('/nothing/here')
    for (const [what, wrong] of Object.entries({
      nothing: '',
      'no signature': `?expires=${expires}`,
      'no time': `?signature=${signature}`,
      'another signature': `?expires=${expires}&signature=${flipped}`,
      'a short signature': `?expires=${expires}&signature=${signature.slice(1)}`,
      'a long signature': `?expires=${expires}&signature=${signature}A`,
      'an empty signature': `?expires=${expires}&signature=`,
      'no base64': `?expires=${expires}&signature=${'*'.repeat(43)}`,
      'a later time': `?expires=${later}&signature=${signature}`,
      'another form of the time': `?expires=0${expires}&signature=${signature}`,
      'a time with a sign': `?expires=%2B${expires}&signature=${signature}`,
      'no number': `?expires=x&signature=${signature}`,
      'a time of many digits': `?expires=${'9'.repeat(400)}&signature=${signature}`,
      'an expired time': await signedQuery(ada, now() - 1),
      'a time that is just over': await signedQuery(ada, now()),
      'another secret': await signedQuery(ada, later, 'another secret'),
      'another owner': other.query,
      'another owner, later': await signedQuery({ id: other.ada.id }, later),
      'an owner whose id begins like that': await signedQuery({ id: `${ada.id}x` }, later),
    }))
      for (const headers of [
        {},
        { 'If-None-Match': '*' },
        { 'If-None-Match': `"${path.split('/').at(-1)}"` },
      ])
        expect(await bodyOf(path + wrong, headers), what).toEqual(unknown)
    for (const right of [query, await signedQuery(ada, now() + 60)])
      expect((await show(origin + path + right)).status).toBe(200)
  })

  it('is not opened by the signature in a page of another owner, and that of an owner opens no other path', async () => {
    const [ada, bob] = [await withSecret(), await withSecret()]
    const unknown = await bodyOf('/nothing/here')
    const { assets } = await bob.ada.assets('/assets')
    const ofPage = new URL(assets[0]?.preview_url ?? '').search
    const [content] = ada.path.split('/').slice(-1)
    for (const path of [
      ada.path + ofPage,
      `/pictures/assets/${bob.asset.id}/${content}${ada.query}`,
      `/pictures/assets/${ada.asset.id}/${bob.path.split('/').at(-1)}${ada.query}`,
      `/pictures/assets/${ada.asset.id}/${unknownId}${ada.query}`,
      `/pictures/assets/${unknownId}/${content}${ada.query}`,
      `/pictures/assets/x/${content}${ada.query}`,
      `/pictures/assets/${ada.asset.id}/x${ada.query}`,
      `/pictures/files/${ada.asset.id}/${content}${ada.query}`,
    ])
      expect(await bodyOf(path), path).toEqual(unknown)
  })

  it('is gone with its signed URL when the asset is deleted or blocked or has another preview', async () => {
    const { ada, asset, url } = await withSecret()
    await ada.deleteAsset(asset)
    expect((await show(url)).status).toBe(404)
    await ada.restoreAsset(asset)
    expect((await show(url)).status).toBe(200)
    const moderator = await operator('content:moderate')
    for (const [method, status] of [
      ['PUT', 404],
      ['DELETE', 200],
    ] as const) {
      await moderator.request(method, `/game/assets/${asset.id}/block`)
      expect((await show(url)).status, method).toBe(status)
    }
    await ada.previewed(asset)
    expect((await show(url)).status).toBe(404)
  })

  it('is served to nobody once its owner was erased, also while its asset waits for the job', async () => {
    const { ada, url } = await withSecret()
    const listed = await ada.previewed(await ada.emptyAsset('listed', { visibility: 'public' }))
    const statuses = () => Promise.all([url, listed.preview_url].map(async (one) => (await show(one)).status))
    expect(await statuses()).toEqual([200, 200])
    const getByName = () => ({ erase: () => Promise.reject(new Error('Network connection lost.')) })
    const SAVES = overridden(env.SAVES, { getByName })
    const eraser = (await operator('users:erase')).through(serviceWith({ SAVES }))
    expect(await eraser.request('DELETE', `/users/${ada.id}`)).toBeProblem(503, 'UNAVAILABLE')
    expect(await statuses()).toEqual([404, 404])
  })

  it('keeps its signed URL when the asset becomes public, and needs one again when it is private', async () => {
    const { ada, asset, url, path } = await withSecret()
    const plain = new URL(path, url).href
    await ada.editAsset(asset, { visibility: 'public' })
    const shared = await show(plain)
    expect([shared.status, shared.headers.get('Cache-Control')]).toEqual([
      200,
      'public, max-age=300, must-revalidate',
    ])
    for (const one of [url, `${plain}?expires=x&signature=y`]) {
      const seen = await show(one)
      expect([seen.status, seen.headers.get('Cache-Control')], one).toEqual([200, 'private, max-age=300'])
      expect(seen.headers.has('Cache-Tag')).toBe(false)
    }
    expect(await ada.previewUrl(asset)).toBe(plain)
    await ada.editAsset(asset, { visibility: 'private' })
    expect((await show(plain)).status).toBe(404)
    expect((await show(url)).status).toBe(200)
  })

  it('is in no answer to anybody but its owner, and public assets carry no signature for anybody', async () => {
    const { ada, asset, path } = await withSecret()
    const bob = await signUpCreator('bob')
    const open = await ada.previewed(await ada.asset('open', { visibility: 'public' }))
    const { asset: branch } = await bob.branched(open)
    await bob.previewed(branch)
    for (const at of [
      `assets/${asset.id}`,
      `assets/${open.id}`,
      `assets/${open.id}/branches`,
      `public/world/${open.id}`,
      'assets',
    ]) {
      const { text } = await bob.get(`/game/${at}`)
      expect(text, at).not.toContain(path)
      if (at !== 'assets' && !at.endsWith('branches')) expect(text, at).not.toContain('signature')
    }
    const branches = await ada.get(`/game/assets/${open.id}/branches`)
    expect(branches.text).not.toContain('signature')
  })
})
