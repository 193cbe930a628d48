import { z } from '@hono/zod-openapi'
import { describe, expect, it } from 'vitest'
import { made } from '../support/answer.ts'
import { arrive, bytes } from '../support/content.ts'
import { homeOf } from '../support/databases.ts'
import { expectSound } from '../support/invariants.ts'
import { expectRecordsAndObjectsAgree, runJobIn } from '../support/objects.ts'
import { png } from '../support/pictures.ts'
import { records, Upload } from '../support/records.ts'
import { put, signUp, type User } from '../support/user.ts'

const content = { upload_type: 'file', size_bytes: 3, mime_type: 'text/plain' }

const startReplacing = (
  user: User,
  file_id: string,
  declared: Record<string, unknown> = {},
  headers?: Record<string, string>,
) => user.startUpload({ ...content, file_id, ...declared }, headers)

/** Starts an upload that replaces a file's content, which has to work. */
const replacing = async (user: User, { id }: { id: string }, headers?: Record<string, string>) =>
  made(Upload, await startReplacing(user, id, {}, headers), 201)

/** Sends three bytes and completes. */
async function finish(user: User, upload: Upload, text = 'new', headers?: Record<string, string>) {
  expect((await put(upload, bytes(text))).status).toBe(200)
  return user.complete(upload, undefined, headers)
}

const textOf = async (user: User, file: { id: string }) => (await user.download(file)).text()
const tagOf = async (user: User, { id }: { id: string }) =>
  (await user.get(`/files/${id}`)).headers.get('ETag') ?? ''

