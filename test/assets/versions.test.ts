import { describe, expect, it } from 'vitest'
import { made } from '../support/answer.ts'
import { type Creator, giveQuota, signUpCreator } from '../support/creator.ts'
import { newKey, unknownId } from '../support/ids.ts'
import { expectSound } from '../support/invariants.ts'
import { runJobIn } from '../support/objects.ts'
import { records } from '../support/records.ts'
import { serviceWith } from '../support/service.ts'

const notBranched = { branched_from_asset_id: null, branched_from_version: null }
const plain = {
  ...{ checksum_sha256: null, notes: null, min_build: null, max_build: null, platform: null },
  ...{ ...notBranched, variants: [] },
}

async function two(): Promise<[Creator, Creator]> {
  return [await signUpCreator('ada'), await signUpCreator('bob')]
}

/** An asset with as many versions, whose contents are `1`, `2`, … */
async function withVersions(ada: Creator, count: number, declared: Record<string, unknown> = {}) {
  const asset = await ada.asset('asset', declared, '1')
  for (let version = 2; version <= count; version++) await ada.version(asset, `${version}`)
  return asset
}

const page = async (user: Creator, id: string, query = '') =>
  made(records.VersionPage, await user.get(`/game/assets/${id}/versions${query}`), 200)

describe('the versions of an asset', () => {
  it('are numbered 1, 2, 3, …, and each is its own content', async () => {
    const ada = await signUpCreator()
    const asset = await ada.emptyAsset()
    expect(await ada.versions(asset)).toEqual([])
    for (const [i, content] of ['one', 'two!', 'three'].entries()) {
      const completed = await ada.publish({ asset_id: asset.id }, content)
      expect(completed.version).toEqual({
        id: expect.any(String),
        asset_id: asset.id,
        version: i + 1,
        size_bytes: content.length,
        created_at: expect.any(Number),
        ...plain,
      })
      expect(completed.asset).toEqual({ ...asset, current_version: i + 1, updated_at: expect.any(Number) })
      expect(completed.asset.updated_at).toBe(completed.version.created_at)
    }
    expect(await ada.versions(asset)).toEqual([3, 2, 1])
    for (const [i, content] of ['one', 'two!', 'three'].entries())
      expect(await ada.contentOf(asset, i + 1)).toBe(content)
    expect((await ada.quota()).used_bytes).toBe(12)
    await expectSound(ada.id)
  })

  it('have no gaps and no repeats when uploads and rollbacks race', async () => {
    const ada = await signUpCreator()
    const asset = await ada.asset()
    const uploads = await Promise.all(Array.from({ length: 6 }, () => ada.sent({ asset_id: asset.id })))
    await Promise.all([
      ...uploads.map((upload) => ada.complete(upload)),
      ...uploads.map((upload) => ada.complete(upload)),
      ...uploads.map(() => ada.rollBack(asset, { from_version: 1 })),
    ])
    expect(await ada.versions(asset)).toEqual([13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1])
    await expectSound(ada.id)
  })

  it('come with their asset, the ten newest, the newest first', async () => {
    const ada = await signUpCreator()
    const asset = await withVersions(ada, 1)
    for (let i = 0; i < 11; i++) await ada.rollBack(asset, { from_version: 1 })
    const { body } = await ada.readAsset(asset)
    const { versions } = await page(ada, asset.id)
    expect(versions).toHaveLength(12)
    expect(body).toMatchObject({ current_version: 12, versions: versions.slice(0, 10) })
  })
})

