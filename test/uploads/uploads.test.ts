import { env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { arrive, bytes } from '../support/content.ts'
import { contextOf } from '../support/context.ts'
import { databaseOf, homeOf } from '../support/databases.ts'
import { expectSound } from '../support/invariants.ts'
import { overridden } from '../support/meter.ts'
import { gif, jpeg, png, webp } from '../support/pictures.ts'
import { fileRecord, type Upload } from '../support/records.ts'
import { origin, serviceWith } from '../support/service.ts'
import { put, signUp, type User } from '../support/user.ts'

const MIB = 1024 ** 2
const GIB = 1024 ** 3
const text = { name: 'a.txt', size_bytes: 5, mime_type: 'text/plain' }
const declared = { upload_type: 'file', ...text }
const now = () => Math.floor(Date.now() / 1000)

/** Bytes and uploads that the user's account counts. */
async function usage(user: User) {
  return homeOf(user.id)
    .prepare('SELECT used_bytes, items, open_uploads FROM usage WHERE user_id = ?')
    .bind(user.id)
    .first()
}

/** The state of the file that an upload fills, as its owner sees it. */
async function stateOf(user: User, { file }: Upload) {
  return (await user.read(file?.id ?? '')).file.processing_state
}

const isGarbage = async ({ id }: Upload) =>
  (await databaseOf(id).prepare('SELECT object_key FROM garbage WHERE object_key = ?').bind(id).first()) !==
  null

describe('POST /v1/uploads', () => {
  it('makes a pending file, reserves its bytes, and says how to send the content', {
    tags: 'runtime',
  }, async () => {
    const ada = await signUp()
    const folder = await ada.folder()
    const answer = await ada.startUpload({ ...declared, parent_id: folder.id })
    expect(answer.status).toBe(201)
    const upload = answer.body as Upload
    expect(upload).toEqual({
      id: expect.any(String),
      upload_type: 'file',
      state: 'open',
      size_bytes: 5,
      expires_at: expect.any(Number),
      method: 'PUT',
      url: expect.stringContaining(`${origin}/cdn-cgi/local/r2/s3/edge-game-storage/${upload.id}?`),
      url_expires_at: expect.any(Number),
      headers: {
        'Content-Length': '5',
        'Content-Type': 'text/plain',
        'Content-Disposition': 'inline; filename=a.txt',
        'If-None-Match': '*',
        'x-amz-meta-upload': upload.id,
        'x-amz-metadata-directive': 'COPY',
        'x-amz-copy-source-if-match': '"none"',
        'x-amz-source-expected-bucket-owner': 'none',
      },
      file: {
        ...fileRecord,
        id: expect.any(String),
        owner_id: ada.id,
        parent_id: folder.id,
        name: 'a.txt',
        asset_type: 'file',
        size_bytes: 5,
        mime_type: 'text/plain',
        processing_state: 'pending',
      },
    })
    expect(answer.headers.get('Location')).toBe(`/v1/uploads/${upload.id}`)
    expect(upload.expires_at - now() - 86_400).toBeLessThan(5)
    expect((upload.url_expires_at ?? 0) - now() - 3_600).toBeLessThan(5)
    expect(await ada.names({ parent_id: folder.id })).toEqual(['a.txt'])
    expect(await usage(ada)).toEqual({ used_bytes: 5, items: 2, open_uploads: 1 })
  })

  it('keeps the type in lower case, and takes the other types of file', async () => {
    const ada = await signUp()
    for (const asset_type of ['file', 'chat_attachment', 'profile_pic', 'emote']) {
      const upload = await ada.upload({ ...text, asset_type, mime_type: 'IMAGE/png' })
      expect(upload.file).toMatchObject({ asset_type, mime_type: 'image/png' })
    }
  })

  const invalid: [what: string, body: Record<string, unknown>, path: string][] = [
    ['no upload_type', { upload_type: undefined }, '/upload_type'],
    ['another upload_type', { upload_type: 'folder' }, '/upload_type'],
    ['a folder', { asset_type: 'folder' }, '/asset_type'],
    ['no size', { size_bytes: undefined }, '/size_bytes'],
    ['a negative size', { size_bytes: -1 }, '/size_bytes'],
    ['half a byte', { size_bytes: 0.5 }, '/size_bytes'],
    ['a size in words', { size_bytes: '5' }, '/size_bytes'],
    [
      'an empty profile_pic',
      { size_bytes: 0, asset_type: 'profile_pic', mime_type: 'image/png' },
      '/size_bytes',
    ],
    ['an empty emote', { size_bytes: 0, asset_type: 'emote', mime_type: 'image/png' }, '/size_bytes'],
    ['no type', { mime_type: undefined }, '/mime_type'],
    ['half a type', { mime_type: 'text' }, '/mime_type'],
    ['a wildcard', { mime_type: 'image/*' }, '/mime_type'],
    ['a type with parameters', { mime_type: 'text/plain; charset=utf-8' }, '/mime_type'],
    ['a type with a line feed', { mime_type: 'text/plain\nX-A: b' }, '/mime_type'],
    ['an SVG as an emote', { asset_type: 'emote', mime_type: 'image/svg+xml' }, '/mime_type'],
    ['a PDF as a profile_pic', { asset_type: 'profile_pic', mime_type: 'application/pdf' }, '/mime_type'],
    ['a checksum in hex', { checksum_sha256: 'a'.repeat(64) }, '/checksum_sha256'],
    ['a checksum of other length', { checksum_sha256: btoa('short') }, '/checksum_sha256'],
    ['a parent that is a number', { parent_id: 1 }, '/parent_id'],
  ]
  it.each(invalid)('refuses %s', async (_, body, path) => {
    const ada = await signUp()
    expect(await ada.startUpload({ ...declared, ...body })).toBeProblem(400, 'VALIDATION_FAILED', path)
    expect(await ada.names()).toEqual([])
    expect(await usage(ada)).toBeNull()
  })

  it.each([
    ['file', 5 * GIB],
    ['chat_attachment', 5 * GIB],
    ['profile_pic', 10 * MIB],
    ['emote', MIB],
  ])(
    'takes a %s of %i bytes, and refuses one more before it looks at the quota',
    async (asset_type, largest) => {
      const ada = await signUp()
      const body = { ...declared, asset_type, mime_type: 'image/png' }
      const answer = await ada.startUpload({ ...body, size_bytes: largest + 1 })
      expect(answer).toBeProblem(413, 'UPLOAD_TOO_LARGE')
      expect((await ada.startUpload({ ...body, size_bytes: largest })).status).toBe(201)
      expect(await ada.startUpload({ ...body, size_bytes: 6 * GIB })).toBeProblem(413, 'UPLOAD_TOO_LARGE')
    },
  )

  it('lets the quota be used up to its last byte, and refuses one more', async () => {
    const ada = await signUp()
    await ada.upload({ size_bytes: 5 * GIB - 5 * MIB })
    const last = await ada.upload({ size_bytes: 5 * MIB })
    expect(await ada.startUpload({ ...declared, size_bytes: 1 })).toBeProblem(403, 'QUOTA_EXCEEDED')
    expect((await ada.startUpload({ ...declared, size_bytes: 0 })).status).toBe(201)
    await ada.abort(last)
    expect((await ada.startUpload({ ...declared, size_bytes: 5 * MIB })).status).toBe(201)
    await expectSound(ada.id)
  })

  it('refuses more open uploads than allowed, and counts one no more that has ended', async () => {
    const ada = await signUp('ada', serviceWith({ MAX_OPEN_UPLOADS: '2' }))
    const [first] = [await ada.upload(text), await ada.upload(text)]
    expect(await ada.startUpload(declared)).toBeProblem(409, 'LIMIT_REACHED', '"limit":"open_uploads"')
    await put(first, bytes('hello'))
    await ada.complete(first)
    expect((await ada.startUpload(declared)).status).toBe(201)
  })

  it('refuses a parent that is not there, not theirs, in the trash, or a file', async () => {
    const [ada, bob] = [await signUp('ada'), await signUp('bob')]
    const file = await ada.file('a', 'a')
    const trashed = await ada.folder()
    await ada.delete(trashed)
    for (const parent_id of ['nobody', (await bob.folder()).id, trashed.id])
      expect(await ada.startUpload({ ...declared, parent_id })).toBeProblem(404, 'FILE_PARENT_NOT_FOUND')
    const inFile = await ada.startUpload({ ...declared, parent_id: file.id })
    expect(inFile).toBeProblem(409, 'FILE_PARENT_NOT_FOLDER')
    expect(await usage(ada)).toMatchObject({ open_uploads: 0 })
  })
})

describe('the signed URL', () => {
  it('takes the content once', async () => {
    const ada = await signUp()
    const upload = await ada.upload(text)
    expect((await put(upload, bytes('hello'))).status).toBe(200)
    expect((await put(upload, bytes('other'))).status).toBe(412)
    expect((await ada.complete(upload)).status).toBe(200)
    expect((await put(upload, bytes('other'))).status).toBe(412)
    expect(await (await ada.download(upload.file ?? '')).text()).toBe('hello')
  })

  it('gives one of many senders the object', async () => {
    const ada = await signUp()
    const upload = await ada.upload(text)
    const sent = await Promise.all(Array.from({ length: 10 }, (_, i) => put(upload, bytes(`hell${i}`))))
    expect(sent.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(412)])
  })

  it('refuses another length, another type, a missing header, another object, another method', async () => {
    const ada = await signUp()
    const [upload, other] = [await ada.upload(text), await ada.upload(text)]
    const url = upload.url ?? ''
    const without = (name: string) =>
      Object.fromEntries(Object.entries(upload.headers ?? {}).filter(([header]) => header !== name))
    const send = (to: string, body: string, headers: Record<string, string>, method = 'PUT') =>
      env.S3.fetch(to, { method, body: method === 'GET' ? undefined : bytes(body), headers })
    const tampered = [
      send(url, 'hello!', { ...upload.headers, 'Content-Length': '6' }),
      send(url, 'hello', { ...upload.headers, 'Content-Type': 'text/html' }),
      send(url, 'hello', { ...upload.headers, 'Content-Disposition': 'inline; filename=b.html' }),
      send(url, 'hello', without('If-None-Match')),
      send(url, 'hello', without('Content-Type')),
      send(url.replace(upload.id, other.id), 'hello', upload.headers ?? {}),
      send(url.replace('X-Amz-Expires=3600', 'X-Amz-Expires=36000'), 'hello', upload.headers ?? {}),
      send(url.replace(/X-Amz-Signature=./, 'X-Amz-Signature=0f'), 'hello', upload.headers ?? {}),
      send(url, '', {}, 'GET'),
      send(url, '', {}, 'DELETE'),
    ]
    for (const answer of await Promise.all(tampered)) expect(answer.status).toBe(403)
    expect(await ada.complete(upload)).toBeProblem(409, 'UPLOAD_INCOMPLETE')
  })

  it('is refused when it has expired', async () => {
    const ada = await signUp()
    const upload = await ada.upload(text)
    const { sign } = contextOf('whoever has the keys of the bucket')
    const expired = await sign.upload(upload.id, upload.headers ?? {}, now() - 3_601, 3_600)
    expect((await put({ ...upload, url: expired.url }, bytes('hello'))).status).toBe(403)
    const valid = await sign.upload(upload.id, upload.headers ?? {}, now() - 3_000, 3_600)
    expect((await put({ ...upload, url: valid.url }, bytes('hello'))).status).toBe(200)
  })
})