describe('replacing the content of a file', () => {
  it('keeps id, name, place and shares, and serves the old content until completion', async () => {
    const [ada, bob] = [await signUp('ada'), await signUp('bob')]
    const folder = await ada.folder()
    const file = await ada.file('save.txt', 'old save', { parent_id: folder.id, mime_type: 'text/html' })
    const share = await ada.share(file, bob)
    const before = await ada.read(file)

    const upload = await replacing(ada, file)
    expect(upload.file).toEqual(before.file)
    expect((await ada.read(file)).file).toEqual(before.file)
    expect(await ada.quota()).toMatchObject({ used_bytes: 8 + 3 })
    await put(upload, bytes('new'))
    expect(await textOf(ada, file)).toBe('old save')

    const completed = made(records.CompletedFile, await ada.complete(upload), 200)
    expect(completed.file).toEqual({
      ...before.file,
      size_bytes: 3,
      mime_type: 'text/plain',
      updated_at: expect.any(Number),
    })
    expect((await ada.read(file)).ancestors).toEqual(before.ancestors)
    expect(await textOf(ada, file)).toBe('new')
    const { url } = made(records.DownloadUrl, await bob.sharedUrl(share), 200)
    expect(await (await bob.fetchSigned(url)).text()).toBe('new')
    expect(await ada.quota()).toMatchObject({ used_bytes: 3 })
    expect(await ada.names({ parent_id: folder.id })).toEqual(['save.txt'])
    await expectSound(ada.id)
  })

  it('leaves URLs to the old content good until they expire, and then removes it', async () => {
    const ada = await signUp()
    const file = await ada.file('save', 'old')
    const { url } = made(records.DownloadUrl, await ada.get(`/files/${file.id}/url`), 200)
    await finish(ada, await replacing(ada, file))
    await runJobIn(0)
    expect(await (await ada.fetchSigned(url)).text()).toBe('old')
    await runJobIn(1 / 24)
    expect((await ada.fetchSigned(url)).status).toBe(404)
    expect(await textOf(ada, file)).toBe('new')
    await runJobIn(3)
    await expectRecordsAndObjectsAgree()
  })

  it('works ten times over, and counts the last content only', async () => {
    const ada = await signUp()
    const file = await ada.file('save', 'old')
    for (let i = 0; i < 10; i++) await finish(ada, await replacing(ada, file), String(100 + i))
    expect(await textOf(ada, file)).toBe('109')
    expect(await ada.quota()).toMatchObject({ used_bytes: 3 })
    await ada.delete(file)
    await ada.purge(file)
    await runJobIn(3)
    expect(await ada.quota()).toMatchObject({ used_bytes: 0 })
    const rows = await homeOf(ada.id).prepare('SELECT id FROM uploads WHERE owner_id = ?').bind(ada.id).all()
    expect(rows.results).toEqual([])
    await expectRecordsAndObjectsAgree()
    await expectSound(ada.id)
  })

  it('answers a repeated completion with the file, also when the content has been replaced since', async () => {
    const ada = await signUp()
    const file = await ada.file('save', 'old')
    const first = await replacing(ada, file)
    await finish(ada, first, 'one')
    await finish(ada, await replacing(ada, file), 'two')
    expect((await ada.complete(first)).status).toBe(200)
    expect(await textOf(ada, file)).toBe('two')
    await expectSound(ada.id)
  })

  it('leaves the file as it was when the upload is aborted, fails or expires', async () => {
    const ada = await signUp()
    const file = await ada.file('save', 'old', { mime_type: 'text/plain' })
    const before = await ada.read(file)
    const [aborted, failed] = [await replacing(ada, file), await replacing(ada, file)]
    await replacing(ada, file)
    await arrive(failed.id, 'wrong')
    expect(await ada.complete(failed)).toBeProblem(422, 'UPLOAD_MISMATCH')
    await ada.abort(aborted)
    await ada.abort(failed)
    await runJobIn(2)
    expect(await ada.read(file)).toEqual(before)
    expect(await textOf(ada, file)).toBe('old')
    expect(await ada.quota()).toMatchObject({ used_bytes: 3 })
    await expectSound(ada.id)
  })

  it('leaves a file that failed before as it was, too', async () => {
    const ada = await signUp()
    const first = await ada.upload({ name: 'save', size_bytes: 3, mime_type: 'text/plain' })
    await arrive(first.id, 'wrong')
    await ada.complete(first)
    const file = { id: first.file?.id ?? '' }
    await ada.abort(await replacing(ada, file))
    await replacing(ada, file)
    await runJobIn(2)
    expect((await ada.read(file)).file.processing_state).toBe('failed')
    expect(await ada.quota()).toMatchObject({ used_bytes: 0 })
    await runJobIn(3)
    expect(await ada.get(`/uploads/${first.id}`), 'is forgotten').toBeProblem(404, 'UPLOAD_NOT_FOUND')
    await ada.abort(await replacing(ada, file))
    expect((await ada.read(file)).file.processing_state).toBe('failed')
    await expectSound(ada.id)
  })

  it('keeps a file whose first upload failed for as long as another upload fills it', async () => {
    const ada = await signUp()
    const first = await ada.upload({ name: 'save', size_bytes: 3, mime_type: 'text/plain' })
    const fail = async ({ id }: Upload) => {
      await arrive(id, 'wrong')
      expect(await ada.complete(id)).toBeProblem(422, 'UPLOAD_MISMATCH')
    }
    await fail(first)
    const second = await replacing(ada, { id: first.file?.id ?? '' })
    await fail(second)
    await ada.abort(first)
    expect(await ada.complete(second)).toBeProblem(422, 'UPLOAD_MISMATCH')
    await expectSound(ada.id)
  })

  it('works while the file is in the trash, where it stays, but cannot be started there', async () => {
    const ada = await signUp()
    const file = await ada.file('save', 'old')
    const upload = await replacing(ada, file)
    await ada.delete(file)
    expect((await finish(ada, upload)).status).toBe(200)
    expect(await ada.trashed()).toEqual(['save'])
    expect(await startReplacing(ada, file.id)).toBeProblem(404, 'FILE_NOT_FOUND')
    await ada.restore(file)
    expect(await textOf(ada, file)).toBe('new')
  })

  it('ends when the file is deleted for good', async () => {
    const ada = await signUp()
    const file = await ada.file('save', 'old')
    const upload = await replacing(ada, file)
    await put(upload, bytes('new'))
    await ada.delete(file)
    await ada.purge(file)
    expect(await ada.complete(upload)).toBeProblem(404, 'UPLOAD_NOT_FOUND')
    await runJobIn(3)
    expect(await ada.quota()).toMatchObject({ used_bytes: 0 })
    await expectRecordsAndObjectsAgree()
  })

  it('gives a file whose upload failed its first content', async () => {
    const ada = await signUp()
    const first = await ada.upload({ name: 'save', size_bytes: 3, mime_type: 'text/plain' })
    await arrive(first.id, 'wrong')
    await ada.complete(first)
    const id = first.file?.id ?? ''
    const upload = await replacing(ada, { id })
    await ada.abort(first)
    expect((await ada.read(id)).file.processing_state).toBe('failed')
    expect((await finish(ada, upload)).status).toBe(200)
    expect(await textOf(ada, { id })).toBe('new')
    expect(await ada.quota()).toMatchObject({ used_bytes: 3 })
    await expectSound(ada.id)
  })
})