describe('GET /v1/game/assets/{id}/versions', () => {
  it('lists all versions, newest first, to the owner, and to anyone when the asset is public', async () => {
    const [ada, bob] = await two()
    const asset = await withVersions(ada, 2)
    const versions = [await ada.readVersion(asset, 2), await ada.readVersion(asset, 1)]
    const path = `/game/assets/${asset.id}/versions`
    expect((await ada.get(path)).body).toEqual({ versions, next_cursor: null })
    expect(await bob.get(path)).toBeProblem(404, 'ASSET_NOT_FOUND')
    await ada.editAsset(asset, { visibility: 'public' })
    expect((await bob.get(path)).body).toEqual({ versions, next_cursor: null })
  })

  it('goes on page by page while versions are added, and takes limits from 1 to 100', async () => {
    const ada = await signUpCreator()
    const asset = await withVersions(ada, 5)
    const first = await page(ada, asset.id, '?limit=2')
    await ada.version(asset)
    const second = await page(ada, asset.id, `?limit=1&cursor=${first.next_cursor}`)
    const third = await page(ada, asset.id, `?limit=100&cursor=${second.next_cursor}`)
    const numbers = [first, second, third].map(({ versions }) => versions.map(({ version }) => version))
    expect(numbers).toEqual([[5, 4], [3], [2, 1]])
    expect(third.next_cursor).toBeNull()
    expect((await page(ada, asset.id, '?limit=6')).next_cursor).toBeNull()
    for (const limit of ['0', '101', '-1', 'x', ''])
      expect(await ada.get(`/game/assets/${asset.id}/versions?limit=${limit}`)).toBeProblem(
        400,
        'VALIDATION_FAILED',
        '/limit',
      )
  })

  it('shows 50 versions a page unless told', async () => {
    const ada = await signUpCreator()
    const asset = await withVersions(ada, 1)
    for (let i = 0; i < 50; i++) await ada.rollBack(asset, { from_version: 1 })
    expect((await page(ada, asset.id)).versions).toHaveLength(50)
    expect(await ada.versions(asset)).toHaveLength(51)
  })

  it('refuses a cursor that is malformed, or of another list or asset', async () => {
    const ada = await signUpCreator()
    const asset = await withVersions(ada, 2)
    const { asset: other } = await ada.publish({ name: 'other', asset_type: 'world' })
    await ada.version(other)
    const cursors = ['', 'x', btoa('[]')]
    cursors.push((await page(ada, other.id, '?limit=1')).next_cursor ?? '')
    cursors.push((await ada.assets('/assets?limit=1')).next_cursor ?? '')
    for (const cursor of cursors)
      expect(await ada.get(`/game/assets/${asset.id}/versions?cursor=${cursor}`)).toBeProblem(
        400,
        'INVALID_CURSOR',
      )
  })
})

