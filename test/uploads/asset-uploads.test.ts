import { describe, expect, it } from 'vitest'
import { made } from '../support/answer.ts'
import { type Creator, giveQuota, signUpCreator } from '../support/creator.ts'
import { idOf, newKey, unknownId } from '../support/ids.ts'
import { expectSound } from '../support/invariants.ts'
import { Upload } from '../support/records.ts'

const GIB = 1024 ** 3
const newWorld = (name: string) => ({ name, asset_type: 'world' })

async function two(): Promise<[Creator, Creator]> {
  return [await signUpCreator('ada'), await signUpCreator('bob')]
}

describe('starting an upload for a game asset', () => {
  it.each(['a new asset', 'a new version'])(
    'says how to send the content of %s, and reserves its bytes',
    async (what) => {
      const ada = await signUpCreator()
      const { id: asset_id } = await ada.emptyAsset('castle')
      const declared = what === 'a new asset' ? newWorld('castle 2') : { asset_id }
      const answer = await ada.startContent({ ...declared, mime_type: 'text/plain', file_id: 'ignored' })
      const { id, expires_at, url_expires_at } = made(Upload, answer, 201)
      const name = what === 'a new asset' ? '"castle 2"' : 'castle'
      expect(answer.body).toEqual({
        id,
        upload_type: 'game_asset',
        state: 'open',
        size_bytes: 3,
        expires_at,
        method: 'PUT',
        url: expect.stringContaining(id),
        url_expires_at,
        headers: {
          'Content-Length': '3',
          'Content-Type': 'text/plain',
          'Content-Disposition': `inline; filename=${name}`,
          'If-None-Match': '*',
          'x-amz-meta-upload': id,
          'x-amz-metadata-directive': 'COPY',
          'x-amz-copy-source-if-match': '"none"',
          'x-amz-source-expected-bucket-owner': 'none',
        },
      })
      expect(answer.headers.get('Location')).toBe(`/v1/uploads/${id}`)
      expect((await ada.get(`/uploads/${id}`)).body).toMatchObject({ id, state: 'open' })
      expect(await ada.assetNames('/assets')).toEqual(['castle'])
      expect(await ada.versions(asset_id)).toEqual([])
      expect((await ada.quota()).used_bytes).toBe(3)
      await expectSound(ada.id)
    },
  )

  const refused: [what: string, body: Record<string, unknown>, status: number, code: string][] = [
    ['asset_id with name', { asset_id: unknownId, name: 'a' }, 400, 'VALIDATION_FAILED'],
    ['asset_id with asset_type', { asset_id: unknownId, asset_type: 'prop' }, 400, 'VALIDATION_FAILED'],
    ['asset_id with visibility', { asset_id: unknownId, visibility: 'public' }, 400, 'VALIDATION_FAILED'],
    ['asset_id with description', { asset_id: unknownId, description: '' }, 400, 'VALIDATION_FAILED'],
    ['asset_id with tags', { asset_id: unknownId, tags: [] }, 400, 'VALIDATION_FAILED'],
    ['asset_id with metadata', { asset_id: unknownId, metadata: {} }, 400, 'VALIDATION_FAILED'],
    ['asset_id with listed', { asset_id: unknownId, listed: true }, 400, 'VALIDATION_FAILED'],
    ['asset_id that is no string', { asset_id: 7 }, 400, 'VALIDATION_FAILED'],
    ['file_id with name', { upload_type: 'file', file_id: 'x', name: 'a' }, 400, 'VALIDATION_FAILED'],
    [
      'file_id with parent_id',
      { upload_type: 'file', file_id: 'x', parent_id: 'y' },
      400,
      'VALIDATION_FAILED',
    ],
    [
      'file_id with asset_type',
      { upload_type: 'file', file_id: 'x', asset_type: 'file' },
      400,
      'VALIDATION_FAILED',
    ],
    ['neither asset_id nor name nor type', {}, 400, 'ASSET_NAME_REQUIRED'],
    ['no name', { asset_type: 'world' }, 400, 'ASSET_NAME_REQUIRED'],
    ['an empty name', newWorld(' '), 400, 'ASSET_NAME_REQUIRED'],
    ['a name that is too long', newWorld('x'.repeat(256)), 400, 'ASSET_NAME_TOO_LONG'],
    ['no type', { name: 'a' }, 400, 'INVALID_ASSET_TYPE'],
    ['a type of files', { name: 'a', asset_type: 'file' }, 400, 'INVALID_ASSET_TYPE'],
    ['a type of none', { name: 'a', asset_type: null }, 400, 'INVALID_ASSET_TYPE'],
    ['another visibility', { ...newWorld('a'), visibility: 'hidden' }, 400, 'INVALID_VISIBILITY'],
    ['no bytes', { ...newWorld('a'), size_bytes: 0 }, 400, 'VALIDATION_FAILED'],
    ['fewer than none', { ...newWorld('a'), size_bytes: -1 }, 400, 'VALIDATION_FAILED'],
    ['no MIME type', { ...newWorld('a'), mime_type: undefined }, 400, 'VALIDATION_FAILED'],
    ['an unknown asset', { asset_id: unknownId }, 404, 'ASSET_NOT_FOUND'],
    ['a malformed id', { asset_id: '' }, 404, 'ASSET_NOT_FOUND'],
    ['a world over 5 GiB', { ...newWorld('a'), size_bytes: 5 * GIB + 1 }, 413, 'UPLOAD_TOO_LARGE'],
    [
      'an avatar over 1 GiB',
      { name: 'a', asset_type: 'avatar', size_bytes: GIB + 1 },
      413,
      'UPLOAD_TOO_LARGE',
    ],
    ['a prop over 1 GiB', { name: 'a', asset_type: 'prop', size_bytes: GIB + 1 }, 413, 'UPLOAD_TOO_LARGE'],
    ['more than the quota has', { ...newWorld('a'), size_bytes: 101 }, 403, 'QUOTA_EXCEEDED'],
  ]
  it.each(refused)('refuses %s', async (_, body, status, code) => {
    const ada = await signUpCreator()
    await giveQuota(ada, 100)
    expect(await ada.startContent(body)).toBeProblem(status, code)
    expect((await ada.quota()).used_bytes).toBe(0)
  })

  const several: [faults: string, body: Record<string, unknown>, code: string][] = [
    ['name, type and visibility', { name: '', asset_type: 'x', visibility: 'x' }, 'ASSET_NAME_REQUIRED'],
    ['name and size', { ...newWorld(''), size_bytes: -1 }, 'ASSET_NAME_REQUIRED'],
    ['type and visibility', { name: 'a', asset_type: 'x', visibility: 'x' }, 'INVALID_ASSET_TYPE'],
    ['visibility and size', { ...newWorld('a'), visibility: 'x', size_bytes: -1 }, 'INVALID_VISIBILITY'],
    ['no name and another type', { asset_type: 'x' }, 'ASSET_NAME_REQUIRED'],
    ['no name and another visibility', { asset_type: 'world', visibility: 'x' }, 'ASSET_NAME_REQUIRED'],
    ['no name and no size', { asset_type: 'world', size_bytes: undefined }, 'ASSET_NAME_REQUIRED'],
    ['no type and another visibility', { name: 'a', visibility: 'x' }, 'INVALID_ASSET_TYPE'],
    ['no type and no size', { name: 'a', size_bytes: undefined }, 'INVALID_ASSET_TYPE'],
    ['a size over all and a taken name', { ...newWorld('taken'), size_bytes: 2 ** 40 }, 'UPLOAD_TOO_LARGE'],
  ]
  it.each(several)('tells of several faults the first, missing or wrong: %s', async (_, body, code) => {
    const ada = await signUpCreator()
    await ada.emptyAsset('taken')
    expect(await ada.startContent(body)).toBeProblem(code === 'UPLOAD_TOO_LARGE' ? 413 : 400, code)
  })

  it('refuses for a version what its asset’s type refuses, before the quota', async () => {
    const ada = await signUpCreator()
    await giveQuota(ada, 100)
    for (const [type, largest] of [
      ['world', 5 * GIB],
      ['avatar', GIB],
      ['prop', GIB],
    ] as const) {
      const { id: asset_id } = await ada.emptyAsset(type, { type })
      expect(await ada.startContent({ asset_id, size_bytes: 0 })).toBeProblem(400, 'VALIDATION_FAILED')
      expect(await ada.startContent({ asset_id, size_bytes: largest + 1 })).toBeProblem(
        413,
        'UPLOAD_TOO_LARGE',
      )
      expect(await ada.startContent({ asset_id, size_bytes: largest })).toBeProblem(403, 'QUOTA_EXCEEDED')
    }
    await giveQuota(ada, 10 * GIB)
    for (const [asset_type, size_bytes] of [
      ['world', 5 * GIB],
      ['avatar', GIB],
      ['prop', GIB],
    ] as const)
      expect((await ada.startContent({ name: `full ${asset_type}`, asset_type, size_bytes })).status).toBe(
        201,
      )
  })

  it('is for the caller’s own assets that are not deleted', async () => {
    const [ada, bob] = await two()
    const { id: asset_id } = await ada.asset('a', { visibility: 'public' })
    expect(await bob.startContent({ asset_id })).toBeProblem(404, 'ASSET_NOT_FOUND')
    await ada.deleteAsset(asset_id)
    expect(await ada.startContent({ asset_id })).toBeProblem(404, 'ASSET_NOT_FOUND')
    expect((await ada.startContent(newWorld('a'))).status).toBe(201)
  })

  it('starts one upload of a request that is repeated with its key', async () => {
    const ada = await signUpCreator()
    const { id: asset_id } = await ada.emptyAsset('a')
    for (const declared of [newWorld('b'), { asset_id }]) {
      const headers = newKey()
      const ask = () => ada.startContent(declared, headers)
      const answers = await Promise.all(Array.from({ length: 8 }, ask))
      expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(201))
      expect(new Set(answers.map(idOf)).size).toBe(1)
      expect(await ada.startContent({ ...declared, size_bytes: 4 }, headers)).toBeProblem(
        422,
        'IDEMPOTENCY_KEY_REUSED',
      )
      await ada.abort(idOf(await ask()))
      expect(await ask()).toBeProblem(404, 'UPLOAD_NOT_FOUND')
    }
    const headers = newKey()
    expect(await ada.startContent(newWorld('a'), headers)).toBeProblem(409, 'DUPLICATE_ASSET_NAME')
    await ada.deleteAsset(asset_id)
    expect((await ada.startContent(newWorld('a'), headers)).status).toBe(201)
    await expectSound(ada.id)
  })
})