describe('starting to replace', () => {
  it('refuses what is not there, not theirs, a folder, and a file without its first content', async () => {
    const [ada, bob] = [await signUp('ada'), await signUp('bob')]
    const file = await bob.file('save', 'old', { is_public: true })
    await bob.change(file, { is_public: true })
    const unknown = await startReplacing(ada, 'nothing')
    expect(unknown).toBeProblem(404, 'FILE_NOT_FOUND')
    expect(await startReplacing(ada, file.id)).toBeProblem(404, 'FILE_NOT_FOUND')
    expect(await startReplacing(ada, (await ada.folder()).id)).toBeProblem(409, 'FILE_IS_FOLDER')
    const pending = await ada.upload({ size_bytes: 3 })
    expect(await startReplacing(ada, pending.file?.id ?? '')).toBeProblem(409, 'FILE_NOT_READY')
  })

  it.each([
    ['name', 'a'],
    ['parent_id', 'a'],
    ['parent_id', null],
    ['asset_type', 'file'],
  ])('refuses %s beside file_id', async (member, value) => {
    const ada = await signUp()
    const file = await ada.file('save', 'old')
    const answer = await startReplacing(ada, file.id, { [member]: value })
    expect(answer).toBeProblem(400, 'VALIDATION_FAILED', `/${member}`)
  })

  it('holds new content to what the kind of the file allows', async () => {
    const ada = await signUp()
    const picture = { asset_type: 'emote', mime_type: 'image/png' }
    const emote = await ada.file('emote.png', png, picture)
    const refused = (declared: Record<string, unknown>) => startReplacing(ada, emote.id, declared)
    expect(await refused({})).toBeProblem(400, 'VALIDATION_FAILED', '/mime_type')
    expect(await refused({ mime_type: 'image/png', size_bytes: 0 })).toBeProblem(
      400,
      'VALIDATION_FAILED',
      '/size_bytes',
    )
    expect(await refused({ mime_type: 'image/png', size_bytes: 2 ** 20 + 1 })).toBeProblem(
      413,
      'UPLOAD_TOO_LARGE',
    )
    const answer = await refused({ mime_type: 'image/png', size_bytes: 3 })
    const upload = made(Upload, answer, 201)
    await put(upload, bytes('new'))
    expect(await ada.complete(upload)).toBeProblem(422, 'UPLOAD_MISMATCH')
    expect((await ada.read(emote)).file.processing_state).toBe('ready')
  })

  it('reserves the new bytes beside the old, which the quota has to hold', async () => {
    const ada = await signUp()
    const file = await ada.file('save', 'old')
    const GIB5 = 5 * 1024 ** 3
    expect(await startReplacing(ada, file.id, { size_bytes: GIB5 - 2 })).toBeProblem(403, 'QUOTA_EXCEEDED')
    expect((await startReplacing(ada, file.id, { size_bytes: GIB5 - 3 })).status).toBe(201)
  })

  it('makes one upload for a key, and finds it again', async () => {
    const ada = await signUp()
    const file = await ada.file('save', 'old')
    const key = { 'Idempotency-Key': 'again' }
    const first = await replacing(ada, file, key)
    expect((await replacing(ada, file, key)).id).toBe(first.id)
    expect(await ada.quota()).toMatchObject({ used_bytes: 6 })
  })
})