describe('GET /v1/game/assets/{id}/versions/{version} and its url', () => {
  it('answers with the version to the owner, and to anyone when the asset is public', async () => {
    const [ada, bob] = await two()
    const { asset, version } = await ada.publish({ name: 'a', asset_type: 'world' })
    const path = `/game/assets/${asset.id}/versions/1`
    expect([(await ada.get(path)).status, (await ada.get(path)).body]).toEqual([200, version])
    for (const at of [path, `${path}/url`]) expect(await bob.get(at)).toBeProblem(404, 'ASSET_NOT_FOUND')
    await ada.editAsset(asset, { visibility: 'public' })
    expect((await bob.get(path)).body).toEqual(version)
    expect(await bob.contentOf(asset, 1)).toBe('content')
  })

  it.each(['0', '-1', '1.5', 'abc', '99999999999999999999', '2', '1e0', '0x1', '%31%20', '%00', '١'])(
    'knows no version %s, of an asset that the caller may read; otherwise it knows no asset',
    async (number) => {
      const [ada, bob] = await two()
      const asset = await ada.asset()
      for (const end of ['', '/url']) {
        const at = (id: string) => `/game/assets/${id}/versions/${number}${end}`
        expect(await ada.get(at(asset.id))).toBeProblem(404, 'VERSION_NOT_FOUND')
        expect(await bob.get(at(asset.id))).toBeProblem(404, 'ASSET_NOT_FOUND')
        expect(await ada.get(at(unknownId))).toBeProblem(404, 'ASSET_NOT_FOUND')
        await ada.editAsset(asset, { visibility: 'public' })
        expect(await bob.get(at(asset.id))).toBeProblem(404, 'VERSION_NOT_FOUND')
        await ada.editAsset(asset, { visibility: 'private' })
      }
    },
  )

  it('leads to the content byte for byte, whole or in ranges, as an attachment of its type', async () => {
    const ada = await signUpCreator()
    const content = Array.from({ length: 256 }, (_, i) => String.fromCharCode(i)).join('')
    const bytes = new TextEncoder().encode(content)
    const asset = await ada.asset('My "map" — ½.glb', { mime_type: 'Model/GLTF-Binary' }, content)
    const answer = await ada.get(`/game/assets/${asset.id}/versions/1/url`)
    expect(answer.body).toEqual({
      url: expect.any(String),
      expires_at: expect.any(Number),
      version: 1,
      platform: null,
      size_bytes: 384,
      checksum_sha256: null,
    })
    const { url, expires_at } = made(records.DownloadUrl, answer, 200)
    expect(Math.abs(expires_at - Date.now() / 1000 - 900)).toBeLessThan(60)
    const whole = await ada.fetchSigned(url)
    expect(new Uint8Array(await whole.arrayBuffer())).toEqual(bytes)
    expect(whole.headers.get('Content-Type')).toBe('model/gltf-binary')
    const disposition = whole.headers.get('Content-Disposition')
    expect(disposition).toMatch(/^attachment; /)
    expect(disposition).toContain("filename*=UTF-8''My%20%22map%22%20%E2%80%94%20%C2%BD.glb")
    expect(new URL(url).searchParams.get('response-content-disposition')).toBe(disposition)
    const part = await ada.fetchSigned(url, { Range: 'bytes=100-149' })
    expect(part.status).toBe(206)
    expect(new Uint8Array(await part.arrayBuffer())).toEqual(bytes.slice(100, 150))
  })

  it('leads to content under the asset’s present name, inline when a browser may show it', async () => {
    const ada = await signUpCreator()
    const asset = await ada.asset('before', { mime_type: 'image/png' })
    await ada.editAsset(asset, { name: 'after' })
    const { url } = made(records.DownloadUrl, await ada.get(`/game/assets/${asset.id}/versions/1/url`), 200)
    const disposition = new URL(url).searchParams.get('response-content-disposition')
    expect(disposition).toBe('inline; filename=after')
  })

  it.each([
    ['255 castles', '\u{1F3F0}'.repeat(255)],
    ['slashes and quotes', '../a\\b"c\'d%20;e=f'],
    ['what could end a header’s value', 'a; X-Evil: b, "c'],
    ['runs of spaces', 'a  b   c'],
    ['a percent sign', '100%'],
  ])('takes and serves content under a name with %s', async (_, name) => {
    const ada = await signUpCreator()
    const { asset } = await ada.publish({ name, asset_type: 'world' }, 'first')
    await ada.version(asset, 'second')
    expect(asset.name).toBe(name)
    expect([await ada.contentOf(asset, 1), await ada.contentOf(asset, 2)]).toEqual(['first', 'second'])
  })
})

