import { env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { made } from '../support/answer.ts'
import { serviceWithCheck } from '../support/checking.ts'
import { bytes } from '../support/content.ts'
import { Creator, signUpCreator } from '../support/creator.ts'
import { databaseOf } from '../support/databases.ts'
import { png } from '../support/pictures.ts'
import { records, Upload } from '../support/records.ts'
import { operator, put, signUp } from '../support/user.ts'

const { service, sent } = serviceWithCheck()
const checker = await operator('content:check')

const verdict = (upload: { id: string }, json: unknown) =>
  checker.request('PUT', `/uploads/${upload.id}/verdict`, { json })
const accept = async (upload: { id: string }) =>
  expect((await verdict(upload, { verdict: 'ready' })).status).toBe(204)
const reject = async (upload: { id: string }, reason = 'It has a virus.') =>
  expect((await verdict(upload, { verdict: 'failed', reason })).status).toBe(204)

/** A user whose content is checked, and the same user where nothing is. */
async function checkedUser(name = 'ada') {
  const ada = await signUpCreator(name, service)
  return { ada, before: new Creator(ada.id, ada.token) }
}

/** A new file whose content waits for its verdict. */
async function waitingFile(ada: Creator, content = 'new') {
  const upload = await ada.upload({ name: 'map.bin', size_bytes: content.length })
  expect((await put(upload, bytes(content))).status).toBe(200)
  expect((await ada.complete(upload)).status).toBe(202)
  return { upload, file: upload.file?.id ?? '' }
}

describe('a new file', () => {
  it('has as much time again from its completion on, and the answer says so', async () => {
    const { ada } = await checkedUser()
    const upload = await ada.upload({ size_bytes: 3 })
    await put(upload, bytes('new'))
    const soon = 'UPDATE uploads SET expires_at = unixepoch() + 60 WHERE id = ?'
    await databaseOf(upload.id).prepare(soon).bind(upload.id).run()
    expect((await ada.complete(upload)).status).toBe(202)
    const waiting = made(Upload, await ada.get(`/uploads/${upload.id}`), 200)
    expect(waiting.state).toBe('processing')
    expect(waiting.expires_at).toBeGreaterThanOrEqual(upload.expires_at)
  })

  it('is processing from its completion to the verdict, and nobody gets its content', async () => {
    const { ada, before } = await checkedUser()
    const upload = await ada.upload({ name: 'map.bin', size_bytes: 3 })
    await put(upload, bytes('new'))
    const id = upload.file?.id ?? ''
    sent.length = 0
    for (let i = 0; i < 2; i++)
      expect(await ada.complete(upload)).toMatchObject({
        status: 202,
        body: {
          upload: { id: upload.id, state: 'processing', processing_state: 'processing' },
          file: { id, processing_state: 'processing' },
        },
      })
    expect(sent, 'the checker is asked once').toEqual([{ kind: 'check', upload_id: upload.id }])
    expect(await ada.get(`/uploads/${upload.id}`)).toMatchObject({
      status: 200,
      body: { state: 'processing', processing_state: 'processing', file: { processing_state: 'processing' } },
    })
    expect((await ada.get(`/uploads/${upload.id}`)).body).not.toHaveProperty('url')
    expect(await ada.parts(upload, { part_numbers: [1] })).toBeProblem(409, 'UPLOAD_COMPLETED')

    const bob = await signUp('bob')
    expect((await ada.change(id, { is_public: true })).status).toBe(200)
    for (const user of [ada, bob]) {
      expect(await user.get(`/files/${id}/url`)).toBeProblem(409, 'FILE_NOT_READY')
      expect((await user.read(id)).file).toMatchObject({ processing_state: 'processing' })
    }
    expect(await ada.createShare(id, { grantee_id: bob.id, permission: 'view' })).toBeProblem(
      409,
      'FILE_NOT_READY',
    )
    expect(
      await ada.startUpload({ upload_type: 'file', file_id: id, size_bytes: 1, mime_type: 'a/b' }),
    ).toBeProblem(409, 'FILE_NOT_READY')
    expect(await before.replaceContent(id, 'x')).toBeProblem(409, 'FILE_NOT_READY')
    expect((await ada.quota()).used_bytes, 'its bytes are reserved').toBe(3)

    await accept(upload)
    expect(await (await ada.download(id)).text()).toBe('new')
    expect(await ada.complete(upload)).toMatchObject({
      status: 200,
      body: {
        upload: { state: 'completed', processing_state: 'ready' },
        file: { processing_state: 'ready' },
      },
    })
    expect((await ada.quota()).used_bytes).toBe(3)
  })

  it('has failed with the reason of the checker, and its bytes are released', async () => {
    const { ada } = await checkedUser()
    const { upload, file } = await waitingFile(ada)
    await reject(upload, 'It is the EICAR test file.')
    expect(await ada.get(`/uploads/${upload.id}`)).toMatchObject({
      body: { state: 'failed', processing_state: 'failed', reason: 'It is the EICAR test file.' },
    })
    expect(await ada.complete(upload)).toBeProblem(422, 'UPLOAD_REJECTED', 'It is the EICAR test file.')
    expect((await ada.read(file)).file).toMatchObject({ processing_state: 'failed' })
    expect(await ada.get(`/files/${file}/url`)).toBeProblem(409, 'FILE_NOT_READY')
    expect((await ada.quota()).used_bytes).toBe(0)
    expect(await env.BUCKET.head(upload.id)).toBeNull()
    // Other content may take its place, and is checked, too.
    const other = await ada.upload({ name: undefined, file_id: file, size_bytes: 4 })
    await put(other, bytes('good'))
    expect((await ada.complete(other)).status).toBe(202)
    expect(await ada.get(`/files/${file}/url`)).toBeProblem(409, 'FILE_NOT_READY')
    await accept(other)
    expect(await (await ada.download(file)).text()).toBe('good')
  })

  it('may be aborted while it is checked, and its verdict then finds nothing', async () => {
    const { ada } = await checkedUser()
    const { upload, file } = await waitingFile(ada)
    expect((await ada.abort(upload)).status).toBe(204)
    expect(await verdict(upload, { verdict: 'ready' })).toBeProblem(404, 'UPLOAD_NOT_FOUND')
    expect(await ada.get(`/files/${file}`)).toBeProblem(404, 'FILE_NOT_FOUND')
    expect((await ada.quota()).used_bytes).toBe(0)
  })

  it('may be moved, renamed, deleted, restored and blocked while it is checked', async () => {
    const { ada } = await checkedUser()
    const { upload, file } = await waitingFile(ada)
    const folder = await ada.folder('maps')
    await ada.change(file, { name: 'other.bin', parent_id: folder.id })
    await ada.delete(file)
    await accept(upload)
    expect(await ada.get(`/files/${file}/url`)).toBeProblem(404, 'FILE_NOT_FOUND')
    expect((await ada.restore(file)).status).toBe(200)
    expect((await ada.read(file)).file).toMatchObject({ name: 'other.bin', processing_state: 'ready' })

    const second = await waitingFile(ada)
    const moderator = await operator('content:moderate')
    await ada.change(second.file, { is_public: true })
    await moderator.request('PUT', `/files/${second.file}/block`)
    await accept(second.upload)
    expect(await (await signUp('bob')).get(`/files/${second.file}/url`)).toBeProblem(404, 'FILE_NOT_FOUND')
  })
})

describe('new content of a file', () => {
  it('takes the place of the old with the verdict, and not without it', async () => {
    const { ada, before } = await checkedUser()
    const { id } = await before.file('map.bin', 'old')
    for (const isGood of [false, true]) {
      const upload = await ada.upload({ name: undefined, file_id: id, size_bytes: 3 })
      await put(upload, bytes('new'))
      expect(await ada.complete(upload)).toMatchObject({
        status: 202,
        body: { file: { processing_state: 'ready' } },
      })
      expect(await (await ada.download(id)).text()).toBe('old')
      await (isGood ? accept(upload) : reject(upload))
      expect(await (await ada.download(id)).text()).toBe(isGood ? 'new' : 'old')
      expect((await ada.quota()).used_bytes).toBe(3)
    }
  })

  it('that its file no longer expects waits for its owner, who completes it with the new ETag', async () => {
    const { ada, before } = await checkedUser()
    const { id } = await before.file('map.bin', 'old')
    const etag = (await ada.get(`/files/${id}`)).headers.get('ETag') ?? ''
    const declared = { upload_type: 'file', file_id: id, size_bytes: 3, mime_type: 'a/b' }
    const upload = (await ada.startUpload(declared, { 'If-Match': etag })).body as Parameters<typeof put>[0]
    await put(upload, bytes('new'))
    expect((await ada.complete(upload)).status).toBe(202)
    await ada.change(id, { name: 'renamed.bin' })
    await accept(upload)
    expect((await ada.get(`/uploads/${upload.id}`)).body).toMatchObject({
      state: 'processing',
      processing_state: 'ready',
    })
    expect(await ada.complete(upload)).toBeProblem(412, 'PRECONDITION_FAILED')
    expect(await (await ada.download(id)).text()).toBe('old')
    const now = (await ada.get(`/files/${id}`)).headers.get('ETag') ?? ''
    expect((await ada.complete(upload, {}, { 'If-Match': now })).status).toBe(200)
    expect(await (await ada.download(id)).text()).toBe('new')
  })
})

describe('a game asset', () => {
  it('gets the page that its upload began with', async () => {
    const { ada } = await checkedUser()
    const page = { description: 'With a moat.', tags: ['castle'], metadata: { seed: 7 }, listed: false }
    const upload = await ada.sent({ name: 'castle', asset_type: 'world', ...page })
    expect((await ada.complete(upload, { name: 'fort' })).status).toBe(202)
    await accept(upload)
    const done = made(records.CompletedAsset, await ada.complete(upload), 200)
    expect(done.asset).toMatchObject({ ...page, name: 'fort' })
  })

  it('that has changed meanwhile waits for its owner, who completes the version with the new ETag', async () => {
    const { ada, before } = await checkedUser()
    const asset = await before.asset('castle')
    const declared = { asset_id: asset.id }
    const headers = { 'If-Match': await ada.tagOf(asset) }
    const upload = made(Upload, await ada.startContent(declared, headers), 201)
    await put(upload, bytes('new'))
    expect((await ada.complete(upload)).status).toBe(202)
    await ada.editAsset(asset, { description: 'other' })
    await accept(upload)
    expect(await ada.complete(upload)).toBeProblem(412, 'PRECONDITION_FAILED')
    expect(await ada.versions(asset)).toEqual([1])
    const now = await ada.tagOf(asset)
    expect((await ada.complete(upload, {}, { 'If-Match': now })).status).toBe(200)
    expect(await ada.versions(asset)).toEqual([2, 1])
  })

  it('does not exist before its content is ready', async () => {
    const { ada } = await checkedUser()
    const upload = await ada.sent({ name: 'castle', asset_type: 'world', visibility: 'public' })
    const answer = await ada.complete(upload)
    expect(answer).toMatchObject({ status: 202, body: { upload: { processing_state: 'processing' } } })
    expect(Object.keys(answer.body as object)).toEqual(['upload'])
    expect(await ada.assetNames('/assets')).toEqual([])
    expect(await ada.assetNames('/public')).not.toContain('castle')
    await accept(upload)
    expect(await ada.assetNames('/assets')).toEqual(['castle'])
    expect(await ada.complete(upload)).toMatchObject({ status: 200, body: { version: { version: 1 } } })
  })

  it('keeps its version until the next is ready: nobody sees, downloads or branches what is checked', async () => {
    const { ada, before } = await checkedUser()
    const { id } = await before.asset('castle', { visibility: 'public' }, 'old')
    const upload = await ada.sent({ asset_id: id })
    expect((await ada.complete(upload)).status).toBe(202)
    const bob = await signUpCreator('bob')
    for (const user of [ada, bob]) {
      const read = made(records.GameAssetWithVersions, await user.readAsset(id), 200)
      expect([read.current_version, read.versions.length]).toEqual([1, 1])
      expect(await user.versions(id)).toEqual([1])
      expect(await user.get(`/game/assets/${id}/versions/2`)).toBeProblem(404, 'VERSION_NOT_FOUND')
      expect(await user.get(`/game/assets/${id}/versions/2/url`)).toBeProblem(404, 'VERSION_NOT_FOUND')
      expect(await user.branch(id, { name: 'late', from_version: 2 })).toBeProblem(404, 'VERSION_NOT_FOUND')
    }
    const { asset } = await bob.branched(id)
    expect(await bob.contentOf(asset, 1)).toBe('old')
    await accept(upload)
    expect(await bob.versions(id)).toEqual([2, 1])
    expect(await bob.contentOf(id, 2)).toBe('new')
  })

  it('gets no version from content that was rejected', async () => {
    const { ada, before } = await checkedUser()
    const { id } = await before.asset('castle', {}, 'old')
    const { used_bytes } = await ada.quota()
    const upload = await ada.sent({ asset_id: id })
    await ada.complete(upload)
    await reject(upload)
    expect(await ada.versions(id)).toEqual([1])
    expect(await ada.complete(upload)).toBeProblem(422, 'UPLOAD_REJECTED', 'It has a virus.')
    expect((await ada.quota()).used_bytes).toBe(used_bytes)
    expect(await env.BUCKET.head(upload.id)).toBeNull()
  })

  it('whose name is taken meanwhile gets another at the next completion, and is not checked again', async () => {
    const { ada, before } = await checkedUser()
    const upload = await ada.sent({ name: 'castle', asset_type: 'world' })
    await ada.complete(upload, { name: 'tower' })
    await before.asset('tower')
    await accept(upload)
    expect((await ada.get(`/uploads/${upload.id}`)).body).toMatchObject({
      state: 'processing',
      processing_state: 'ready',
    })
    expect(await ada.complete(upload)).toBeProblem(409, 'DUPLICATE_ASSET_NAME')
    sent.length = 0
    expect(await ada.complete(upload, { name: 'bridge' })).toMatchObject({
      status: 200,
      body: { upload: { processing_state: 'ready' }, asset: { name: 'bridge' } },
    })
    expect(sent).toEqual([])
  })

  it('whose name is taken at the completion is refused before it is checked', async () => {
    const { ada, before } = await checkedUser()
    const upload = await ada.sent({ name: 'castle', asset_type: 'world' })
    await before.asset('castle')
    sent.length = 0
    expect(await ada.complete(upload)).toBeProblem(409, 'DUPLICATE_ASSET_NAME')
    expect(sent).toEqual([])
    expect((await ada.get(`/uploads/${upload.id}`)).body).toMatchObject({ state: 'open' })
  })

  it('that is purged while its version is checked has the upload fail', async () => {
    const { ada, before } = await checkedUser()
    const { id } = await before.asset('castle')
    const upload = await ada.sent({ asset_id: id })
    await ada.complete(upload)
    await ada.deleteAsset(id, '?permanent=true')
    expect(await verdict(upload, { verdict: 'ready' })).toBeProblem(404, 'UPLOAD_NOT_FOUND')
    expect(await ada.complete(upload)).toBeProblem(404, 'ASSET_NOT_FOUND')
  })
})

describe('a verdict', () => {
  it('may be given again, and is final', async () => {
    const { ada } = await checkedUser()
    const [good, bad] = [await waitingFile(ada), await waitingFile(ada)]
    for (let i = 0; i < 2; i++) {
      await accept(good.upload)
      await reject(bad.upload, `for the ${i}. time`)
    }
    expect(await verdict(good.upload, { verdict: 'failed', reason: 'x' })).toBeProblem(
      409,
      'UPLOAD_COMPLETED',
    )
    expect(await verdict(bad.upload, { verdict: 'ready' })).toBeProblem(409, 'UPLOAD_COMPLETED')
    expect(await ada.complete(bad.upload)).toBeProblem(422, 'UPLOAD_REJECTED', 'for the 0. time')
    expect((await ada.quota()).used_bytes).toBe(3)
  })

  it('is for content that is checked: not for what has not arrived, what nobody checks, or nothing', async () => {
    const { ada, before } = await checkedUser()
    const open = await ada.upload({ size_bytes: 3 })
    expect(await verdict(open, { verdict: 'ready' })).toBeProblem(404, 'UPLOAD_NOT_FOUND')
    const unchecked = await before.upload({ size_bytes: 3 })
    await put(unchecked, bytes('new'))
    expect((await before.complete(unchecked)).status).toBe(200)
    for (const json of [{ verdict: 'ready' }, { verdict: 'failed', reason: 'x' }])
      expect(await verdict(unchecked, json)).toBeProblem(409, 'UPLOAD_COMPLETED')
    expect(await verdict({ id: 'nobody' }, { verdict: 'ready' })).toBeProblem(404, 'UPLOAD_NOT_FOUND')
  })

  it('is for content that is there: not for that of a file which is being deleted permanently', async () => {
    const { ada, before } = await checkedUser()
    const folder = await ada.folder('maps')
    // As deep as it takes for the job to remove the files.
    let deepest = folder
    for (const name of ['1', '2', '3', '4']) deepest = await ada.folder(name, { in: deepest })
    const fields = { parent_id: deepest.id, size_bytes: 3 }
    const unchecked = await before.upload({ ...fields, name: 'unchecked' })
    const waiting = await ada.upload({ ...fields, name: 'waiting' })
    for (const upload of [unchecked, waiting]) await put(upload, bytes('new'))
    expect((await before.complete(unchecked)).status).toBe(200)
    expect((await ada.complete(waiting)).status).toBe(202)
    expect((await ada.delete(folder)).status).toBe(204)
    expect((await ada.purge(folder)).status).toBe(204)
    for (const upload of [unchecked, waiting])
      for (const json of [{ verdict: 'ready' }, { verdict: 'failed', reason: 'x' }])
        expect(await verdict(upload, json)).toBeProblem(404, 'UPLOAD_NOT_FOUND')
  })

  it('of failed has a reason, which can be shown', async () => {
    const { ada } = await checkedUser()
    const { upload } = await waitingFile(ada)
    for (const reason of [undefined, null, '', ' \u200b', 'x'.repeat(501), 'a\u0000b', '\ud800'])
      expect(await verdict(upload, { verdict: 'failed', reason })).toBeProblem(
        400,
        'VALIDATION_FAILED',
        '/reason',
      )
    for (const json of [{}, { verdict: 'maybe' }, { verdict: 'processing' }])
      expect(await verdict(upload, json)).toBeProblem(400, 'VALIDATION_FAILED', '/verdict')
    await reject(upload, '\u{1F9A0}'.repeat(500))
  })

  it('comes from a checker alone: the owner gives none', async () => {
    const { ada } = await checkedUser()
    const { upload } = await waitingFile(ada)
    expect(
      await ada.request('PUT', `/uploads/${upload.id}/verdict`, { json: { verdict: 'ready' } }),
    ).toBeProblem(403, 'FORBIDDEN', 'content:check')
  })
})

describe('CONTENT_CHECK_KINDS', () => {
  const some = serviceWithCheck({ CONTENT_CHECK_KINDS: 'world, image/*,application/zip' })
  it.each([
    [202, { name: 'a', asset_type: 'profile_pic', mime_type: 'image/png' }, png],
    [202, { name: 'a.zip', mime_type: 'application/zip' }, bytes('new')],
    [200, { name: 'a.gz', mime_type: 'application/gzip' }, bytes('new')],
    [200, { name: 'a.txt', mime_type: 'text/plain' }, bytes('new')],
    [202, { upload_type: 'game_asset', name: 'a', asset_type: 'world' }, bytes('new')],
    [200, { upload_type: 'game_asset', name: 'a', asset_type: 'prop' }, bytes('new')],
  ])('answers a completion with %s for %j', async (status, declared, content) => {
    const ada = await signUpCreator('ada', some.service)
    const upload = await ada.upload({ size_bytes: content.length, ...declared })
    await put(upload, content)
    expect((await ada.complete(upload)).status).toBe(status)
  })
})

it('without a checker nothing is written, sent or told of checks', async () => {
  const before = sent.length
  const ada = await signUpCreator('ada')
  const upload = await ada.upload({ size_bytes: 3 })
  await put(upload, bytes('new'))
  const { status, body } = await ada.complete(upload)
  expect([status, JSON.stringify(body)]).toEqual([
    200,
    expect.not.stringContaining('"processing_state":"processing"'),
  ])
  expect(body).not.toHaveProperty('upload.processing_state')
  const row = await databaseOf(upload.id)
    .prepare('SELECT check_state, check_began_at, check_next_at, check_attempts FROM uploads WHERE id = ?')
    .bind(upload.id)
    .first()
  expect(row).toEqual({ check_state: null, check_began_at: null, check_next_at: null, check_attempts: 0 })
  expect(sent.length).toBe(before)
})