describe('If-Match on a replacing upload', () => {
  it('is refused at the start when the file has changed before', async () => {
    const ada = await signUp()
    const file = await ada.file('save', 'old')
    const tag = await tagOf(ada, file)
    expect((await startReplacing(ada, file.id, {}, { 'If-Match': tag })).status).toBe(201)
    expect((await startReplacing(ada, file.id, {}, { 'If-Match': '*' })).status).toBe(201)
    await ada.change(file, { name: 'renamed' })
    const late = await startReplacing(ada, file.id, {}, { 'If-Match': tag })
    expect(late).toBeProblem(412, 'PRECONDITION_FAILED')
    expect(await startReplacing(ada, file.id, {}, { 'If-Match': 'nonsense' })).toBeProblem(
      400,
      'VALIDATION_FAILED',
    )
  })

  it('belongs to the request that a key stands for', async () => {
    const ada = await signUp()
    const file = await ada.file('save', 'old')
    const key = { 'Idempotency-Key': 'again' }
    await replacing(ada, file, key)
    const other = await startReplacing(ada, file.id, {}, { ...key, 'If-Match': '"999"' })
    expect([412, 422]).toContain(other.status)
    const stale = await startReplacing(ada, file.id, {}, { ...key, 'If-Match': await tagOf(ada, file) })
    expect(stale).toBeProblem(422, 'IDEMPOTENCY_KEY_REUSED')
  })

  it('is refused at completion when the file has changed meanwhile, until a new one is brought', async () => {
    const ada = await signUp()
    const file = await ada.file('save', 'old')
    const upload = await replacing(ada, file, { 'If-Match': await tagOf(ada, file) })
    await ada.change(file, { name: 'renamed' })
    expect(await finish(ada, upload)).toBeProblem(412, 'PRECONDITION_FAILED', 'If-Match')
    expect(await ada.complete(upload)).toBeProblem(412, 'PRECONDITION_FAILED')
    expect(await ada.get(`/uploads/${upload.id}`)).toMatchObject({ body: { state: 'open' } })
    expect(await textOf(ada, file)).toBe('old')
    const stale = await ada.complete(upload, undefined, { 'If-Match': '"1"' })
    expect(stale).toBeProblem(412, 'PRECONDITION_FAILED')
    const answer = await ada.complete(upload, undefined, { 'If-Match': await tagOf(ada, file) })
    expect(answer.status, answer.text).toBe(200)
    expect(await textOf(ada, file)).toBe('new')
    await expectSound(ada.id)
  })

  it('lets one of two uploads through that replace the same', async () => {
    const ada = await signUp()
    const file = await ada.file('save', 'old')
    const tag = { 'If-Match': await tagOf(ada, file) }
    const [one, two] = [await replacing(ada, file, tag), await replacing(ada, file, tag)]
    expect((await finish(ada, one, 'one')).status).toBe(200)
    expect(await finish(ada, two, 'two')).toBeProblem(412, 'PRECONDITION_FAILED')
    expect(await textOf(ada, file)).toBe('one')
    await ada.abort(two)
    expect(z.looseObject({ used_bytes: z.literal(3) }).parse(await ada.quota()))
    await expectSound(ada.id)
  })

  it('says nothing about an upload that makes a file', async () => {
    const ada = await signUp()
    const answer = await ada.startUpload({ ...content, name: 'a' }, { 'If-Match': '"7"' })
    const upload = made(Upload, answer, 201)
    expect((await finish(ada, upload, 'new', { 'If-Match': '"7"' })).status).toBe(200)
  })
})
