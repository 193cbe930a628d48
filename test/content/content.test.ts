import { env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { overridden } from '../support/meter.ts'
import { fileRecord } from '../support/records.ts'
import { serviceWith } from '../support/service.ts'
import { operator, signUp } from '../support/user.ts'

describe('POST /v1/files/content', () => {
  it('creates a ready file with its content in one request', async () => {
    const ada = await signUp()
    const answer = await ada.createContent(
      'hello',
      { name: 'a.txt' },
      { 'Content-Type': 'text/plain; charset=utf-8' },
    )
    expect(answer.status, answer.text).toBe(201)
    expect(answer.body).toEqual({
      ...fileRecord,
      id: expect.any(String),
      owner_id: ada.id,
      name: 'a.txt',
      asset_type: 'file',
      size_bytes: 5,
      mime_type: 'text/plain',
      processing_state: 'ready',
    })
    const { id } = answer.body as { id: string }
    expect(answer.headers.get('Location')).toBe(`/v1/files/${id}`)
    expect((await ada.read(id)).file).toEqual(answer.body)
    expect(await (await ada.download(id)).text()).toBe('hello')
    expect((await ada.readContent(id)).text).toBe('hello')
    expect((await ada.quota()).used_bytes).toBe(5)
  })

  it('stores what was sent or nothing: R2 compares the bytes that come to it', async () => {
    const put: R2Bucket['put'] = (key: string, _: unknown, options?: R2PutOptions) =>
      env.BUCKET.put(key, 'broken', options)
    const ada = (await signUp()).through(serviceWith({ BUCKET: overridden(env.BUCKET, { put }) }))
    expect(await ada.createContent('hello')).toBeProblem(503, 'UNAVAILABLE')
    expect(await ada.names()).toEqual([])
  })
})

describe('PUT /v1/files/{id}/content', () => {
  it('replaces the content, and only the new size counts', async () => {
    const ada = await signUp()
    const file = await ada.content('a.txt', 'hello')
    const answer = await ada.replaceContent(file, 'hi', { 'Content-Type': 'text/markdown' })
    expect(answer.status, answer.text).toBe(200)
    expect(answer.body).toMatchObject({
      ...file,
      size_bytes: 2,
      mime_type: 'text/markdown',
      updated_at: expect.any(Number),
    })
    expect(answer.headers.get('ETag')).toBe('"2"')
    expect((await ada.readContent(file)).text).toBe('hi')
    expect((await ada.quota()).used_bytes).toBe(2)
  })

  it('leaves a block as it is: others see neither the old content nor the new', async () => {
    const [ada, bob, moderator] = [await signUp(), await signUp(), await operator('content:moderate')]
    const file = await ada.content('a', 'first')
    await ada.change(file, { is_public: true })
    await moderator.request('PUT', `/files/${file.id}/block`)
    expect((await ada.replaceContent(file, 'second')).status).toBe(200)
    expect(await bob.readContent(file)).toBeProblem(404, 'FILE_NOT_FOUND')
    expect((await ada.readContent(file)).text).toBe('second')
    await moderator.request('DELETE', `/files/${file.id}/block`)
    expect((await bob.readContent(file)).text).toBe('second')
  })
})

describe('GET /v1/files/{id}/content', () => {
  it('answers the bytes with the type and disposition of the URL, and the record’s ETag', async () => {
    const ada = await signUp()
    const file = await ada.content('a.txt', 'hello')
    const answer = await ada.readContent(file)
    expect(answer.status).toBe(200)
    expect(answer.text).toBe('hello')
    const url = await ada.download(file)
    for (const name of ['Content-Type', 'Content-Disposition', 'Content-Length'])
      expect(answer.headers.get(name), name).toBe(url.headers.get(name))
    expect(answer.headers.get('ETag')).toBe('"1"')
    expect((await ada.readContent(file, { 'If-None-Match': '"1"' })).status).toBe(304)
  })
})
