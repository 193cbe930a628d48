import { env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { bytes } from '../support/content.ts'
import { meter } from '../support/meter.ts'
import { gif, png } from '../support/pictures.ts'
import { serviceWith } from '../support/service.ts'
import { signUp, type User } from '../support/user.ts'

const MAX = 1_000
const small = serviceWith({ MAX_INLINE_BYTES: String(MAX), DEFAULT_QUOTA_BYTES: '1500' })
const keys = async () => (await env.BUCKET.list()).objects.length
const digestOf = async (text: string) => {
  const digest = await crypto.subtle.digest('SHA-256', bytes(text))
  return btoa(String.fromCharCode(...new Uint8Array(digest)))
}

/** Both ways to send content: to a new file, and to a file that is there. */
const ways = {
  'POST /v1/files/content':
    (user: User) =>
    async (content: BodyInit, headers: Record<string, string> = {}) =>
      user.createContent(content, { name: 'a' }, headers),
  'PUT /v1/files/{id}/content':
    (user: User) =>
    async (content: BodyInit, headers: Record<string, string> = {}) => {
      const { id } = await user.content('a', 'x')
      return user.replaceContent(id, content, headers)
    },
}

describe.each(Object.entries(ways))('%s', (_, way) => {
  it('takes MAX_INLINE_BYTES and not one more, whether the length is known or not', async () => {
    const ada = await signUp('ada', small)
    expect(await way(ada)('x'.repeat(MAX + 1))).toBeProblem(413, 'BODY_TOO_LARGE')
    const stream = new Blob(['x'.repeat(MAX + 1)]).stream()
    expect(await way(ada)(stream)).toBeProblem(413, 'BODY_TOO_LARGE')
    expect((await way(ada)('x'.repeat(MAX))).body).toMatchObject({ size_bytes: MAX })
  })

  it('takes no content at all, as a file of 0 bytes', async () => {
    const ada = await signUp()
    expect((await way(ada)('')).body).toMatchObject({ size_bytes: 0, processing_state: 'ready' })
  })

  it('needs a Content-Type, and keeps it in lower case without its parameters', async () => {
    const ada = await signUp()
    expect((await way(ada)('x', { 'Content-Type': 'Text/CSV; charset=utf-8' })).body).toMatchObject({
      mime_type: 'text/csv',
    })
    const { id } = await ada.content('a', 'x')
    const body = bytes('x') // A Request adds no type to bytes.
    for (const answer of [
      await ada.request('POST', '/files/content?name=a', { body }),
      await ada.request('PUT', `/files/${id}/content`, { body }),
    ])
      expect(answer).toBeProblem(415, 'UNSUPPORTED_MEDIA_TYPE')
    for (const type of ['text', '*/*', 'text/', ';', 'text/plain/x'])
      expect(await way(ada)('x', { 'Content-Type': type }), type).toBeProblem(415, 'UNSUPPORTED_MEDIA_TYPE')
  })

  it('checks the SHA-256 of Content-Digest, and ignores other algorithms', async () => {
    const ada = await signUp()
    const right = `sha-256=:${await digestOf('content')}:`
    const wrong = `sha-256=:${await digestOf('other')}:`
    for (const digest of [right, `sha-512=:YWJj:, ${right}`, `${wrong},${right}`, 'unixsum=:YQ==:'])
      expect((await way(ada)('content', { 'Content-Digest': digest })).status, digest).toBeLessThan(300)
    expect(await way(ada)('content', { 'Content-Digest': wrong })).toBeProblem(422, 'UPLOAD_MISMATCH')
    for (const digest of [
      'sha-256',
      'sha-256=abc',
      'sha-256=:abc:',
      `sha-256=:${await digestOf('content')}`,
      `${right};`,
      `${right},`,
      '',
      `SHA-256=:${await digestOf('content')}:`,
      'sha-512=YWJj',
    ])
      expect(await way(ada)('content', { 'Content-Digest': digest }), digest).toBeProblem(
        400,
        'VALIDATION_FAILED',
        '/content-digest',
      )
  })
})

describe('content in one request', () => {
  it('requires a digest where uploads require a checksum', async () => {
    const strict = serviceWith({ REQUIRE_CHECKSUM: 'true' })
    const ada = await signUp('ada')
    const { id } = await ada.content('a', 'x')
    const headers = { 'Content-Digest': `sha-256=:${await digestOf('x')}:` }
    const eve = ada.through(strict)
    expect(await eve.createContent('x')).toBeProblem(400, 'VALIDATION_FAILED', '/content-digest')
    expect(await eve.replaceContent(id, 'x')).toBeProblem(400, 'VALIDATION_FAILED', '/content-digest')
    expect((await eve.replaceContent(id, 'x', headers)).status).toBe(200)
    expect((await eve.createContent('x', { name: 'a' }, headers)).status).toBe(201)
  })

  it('sends content that is checked first through uploads', async () => {
    const check = {
      CONTENT_CHECK_URL: 'https://checker.example/check',
      CONTENT_CHECK_SECRET: `whsec_${btoa('a secret of the tests, of 32 byte')}`,
    }
    const ada = await signUp()
    const { id } = await ada.content('a', 'x')
    const before = await keys()
    for (const kinds of ['file', 'text/*', 'text/plain', undefined]) {
      const checked = ada.through(serviceWith({ ...check, CONTENT_CHECK_KINDS: kinds }))
      expect(await checked.createContent('x'), kinds).toBeProblem(409, 'UPLOAD_REQUIRED')
      expect(await checked.replaceContent(id, 'x'), kinds).toBeProblem(409, 'UPLOAD_REQUIRED')
      expect(await checked.replaceContent('unknown', 'x'), kinds).toBeProblem(404, 'FILE_NOT_FOUND')
    }
    expect(await keys()).toBe(before)
    const others = ada.through(serviceWith({ ...check, CONTENT_CHECK_KINDS: 'image/*,emote' }))
    expect((await others.createContent('x')).status).toBe(201)
    expect((await others.replaceContent(id, 'x')).status).toBe(200)
  })
})

describe('POST /v1/files/content', () => {
  it('refuses names, kinds and sizes as uploads do, and puts nothing', async () => {
    const { service, of } = meter()
    const ada = await signUp('ada', service)
    const emote = (content: BodyInit, type = 'image/png') =>
      ada.createContent(content, { name: 'a', asset_type: 'emote' }, { 'Content-Type': type })
    const cost = await of(async () => {
      for (const name of ['', '..', 'a/b', ' a'])
        expect(await ada.createContent('x', { name }), name).toBeProblem(400, 'FILE_INVALID_NAME')
      expect(await ada.createContent('x', {})).toBeProblem(400, 'FILE_INVALID_NAME')
      expect(await ada.createContent('x', { name: 'a', asset_type: 'folder' })).toBeProblem(
        400,
        'VALIDATION_FAILED',
        '/asset_type',
      )
      expect(await emote('')).toBeProblem(400, 'VALIDATION_FAILED')
      expect(await emote('x', 'image/tiff')).toBeProblem(400, 'VALIDATION_FAILED', '/content-type')
      expect(await emote(gif)).toBeProblem(422, 'UPLOAD_MISMATCH')
      expect(await emote('no picture')).toBeProblem(422, 'UPLOAD_MISMATCH')
    })
    expect(cost).toEqual({ trips: 0, rows_read: 0, rows_written: 0, r2_calls: 0 })
    expect((await emote(png)).body).toMatchObject({ asset_type: 'emote', size_bytes: png.length })
    const large = (await signUp()).through(serviceWith({ MAX_INLINE_BYTES: String(2 * 1_024 ** 2) }))
    const tooLarge = new Uint8Array(1_024 ** 2 + 1)
    tooLarge.set(png)
    const query = { name: 'a', asset_type: 'emote' }
    expect(await large.createContent(tooLarge, query, { 'Content-Type': 'image/png' })).toBeProblem(
      413,
      'UPLOAD_TOO_LARGE',
    )
  })

  it('refuses a folder that is not there, is another’s, or is a file, and a quota that is full; nothing stays in R2', async () => {
    const [ada, bob] = [await signUp('ada', small), await signUp('bob', small)]
    const file = await ada.content('file', 'x')
    const bobs = await bob.folder()
    await bob.change(bobs, { is_public: true })
    const before = await keys()
    for (const parent_id of ['nobody', '', bobs.id])
      expect(await ada.createContent('x', { name: 'a', parent_id })).toBeProblem(404, 'FILE_PARENT_NOT_FOUND')
    expect(await ada.createContent('x', { name: 'a', parent_id: file.id })).toBeProblem(
      409,
      'FILE_PARENT_NOT_FOLDER',
    )
    expect((await ada.createContent('x'.repeat(900))).status).toBe(201)
    expect(await ada.createContent('x'.repeat(900))).toBeProblem(403, 'QUOTA_EXCEEDED')
    const few = ada.through(serviceWith({ MAX_ITEMS: '2' }))
    expect(await few.createContent('x')).toBeProblem(409, 'LIMIT_REACHED')
    expect(await keys()).toBe(before + 1)
  })

  it('creates once for a key; other bytes, another type, name or place are another request', async () => {
    const ada = await signUp()
    const folder = await ada.folder()
    const before = await keys()
    const headers = { 'Idempotency-Key': 'key' }
    const first = await ada.createContent('x', { name: 'a' }, headers)
    const again = await ada.createContent(
      'x',
      { name: 'a' },
      { ...headers, 'Content-Type': 'text/plain;charset=utf-8' },
    )
    expect([first.status, again.status]).toEqual([201, 201])
    expect(again.body).toEqual(first.body)
    for (const [content, query, type] of [
      ['y', { name: 'a' }, 'text/plain'],
      ['x', { name: 'a' }, 'text/csv'],
      ['x', { name: 'b' }, 'text/plain'],
      ['x', { name: 'a', parent_id: folder.id }, 'text/plain'],
      ['x', { name: 'a', asset_type: 'chat_attachment' }, 'text/plain'],
    ] as const)
      expect(await ada.createContent(content, query, { ...headers, 'Content-Type': type })).toBeProblem(
        422,
        'IDEMPOTENCY_KEY_REUSED',
      )
    expect(await keys()).toBe(before + 1)
    expect((await ada.names()).sort()).toEqual(['a', 'folder'])
    await ada.delete((first.body as { id: string }).id)
    expect(await ada.createContent('x', { name: 'a' }, headers)).toBeProblem(404, 'FILE_NOT_FOUND')
    expect(await keys()).toBe(before + 1)
  })
})

describe('PUT /v1/files/{id}/content', () => {
  it('does not find a file whose id is longer than what an object can be stored with', async () => {
    const ada = await signUp('ada')
    expect(await ada.replaceContent('x'.repeat(10_000), 'new')).toBeProblem(404, 'FILE_NOT_FOUND')
  })

  it('refuses what is not a live file of the caller’s, and what has an open first upload', async () => {
    const [ada, bob] = [await signUp(), await signUp()]
    const folder = await ada.folder()
    const file = await ada.content('a', 'x')
    const { file: pending } = await ada.upload({ size_bytes: 1 })
    const before = await keys()
    await ada.change(file, { is_public: true })
    expect(await bob.replaceContent(file, 'y')).toBeProblem(404, 'FILE_NOT_FOUND')
    expect(await ada.replaceContent(folder, 'y')).toBeProblem(409, 'FILE_IS_FOLDER')
    expect(await ada.replaceContent(pending?.id ?? '', 'y')).toBeProblem(409, 'FILE_NOT_READY')
    await ada.delete(file)
    expect(await ada.replaceContent(file, 'y')).toBeProblem(404, 'FILE_NOT_FOUND')
    await ada.restore(file)
    expect((await ada.readContent(file)).text).toBe('x')
    expect(await keys()).toBe(before)
  })

  it('keeps the kind of the file: a picture stays one', async () => {
    const ada = await signUp()
    const query = { name: 'a', asset_type: 'profile_pic' }
    const { id } = (await ada.createContent(png, query, { 'Content-Type': 'image/png' })).body as {
      id: string
    }
    expect(await ada.replaceContent(id, 'text')).toBeProblem(400, 'VALIDATION_FAILED', '/content-type')
    expect(await ada.replaceContent(id, '', { 'Content-Type': 'image/png' })).toBeProblem(
      400,
      'VALIDATION_FAILED',
    )
    expect(await ada.replaceContent(id, gif, { 'Content-Type': 'image/png' })).toBeProblem(
      422,
      'UPLOAD_MISMATCH',
    )
    expect((await ada.replaceContent(id, gif, { 'Content-Type': 'image/gif' })).body).toMatchObject({
      mime_type: 'image/gif',
      asset_type: 'profile_pic',
    })
  })

  it('is for the revision that If-Match names, like every change', async () => {
    const ada = await signUp()
    const file = await ada.content('a', 'x')
    expect((await ada.replaceContent(file, 'yy', { 'If-Match': '"1"' })).headers.get('ETag')).toBe('"2"')
    expect(await ada.replaceContent(file, 'z', { 'If-Match': '"1"' })).toBeProblem(412, 'PRECONDITION_FAILED')
    expect((await ada.replaceContent(file, 'z', { 'If-Match': '*' })).status).toBe(200)
    expect((await ada.readContent(file)).text).toBe('z')
  })

  it('counts the new size alone, at no moment both, also against a full quota', async () => {
    const ada = await signUp('ada', small)
    const file = await ada.content('a', 'x'.repeat(1_000))
    await ada.content('b', 'x'.repeat(500))
    expect((await ada.replaceContent(file, 'y'.repeat(1_000))).status).toBe(200)
    expect((await ada.replaceContent(file, 'y'.repeat(10))).status).toBe(200)
    expect((await ada.quota()).used_bytes).toBe(510)
    await ada.content('c', 'x'.repeat(900))
    const refused = await ada.replaceContent(file, 'y'.repeat(101))
    expect(refused).toBeProblem(403, 'QUOTA_EXCEEDED')
    expect(refused.body).toMatchObject({ used_bytes: 1_410, limit_bytes: 1_500, needed_bytes: 91 })
    expect((await ada.readContent(file)).text).toBe('y'.repeat(10))
  })

  it('gives content to a file whose upload has failed', async () => {
    const ada = await signUp()
    const upload = await ada.upload({ size_bytes: 3 })
    await env.BUCKET.put(upload.id, 'longer')
    expect(await ada.complete(upload)).toBeProblem(422, 'UPLOAD_MISMATCH')
    const id = upload.file?.id ?? ''
    expect((await ada.replaceContent(id, 'fresh')).body).toMatchObject({
      processing_state: 'ready',
      size_bytes: 5,
    })
    expect((await ada.abort(upload)).status).toBe(204)
    expect((await ada.readContent(id)).text).toBe('fresh')
    expect((await ada.quota()).used_bytes).toBe(5)
  })

  it('leaves an upload that replaces the content open; its URLs to the earlier content stay valid', async () => {
    const ada = await signUp()
    const file = await ada.content('a', 'first')
    const { url } = (await ada.get(`/files/${file.id}/url`)).body as { url: string }
    const upload = await ada.upload({ file_id: file.id, size_bytes: 6, name: undefined })
    expect((await ada.replaceContent(file, 'second')).status).toBe(200)
    expect(await (await ada.fetchSigned(url)).text()).toBe('first')
    await env.S3.fetch(upload.url ?? '', { method: 'PUT', body: 'third!', headers: upload.headers })
    expect((await ada.complete(upload)).status).toBe(200)
    expect((await ada.readContent(file)).text).toBe('third!')
    expect((await ada.quota()).used_bytes).toBe(6)
  })
})