describe('POST /v1/game/assets/{id}/versions', () => {
  it('makes an old version’s content the newest, loses nothing, and counts nothing again', async () => {
    const [ada, bob] = await two()
    const asset = await ada.asset('a', {}, 'first')
    await ada.version(asset, 'second!')
    const answer = await ada.rollBack(asset, { from_version: 1 })
    expect(answer.status).toBe(201)
    const version = { version: 3, size_bytes: 5, created_at: expect.any(Number), ...plain }
    expect(answer.body).toEqual({ id: expect.any(String), asset_id: asset.id, ...version })
    expect(answer.headers.get('Location')).toBe(`/v1/game/assets/${asset.id}/versions/3`)
    expect(await ada.readVersion(asset, 3)).toEqual(answer.body)
    expect(await Promise.all([1, 2, 3].map((number) => ada.contentOf(asset, number)))).toEqual([
      'first',
      'second!',
      'first',
    ])
    expect((await ada.readAsset(asset)).body).toMatchObject({ current_version: 3 })
    expect((await ada.quota()).used_bytes).toBe(5 + 7)
    await ada.editAsset(asset, { visibility: 'public' })
    for (const id of [asset.id, unknownId, 'x'])
      expect(await bob.rollBack(id, { from_version: 1 })).toBeProblem(404, 'ASSET_NOT_FOUND')
    await ada.deleteAsset(asset)
    expect(await ada.rollBack(asset, { from_version: 1 })).toBeProblem(404, 'ASSET_NOT_FOUND')
    await expectSound(ada.id)
  })

  it('takes the number of a version that there is', async () => {
    const ada = await signUpCreator()
    const asset = await ada.asset()
    for (const from_version of [0, -1, 2, 999, 2 ** 53, 1e300])
      expect(await ada.rollBack(asset, { from_version })).toBeProblem(404, 'VERSION_NOT_FOUND')
    for (const body of [{}, ...['1', null, [1], 1.5].map((from_version) => ({ from_version }))])
      expect(await ada.rollBack(asset, body)).toBeProblem(400, 'VALIDATION_FAILED', '/from_version')
    const empty = await ada.emptyAsset('empty')
    for (const from_version of [0, 1])
      expect(await ada.rollBack(empty, { from_version })).toBeProblem(404, 'VERSION_NOT_FOUND')
    expect(await ada.versions(asset)).toEqual([1])
  })

  it('makes one version of a request that is repeated with its key', async () => {
    const ada = await signUpCreator()
    const asset = await withVersions(ada, 2)
    const headers = newKey()
    const ask = () => ada.rollBack(asset, { from_version: 1 }, headers)
    const answers = await Promise.all(Array.from({ length: 10 }, ask))
    for (const { status, body } of [...answers, await ask()])
      expect([status, body]).toEqual([201, await ada.readVersion(asset, 3)])
    expect(await ada.versions(asset)).toEqual([3, 2, 1])
    expect(await ada.rollBack(asset, { from_version: 2 }, headers)).toBeProblem(422, 'IDEMPOTENCY_KEY_REUSED')
    await ada.deleteAsset(asset)
    expect(await ask()).toBeProblem(404, 'ASSET_NOT_FOUND')
    await ada.deleteAsset(asset, '?permanent=true')
    expect(await ask()).toBeProblem(404, 'ASSET_NOT_FOUND')
  })

  it('leaves the key of a refused request free', async () => {
    const ada = await signUpCreator()
    const asset = await withVersions(ada, 1)
    const headers = newKey()
    const ask = () => ada.rollBack(asset, { from_version: 2 }, headers)
    expect(await ask()).toBeProblem(404, 'VERSION_NOT_FOUND')
    await ada.version(asset)
    expect((await ask()).body).toMatchObject({ version: 3 })
  })

  it('takes no room: the content counts once for its asset, however often it is the newest, and once for a branch', async () => {
    const [ada, bob] = await two()
    const asset = await ada.asset('a', { visibility: 'public' }, 'twelve bytes')
    await giveQuota(ada, 12)
    for (let i = 0; i < 3; i++) expect((await ada.rollBack(asset, { from_version: 1 })).status).toBe(201)
    expect((await ada.quota()).used_bytes).toBe(12)
    const { asset: branch } = await bob.branched(asset)
    await bob.rollBack(branch, { from_version: 1 })
    expect((await bob.quota()).used_bytes).toBe(12)
    for (const user of [ada, bob]) await expectSound(user.id)
    await ada.deleteAsset(asset, '?permanent=true')
    await runJobIn(0)
    expect([(await ada.quota()).used_bytes, (await bob.quota()).used_bytes]).toEqual([0, 12])
    for (const user of [ada, bob]) await expectSound(user.id)
  })

  it('refuses more versions than an asset may have, as an upload does, at its start and its end', async () => {
    const ada = await signUpCreator('ada', serviceWith({ MAX_VERSIONS_PER_ASSET: '2' }))
    const limit = [409, 'LIMIT_REACHED', '"limit":"versions"'] as const
    const asset = await ada.asset()
    const upload = await ada.sent({ asset_id: asset.id })
    expect((await ada.rollBack(asset, { from_version: 1 })).status).toBe(201)
    expect(await ada.rollBack(asset, { from_version: 1 })).toBeProblem(...limit)
    expect(await ada.startContent({ asset_id: asset.id })).toBeProblem(...limit)
    expect(await ada.complete(upload)).toBeProblem(...limit)
    expect(await ada.versions(asset)).toEqual([2, 1])
    await expectSound(ada.id)
  })
})
