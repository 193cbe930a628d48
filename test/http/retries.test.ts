import { describe, expect, it } from 'vitest'
import { type Answer, made } from '../support/answer.ts'
import { bytes } from '../support/content.ts'
import { signUpCreator } from '../support/creator.ts'
import { databaseOf, homeOf } from '../support/databases.ts'
import { idOf, newUserId } from '../support/ids.ts'
import { expectSound } from '../support/invariants.ts'
import { Upload } from '../support/records.ts'
import { put, signUp } from '../support/user.ts'

const key = (name = crypto.randomUUID()) => ({ 'Idempotency-Key': name })
const folder = { name: 'once', asset_type: 'folder' }
const upload = { upload_type: 'file', name: 'once', size_bytes: 3, mime_type: 'text/plain' }

describe('Idempotency-Key', () => {
  it.each([
    ['folder', '/files', folder],
    ['upload', '/uploads', upload],
  ])('makes one %s of 50 equal creations at once, and gives one answer', async (_, path, json) => {
    const ada = await signUp()
    const headers = key()
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => ada.request('POST', path, { json, headers })),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
    expect(new Set(answers.map(idOf)).size).toBe(1)
    expect(new Set(answers.map(({ headers }) => headers.get('Location'))).size).toBe(1)
    expect(await ada.names()).toEqual(['once'])
    await expectSound(ada.id)
  })

  it('answers a retry with the thing as it stands now', async () => {
    const ada = await signUp()
    const headers = key()
    const made = await ada.createFolder(folder, headers)
    await ada.change(idOf(made), { name: 'renamed' })
    const again = await ada.createFolder(folder, headers)
    expect(again.status).toBe(201)
    expect(again.body).toMatchObject({ id: idOf(made), name: 'renamed' })
  })

  it('gives a retried start a URL that works, and after completion the completed upload', async () => {
    const ada = await signUp()
    const headers = key()
    const made = await ada.startUpload(upload, headers)
    const again = await ada.startUpload(upload, headers)
    expect(idOf(again)).toBe(idOf(made))
    const content = bytes('abc')
    expect((await put(again.body as Parameters<typeof put>[0], content)).status).toBe(200)
    await ada.complete(idOf(made))
    expect((await ada.startUpload(upload, headers)).body).toMatchObject({
      id: idOf(made),
      state: 'completed',
    })
  })

  it('refuses the key with another body, and on another endpoint', async () => {
    const ada = await signUp()
    const headers = key()
    await ada.createFolder(folder, headers)
    const reused = [
      await ada.createFolder({ ...folder, name: 'other' }, headers),
      await ada.startUpload(upload, headers),
    ]
    for (const answer of reused) expect(answer).toBeProblem(422, 'IDEMPOTENCY_KEY_REUSED')
    expect(await ada.names()).toEqual(['once'])
  })

  it('takes the same request for the same, whatever its white space, order and unknown members', async () => {
    const ada = await signUp()
    const headers = { ...key(), 'Content-Type': 'application/json' }
    const made = await ada.request('POST', '/files', {
      headers,
      body: '{"name":"once","asset_type":"folder"}',
    })
    const other = '{ "colour": 1, "asset_type": "folder",\n "name": "once" }'
    expect(idOf(await ada.request('POST', '/files', { headers, body: other }))).toBe(idOf(made))
  })

  it('is each caller’s own', async () => {
    const [ada, bob] = [await signUp('ada'), await signUp('bob')]
    const headers = key()
    const [one, two] = [await ada.createFolder(folder, headers), await bob.createFolder(folder, headers)]
    expect(idOf(one)).not.toBe(idOf(two))
    expect(two.body).toMatchObject({ owner_id: bob.id })
  })

  it('stays free when the request was refused', async () => {
    const ada = await signUp()
    const parent = await ada.folder('parent')
    const headers = key()
    await ada.delete(parent)
    const refused = await ada.createFolder({ ...folder, parent_id: parent.id }, headers)
    expect(refused).toBeProblem(404, 'FILE_PARENT_NOT_FOUND')
    expect((await ada.createFolder(folder, headers)).status).toBe(201)
  })

  it('answers not-found when the thing has gone since, and makes no other', async () => {
    const ada = await signUp()
    const [forFolder, forUpload] = [key(), key()]
    await ada.delete(idOf(await ada.createFolder(folder, forFolder)))
    expect(await ada.createFolder(folder, forFolder)).toBeProblem(404, 'FILE_NOT_FOUND')
    await ada.abort(idOf(await ada.startUpload(upload, forUpload)))
    expect(await ada.startUpload(upload, forUpload)).toBeProblem(404, 'UPLOAD_NOT_FOUND')
    expect(await ada.names()).toEqual([])
  })

  it('answers for the first thing even when its parent has gone since', async () => {
    const ada = await signUp()
    const parent = await ada.folder('parent')
    const headers = key()
    const made = await ada.createFolder({ ...folder, parent_id: parent.id }, headers)
    await ada.move(idOf(made), { into: null })
    await ada.delete(parent)
    expect(idOf(await ada.createFolder({ ...folder, parent_id: parent.id }, headers))).toBe(idOf(made))
  })

  it('is forgotten after 24 hours', async () => {
    const ada = await signUpCreator()
    const [source, file] = [await ada.asset(), await ada.content('a', 'x')]
    const share = { grantee_id: newUserId(), permission: 'view' }
    // Each with what makes room for another one.
    const creations: [
      (headers: Record<string, string>) => Promise<Answer>,
      ((id: string) => Promise<Answer>)?,
    ][] = [
      [(headers) => ada.createFolder(folder, headers)],
      [(headers) => ada.createContent('x', { name: 'once' }, headers)],
      [(headers) => ada.startUpload(upload, headers)],
      [(headers) => ada.createAsset({ name: 'once', type: 'world' }, headers), (id) => ada.deleteAsset(id)],
      [(headers) => ada.branch(source, { name: 'branch' }, headers), (id) => ada.deleteAsset(id)],
      [(headers) => ada.rollBack(source, { from_version: 1 }, headers)],
      [(headers) => ada.createShare(file, share, headers), (id) => ada.revoke(id)],
    ]
    const age = 'UPDATE idempotency SET created_at = created_at - ? WHERE caller_id = ?'
    for (const [create, makeRoom] of creations) {
      const headers = key()
      const place = async () => {
        const answer = await create(headers)
        expect(answer.status, answer.text).toBe(201)
        return answer.headers.get('Location') ?? idOf(answer)
      }
      const made = await place()
      await homeOf(ada.id).prepare(age).bind(86_390, ada.id).run()
      expect(await place()).toBe(made)
      await homeOf(ada.id).prepare(age).bind(10, ada.id).run()
      await makeRoom?.(made.split('/').at(-1) ?? '')
      expect(await place()).not.toBe(made)
    }
  })

  it('has 1 to 255 characters', async () => {
    const ada = await signUp()
    expect((await ada.createFolder(folder, key('k'.repeat(255)))).status).toBe(201)
    for (const bad of ['', 'k'.repeat(256)])
      expect(await ada.createFolder(folder, key(bad))).toBeProblem(
        400,
        'VALIDATION_FAILED',
        '/idempotency-key',
      )
  })
})