describe('GET /v1/uploads/{id}', () => {
  it('signs a new URL while the upload is open, and none when it has ended', async () => {
    const ada = await signUp()
    const upload = await ada.upload(text)
    const again = await ada.get(`/uploads/${upload.id}`)
    const { url, url_expires_at, ...rest } = again.body as Upload
    expect({ ...rest, url: upload.url, url_expires_at: upload.url_expires_at }).toEqual(upload)
    expect((await put({ ...upload, url }, bytes('hello'))).status).toBe(200)
    await ada.complete(upload)
    const { method, url: _, url_expires_at: __, headers, ...ended } = upload
    expect((await ada.get(`/uploads/${upload.id}`)).body).toEqual({
      ...ended,
      state: 'completed',
      file: { ...ended.file, processing_state: 'ready', updated_at: expect.any(Number) },
    })
  })

  it('never signs past the end of the upload', async () => {
    const ada = await signUp('ada', serviceWith({ UPLOAD_TTL: '100' }))
    const upload = await ada.upload(text)
    expect(upload.url_expires_at).toBe(upload.expires_at)
    expect(upload.expires_at - now()).toBeLessThanOrEqual(100)
  })
})

describe('POST /v1/uploads/{id}/complete', () => {
  it('makes the content the file’s, and moves its bytes from the reservation to the file', async () => {
    const ada = await signUp()
    const upload = await ada.upload(text)
    await put(upload, bytes('hello'))
    const { body, status } = await ada.complete(upload)
    expect(status).toBe(200)
    const { method, url, url_expires_at, headers, ...ended } = upload
    const file = { ...upload.file, processing_state: 'ready', updated_at: expect.any(Number) }
    expect(body).toEqual({ upload: { ...ended, state: 'completed', file }, file })
    expect(await usage(ada)).toEqual({ used_bytes: 5, items: 1, open_uploads: 0 })
    expect(await (await ada.download(upload.file ?? '')).text()).toBe('hello')
    await expectSound(ada.id)
  })

  it('shows the file as processing while its content is looked at', async () => {
    const ada = await signUp()
    const upload = await ada.upload(text)
    await put(upload, bytes('hello'))
    const [looking, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const head = async (key: string) => {
      looking.resolve()
      await goOn.promise
      return env.BUCKET.head(key)
    }
    const slowly = ada.through(serviceWith({ BUCKET: overridden(env.BUCKET, { head }) }))
    const completing = slowly.complete(upload)
    await looking.promise
    expect(await stateOf(ada, upload)).toBe('processing')
    goOn.resolve()
    expect((await completing).status).toBe(200)
    expect(await stateOf(ada, upload)).toBe('ready')
  })

  it('gives the same answer again, with a body, without, or with members that it does not know', async () => {
    const ada = await signUp()
    const upload = await ada.upload(text)
    await put(upload, bytes('hello'))
    const first = await ada.complete(upload)
    for (const json of [undefined, {}, { colour: 'red' }])
      expect((await ada.request('POST', `/uploads/${upload.id}/complete`, { json })).body).toEqual(first.body)
    const empty = { headers: { 'Content-Type': 'application/json' } }
    expect((await ada.request('POST', `/uploads/${upload.id}/complete`, empty)).body).toEqual(first.body)
  })

  it('takes an empty file', async () => {
    const ada = await signUp()
    const file = await ada.file('empty', '')
    expect(file).toMatchObject({ size_bytes: 0, processing_state: 'ready' })
    expect(await (await ada.download(file)).text()).toBe('')
  })

  it('stays open while nothing has been sent', async () => {
    const ada = await signUp()
    const upload = await ada.upload(text)
    for (let i = 0; i < 2; i++) expect(await ada.complete(upload)).toBeProblem(409, 'UPLOAD_INCOMPLETE')
    expect(await stateOf(ada, upload)).toBe('pending')
    expect((await ada.get(`/uploads/${upload.id}`)).body).toMatchObject({ state: 'open' })
    await put(upload, bytes('hello'))
    expect((await ada.complete(upload)).status).toBe(200)
  })

  const picture = { asset_type: 'profile_pic', mime_type: 'image/png', size_bytes: png.length }
  const mismatches: [
    what: string,
    upload: Record<string, unknown>,
    body: Uint8Array,
    type: string,
    why: string,
  ][] = [
    ['fewer bytes', text, bytes('hell'), 'text/plain', '5 bytes were declared, 4 arrived'],
    ['more bytes', text, bytes('hello!'), 'text/plain', '5 bytes were declared, 6 arrived'],
    ['another type', text, bytes('hello'), 'text/html', 'text/plain was declared, text/html arrived'],
    ['text as a PNG', picture, new Uint8Array(png.length).fill(0x20), 'image/png', 'no known picture format'],
    ['a GIF as a PNG', { ...picture, size_bytes: gif.length }, gif, 'image/png', 'are of image/gif'],
    [
      'a wrong checksum',
      { ...text, checksum_sha256: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=' },
      bytes('hello'),
      'text/plain',
      'LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=',
    ],
  ]
  it.each(mismatches)(
    'ends the upload as failed for %s, and leaves nothing counted or stored',
    async (_, declared, body, type, why) => {
      const ada = await signUp()
      const upload = await ada.upload(declared)
      await arrive(upload.id, body, type)
      for (let i = 0; i < 2; i++) expect(await ada.complete(upload)).toBeProblem(422, 'UPLOAD_MISMATCH', why)
      expect(await stateOf(ada, upload)).toBe('failed')
      expect((await ada.get(`/uploads/${upload.id}`)).body).toMatchObject({ state: 'failed' })
      expect(await ada.get(`/files/${upload.file?.id}/url`)).toBeProblem(409, 'FILE_NOT_READY')
      expect(await usage(ada)).toEqual({ used_bytes: 0, items: 1, open_uploads: 0 })
      expect(await env.BUCKET.head(upload.id)).toBeNull()
      expect(await isGarbage(upload), 'what a late PUT leaves is found by the job').toBe(true)
      await expectSound(ada.id)
    },
  )

  const formats: [format: string, picture: Uint8Array][] = [
    ['image/png', png],
    ['image/gif', gif],
    ['image/webp', webp],
    ['image/jpeg', jpeg],
  ]
  it.each(formats)(
    'takes a profile_pic and an emote that are what they say: %s',
    async (mime_type, content) => {
      const ada = await signUp()
      for (const asset_type of ['profile_pic', 'emote']) {
        const file = await ada.file('picture', content, { asset_type, mime_type })
        expect(file).toMatchObject({ asset_type, mime_type, processing_state: 'ready' })
      }
    },
  )

  it('takes content whose checksum is the declared one, whether R2 kept it or not', async () => {
    const ada = await signUp()
    const checksum_sha256 = 'LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ='
    const upload = await ada.upload({ ...text, checksum_sha256 })
    expect(upload.headers).toMatchObject({ 'x-amz-checksum-sha256': checksum_sha256 })
    await put(upload, bytes('hello'))
    expect((await env.BUCKET.head(upload.id))?.checksums.sha256, 'the simulator keeps none').toBeUndefined()
    expect((await ada.complete(upload)).status).toBe(200)

    const kept = await ada.upload({ ...text, checksum_sha256 })
    const sha256 = Uint8Array.from(atob(checksum_sha256), (c) => c.charCodeAt(0))
    await arrive(kept.id, 'hello', 'text/plain', { sha256 })
    expect((await ada.complete(kept)).status).toBe(200)
  })

  it('is refused after the upload has expired, also when the content is there', async () => {
    const ada = await signUp()
    const upload = await ada.upload(text)
    await put(upload, bytes('hello'))
    await databaseOf(upload.id)
      .prepare('UPDATE uploads SET expires_at = ? WHERE id = ?')
      .bind(now(), upload.id)
      .run()
    for (const answer of [await ada.complete(upload), await ada.get(`/uploads/${upload.id}`)])
      expect(answer).toBeProblem(409, 'UPLOAD_EXPIRED')
    expect(await stateOf(ada, upload)).toBe('pending')
    expect((await ada.abort(upload)).status).toBe(204)
    expect(await usage(ada)).toEqual({ used_bytes: 0, items: 0, open_uploads: 0 })
  })

  it('works while the file is in the trash, and leaves it there', async () => {
    const ada = await signUp()
    const folder = await ada.folder()
    const upload = await ada.upload({ ...text, parent_id: folder.id })
    await ada.delete(folder)
    await put(upload, bytes('hello'))
    const { status, body } = await ada.complete(upload)
    expect(status).toBe(200)
    expect(body).toMatchObject({ file: { processing_state: 'ready' } })
    expect(await ada.get(`/files/${upload.file?.id}`)).toBeProblem(404, 'FILE_NOT_FOUND')
    expect(await usage(ada)).toMatchObject({ used_bytes: 5 })
  })

  it('keeps what was changed about the file in the meantime', async () => {
    const ada = await signUp()
    const upload = await ada.upload(text)
    const tag = (await ada.get(`/files/${upload.file?.id}`)).headers.get('ETag')
    await ada.change(upload.file ?? '', { name: 'renamed', is_public: true })
    await put(upload, bytes('hello'))
    expect((await ada.complete(upload)).body).toMatchObject({ file: { name: 'renamed', is_public: true } })
    expect((await ada.get(`/files/${upload.file?.id}`)).headers.get('ETag')).not.toBe(tag)
  })
})

describe('DELETE /v1/uploads/{id}', () => {
  it('leaves no trace of the upload, its file or its content', async () => {
    const ada = await signUp()
    const upload = await ada.upload(text)
    await put(upload, bytes('hello'))
    expect((await ada.abort(upload)).status).toBe(204)
    for (const answer of [
      await ada.get(`/uploads/${upload.id}`),
      await ada.complete(upload),
      await ada.abort(upload),
    ])
      expect(answer).toBeProblem(404, 'UPLOAD_NOT_FOUND')
    expect(await ada.get(`/files/${upload.file?.id}`)).toBeProblem(404, 'FILE_NOT_FOUND')
    expect(await usage(ada)).toEqual({ used_bytes: 0, items: 0, open_uploads: 0 })
    expect(await env.BUCKET.head(upload.id)).toBeNull()
    await expectSound(ada.id)
  })

  it('keeps the key as garbage, so that a PUT that comes late leaves nothing for good', async () => {
    const ada = await signUp()
    const upload = await ada.upload(text)
    await ada.abort(upload)
    expect((await put(upload, bytes('hello'))).status).toBe(200)
    expect(await isGarbage(upload)).toBe(true)
    expect(await ada.complete(upload)).toBeProblem(404, 'UPLOAD_NOT_FOUND')
  })

  it('is refused after completion, and changes nothing', async () => {
    const ada = await signUp()
    const file = await ada.file('a', 'hello')
    const upload = await databaseOf(file.id)
      .prepare('SELECT id FROM uploads WHERE file_id = ?')
      .bind(file.id)
      .first<string>('id')
    expect(await ada.abort(upload ?? '')).toBeProblem(409, 'UPLOAD_COMPLETED')
    expect(await (await ada.download(file)).text()).toBe('hello')
  })

  it('clears a failed upload away, with the file that it could not fill', async () => {
    const ada = await signUp()
    const upload = await ada.upload(text)
    await env.BUCKET.put(upload.id, 'x')
    expect(await ada.complete(upload)).toBeProblem(422, 'UPLOAD_MISMATCH')
    expect((await ada.abort(upload)).status).toBe(204)
    expect(await ada.names()).toEqual([])
    await expectSound(ada.id)
  })
})
