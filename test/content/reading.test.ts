import { env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { everywhere } from '../support/databases.ts'
import { overridden } from '../support/meter.ts'
import { origin, service, serviceWith } from '../support/service.ts'
import { operator, signUp } from '../support/user.ts'

describe('GET /v1/files/{id}/content', () => {
  it('is for the owner and for readers of what is public; others see no file', async () => {
    const [ada, bob, cara] = [await signUp(), await signUp(), await signUp()]
    const folder = await ada.folder()
    const { id } = (await ada.createContent('x', { name: 'a', parent_id: folder.id })).body as { id: string }
    await ada.share(id, cara)
    for (const user of [bob, cara]) expect(await user.readContent(id)).toBeProblem(404, 'FILE_NOT_FOUND')
    await ada.change(folder, { is_public: true })
    expect((await bob.readContent(id)).text).toBe('x')
    const moderator = await operator('content:moderate')
    await moderator.request('PUT', `/files/${folder.id}/block`)
    expect(await bob.readContent(id)).toBeProblem(404, 'FILE_NOT_FOUND')
    expect((await ada.readContent(id)).text).toBe('x')
    await ada.delete(folder)
    expect(await ada.readContent(id)).toBeProblem(404, 'FILE_NOT_FOUND')
  })

  it('says 304 to whoever has the content, and to nobody who may not read it', async () => {
    const [ada, bob] = [await signUp(), await signUp()]
    const file = await ada.content('a', 'x')
    for (const known of ['"1"', 'W/"1"', '"7", "1"', '*']) {
      const answer = await ada.readContent(file, { 'If-None-Match': known })
      expect([answer.status, answer.text, answer.headers.get('ETag')], known).toEqual([304, '', '"1"'])
      expect(await bob.readContent(file, { 'If-None-Match': known })).toBeProblem(404, 'FILE_NOT_FOUND')
    }
    for (const other of ['"2"', '"01"', '"x"'])
      expect((await ada.readContent(file, { 'If-None-Match': other })).text, other).toBe('x')
    for (const wrong of ['1', Array.from({ length: 21 }, (_, at) => `"${at}"`).join()])
      expect(await ada.readContent(file, { 'If-None-Match': wrong }), wrong).toBeProblem(
        400,
        'VALIDATION_FAILED',
        '/if-none-match',
      )
    await ada.replaceContent(file, 'y')
    const changed = await ada.readContent(file, { 'If-None-Match': '"1"' })
    expect([changed.text, changed.headers.get('ETag')]).toEqual(['y', '"2"'])
  })

  it('answers HEAD as GET without the bytes, and without a call to R2', async () => {
    const ada = await signUp()
    const file = await ada.content('a.txt', 'hello')
    const none = overridden(env.BUCKET, { get: () => Promise.reject(new Error('no call is to be made')) })
    const url = `${origin}/v1/files/${file.id}/content`
    const headers = { Authorization: `Bearer ${ada.token}` }
    const got = await service(new Request(url, { headers }))
    const head = await serviceWith({ BUCKET: none })(new Request(url, { method: 'HEAD', headers }))
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect(await got.text()).toBe('hello')
    for (const name of ['Content-Type', 'Content-Length', 'Content-Disposition', 'ETag', 'Cache-Control'])
      expect(head.headers.get(name), name).toBe(got.headers.get(name))
    expect(head.headers.get('Content-Length')).toBe('5')
  })

  it('is nothing that a browser runs, whatever the type is', async () => {
    const ada = await signUp()
    const script = '<script>alert(1)</script>'
    for (const type of [
      'text/html',
      'image/svg+xml',
      'application/xhtml+xml',
      'text/xml',
      'video/x+xml',
      'text/javascript',
    ]) {
      const file = await ada.content('a', script, { 'Content-Type': type })
      const { headers, text } = await ada.readContent(file)
      expect(text).toBe(script)
      expect(headers.get('Content-Type')).toBe(type)
      expect(headers.get('Content-Disposition'), type).toMatch(/^attachment/)
      expect(headers.get('X-Content-Type-Options'), type).toBe('nosniff')
      expect(headers.get('Content-Security-Policy'), type).toBe("default-src 'none'; sandbox")
      expect(headers.get('Cache-Control'), type).toBe('no-store, no-transform')
    }
  })

  it('answers what an upload has brought, too, and leaves larger content to its URL', async () => {
    const ada = await signUp()
    const file = await ada.file('a', 'x'.repeat(11), { mime_type: 'text/plain' })
    const upTo = (MAX_INLINE_BYTES: string) => ada.through(serviceWith({ MAX_INLINE_BYTES }))
    const strict = upTo('10')
    expect((await upTo('11').readContent(file)).text).toBe('x'.repeat(11))
    expect(await strict.readContent(file)).toBeProblem(409, 'CONTENT_TOO_LARGE')
    expect(await strict.readContent(file, { 'If-None-Match': '*' })).toBeProblem(409, 'CONTENT_TOO_LARGE')
    expect(await strict.readContent(await ada.folder())).toBeProblem(409, 'FILE_IS_FOLDER')
    const { file: pending } = await ada.upload({ size_bytes: 1 })
    expect(await strict.readContent(pending?.id ?? '')).toBeProblem(409, 'FILE_NOT_READY')
  })

  it('is UNAVAILABLE while R2 does not answer, and when the object is missing', async () => {
    const ada = await signUp()
    const file = await ada.content('a', 'x')
    const silent = overridden(env.BUCKET, { get: () => new Promise(() => {}) })
    const slow = ada.through(serviceWith({ BUCKET: silent, CALL_TIMEOUT_MS: '50' }))
    expect(await slow.readContent(file)).toBeProblem(503, 'UNAVAILABLE')
    const [{ object_key } = { object_key: '' }] = await everywhere<{ object_key: string }>(
      'SELECT object_key FROM files WHERE id = ?',
      file.id,
    )
    await env.BUCKET.delete(object_key)
    expect(await ada.readContent(file)).toBeProblem(503, 'UNAVAILABLE')
  })
})