describe('ETag and If-Match', () => {
  it('change with every change to the record', async () => {
    const ada = await signUp()
    const folder = await ada.folder()
    const tags = [(await ada.get(`/files/${folder.id}`)).headers.get('ETag')]
    for (const change of [{ name: 'b' }, { is_public: true }, { parent_id: null }]) {
      const answer = await ada.change(folder, change)
      tags.push(answer.headers.get('ETag'))
      expect((await ada.get(`/files/${folder.id}`)).headers.get('ETag')).toBe(answer.headers.get('ETag'))
    }
    expect(new Set(tags).size).toBe(4)
    for (const tag of tags) expect(tag).toMatch(/^"[^"]+"$/)
  })

  it('refuse a change and a deletion when someone else was faster, and let the present one through', async () => {
    const ada = await signUp()
    const folder = await ada.folder()
    const old = (await ada.get(`/files/${folder.id}`)).headers.get('ETag') ?? ''
    const current = (await ada.change(folder, { name: 'faster' })).headers.get('ETag') ?? ''
    expect(await ada.change(folder, { name: 'slower' }, { 'If-Match': old })).toBeProblem(
      412,
      'PRECONDITION_FAILED',
    )
    expect(await ada.delete(folder, { 'If-Match': old })).toBeProblem(412, 'PRECONDITION_FAILED')
    const through = await ada.change(folder, { name: 'next' }, { 'If-Match': `"other", ${current}` })
    expect(through.body).toMatchObject({ name: 'next' })
    expect((await ada.delete(folder, { 'If-Match': through.headers.get('ETag') ?? '' })).status).toBe(204)
  })

  it('take a tag that only counts to the same number for another', async () => {
    const ada = await signUp()
    const folder = await ada.folder()
    const tag = (await ada.get(`/files/${folder.id}`)).headers.get('ETag') ?? ''
    for (const other of [`"0${tag.slice(1)}`, '"0"', `"+${tag.slice(1)}`])
      expect(await ada.change(folder, { name: 'b' }, { 'If-Match': other })).toBeProblem(
        412,
        'PRECONDITION_FAILED',
      )
    expect((await ada.change(folder, { name: 'b' }, { 'If-Match': tag })).status).toBe(200)
  })

  it('take a tag that compression has weakened for the one that was issued', async () => {
    const ada = await signUp()
    const folder = await ada.folder()
    const old = (await ada.get(`/files/${folder.id}`)).headers.get('ETag')
    const changed = await ada.change(folder, { name: 'b' }, { 'If-Match': `W/${old}` })
    expect(changed.body).toMatchObject({ name: 'b' })
    expect(await ada.change(folder, { name: 'c' }, { 'If-Match': `W/${old}` })).toBeProblem(
      412,
      'PRECONDITION_FAILED',
    )
    const file = await ada.file('a', 'a')
    const tag = (await ada.get(`/files/${file.id}`)).headers.get('ETag')
    const content = { upload_type: 'file', file_id: file.id, size_bytes: 1, mime_type: 'text/plain' }
    expect((await ada.startUpload(content, { 'If-Match': `W/${tag}` })).status).toBe(201)
  })

  it('come with no-transform, so that nothing on the way compresses the answer and weakens the tag', async () => {
    const ada = await signUp()
    const folder = await ada.folder()
    const read = await ada.get(`/files/${folder.id}`)
    const changed = await ada.change(folder, { name: 'b' })
    await ada.delete(folder)
    const restored = await ada.restore(folder)
    for (const { headers } of [read, changed, restored]) {
      expect(headers.get('ETag')).toMatch(/^"/)
      expect(headers.get('Cache-Control')).toBe('no-store, no-transform')
    }
  })

  it('take a list of 20 tags, and refuse one of 21', async () => {
    const ada = await signUp()
    const folder = await ada.folder()
    const tag = (await ada.get(`/files/${folder.id}`)).headers.get('ETag') ?? ''
    const others = (count: number) => Array.from({ length: count }, (_, at) => `"other-${at}"`)
    const tooLong = { 'If-Match': [...others(20), tag].join(', ') }
    expect(await ada.change(folder, { name: 'b' }, tooLong)).toBeProblem(
      400,
      'VALIDATION_FAILED',
      '/if-match',
    )
    const longest = { 'If-Match': [...others(19), tag].join(', ') }
    expect((await ada.change(folder, { name: 'b' }, longest)).status).toBe(200)
  })

  it('keep with an upload only the tags that were issued, each once', async () => {
    const ada = await signUp()
    const file = await ada.file('a', 'a')
    const tag = (await ada.get(`/files/${file.id}`)).headers.get('ETag')
    const content = { upload_type: 'file', file_id: file.id, size_bytes: 1, mime_type: 'text/plain' }
    const header = [tag, `W/${tag}`, `"${'x'.repeat(1_000)}"`, tag].join(', ')
    const started = await ada.startUpload(content, { 'If-Match': header })
    const { id } = made(Upload, started, 201)
    const kept = await databaseOf(id)
      .prepare('SELECT expected_revisions FROM uploads WHERE id = ?')
      .bind(id)
      .first()
    expect(kept).toEqual({ expected_revisions: `[${tag?.replaceAll('"', '')}]` })
  })

  it('take * for any', async () => {
    const ada = await signUp()
    const folder = await ada.folder()
    expect((await ada.change(folder, { name: 'b' }, { 'If-Match': '*' })).status).toBe(200)
    expect(await ada.change('nobody', { name: 'c' }, { 'If-Match': '*' })).toBeProblem(404, 'FILE_NOT_FOUND')
  })

  it('are refused when they are no entity tags', async () => {
    const ada = await signUp()
    const folder = await ada.folder()
    for (const tag of ['3', '"3', '"1" "2"', "'1'"])
      expect(await ada.change(folder, { name: 'b' }, { 'If-Match': tag })).toBeProblem(
        400,
        'VALIDATION_FAILED',
        '/if-match',
      )
  })
})
