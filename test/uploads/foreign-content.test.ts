import { env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { configuration } from '../../src/configuration.ts'
import { createSigner } from '../../src/storage/presign.ts'
import * as schema from '../../src/uploads/schema.ts'
import { foreignMetadata, signedMetadata } from '../../src/uploads/signed-headers.ts'
import { made } from '../support/answer.ts'
import { bytes } from '../support/content.ts'
import { type Creator, signUpCreator } from '../support/creator.ts'
import { databaseOf } from '../support/databases.ts'
import { expectSound } from '../support/invariants.ts'
import { origin, serviceWith } from '../support/service.ts'
import { Upload } from '../support/upload.ts'
import { operator, put, signUp, type User } from '../support/user.ts'

const SECRET = 'secret'
const OWN = 'my own'
const declared = { name: 'a.txt', size_bytes: SECRET.length, mime_type: 'text/plain' }

/** The key of an object, as it stands in every URL that leads to it. */
const keyIn = (url: unknown) => new URL(String(url)).pathname.split('/').at(-1) ?? ''
const urlIn = (answer: { body: unknown }) => keyIn((answer.body as { url: string }).url)

const sources: Record<string, (victim: Creator, thief: User) => Promise<string>> = {
  'what an expired share led to': async (victim, thief) => {
    const file = await victim.file('a.txt', SECRET, { mime_type: 'text/plain' })
    const share = await victim.share(file, thief, Math.floor(Date.now() / 1_000) + 100)
    const key = urlIn(await thief.sharedUrl(share))
    await databaseOf(share.id).prepare('UPDATE shares SET expires_at = 1 WHERE id = ?').bind(share.id).run()
    expect(await thief.sharedUrl(share)).toBeProblem(403, 'SHARE_ACCESS_DENIED')
    return key
  },
  'a private file of another user': async (victim, thief) => {
    const file = await victim.file('a.txt', SECRET, { mime_type: 'text/plain' })
    const key = urlIn(await victim.get(`/files/${file.id}/url`))
    expect(await thief.get(`/files/${file.id}/url`)).toBeProblem(404, 'FILE_NOT_FOUND')
    return key
  },
  'a blocked asset': async (victim, thief) => {
    const asset = await victim.asset('a', { visibility: 'public', mime_type: 'text/plain' }, SECRET)
    const path = `/game/assets/${asset.id}/versions/1/url`
    const key = urlIn(await thief.get(path))
    const moderator = await operator('content:moderate')
    expect((await moderator.request('PUT', `/game/assets/${asset.id}/block`)).status).toBe(204)
    expect(await thief.get(path)).toBeProblem(404, 'ASSET_NOT_FOUND')
    return key
  },
}

/** The headers of a request that copies an object of our bucket. */
const copying = (key: string) => ({ 'x-amz-copy-source': `/edge-game-storage/${key}` })

/** Sends a copy where content was to be sent. Tells what came back. */
const copy = (url: string | undefined, headers: Record<string, string> | undefined, key: string) =>
  env.S3.fetch(url ?? '', { method: 'PUT', headers: { ...headers, ...copying(key) }, body: bytes(OWN) })

/** A URL that is signed with all the headers that the service signs, but some. */
async function signedWithout(upload: Upload, ...names: string[]) {
  const { config } = configuration(env)
  if (!config) throw new Error('no configuration')
  const headers = Object.fromEntries(
    Object.entries(upload.headers ?? {}).filter(([name]) => !names.includes(name)),
  )
  const now = Math.floor(Date.now() / 1_000)
  return { ...(await createSigner(config, origin).upload(upload.id, headers, now, 3_600)), headers }
}

async function expectNothingOf(thief: User, upload: Upload): Promise<void> {
  expect(await thief.complete(upload)).toBeProblem(409, 'UPLOAD_INCOMPLETE')
  expect(await env.BUCKET.head(upload.id)).toBeNull()
  expect(await thief.get(`/files/${upload.file?.id}/url`)).toBeProblem(409, 'FILE_NOT_READY')
}

const NOT_MET = 'x-amz-copy-source-if-match'
const NOT_THE_OWNER = 'x-amz-source-expected-bucket-owner'

describe.each(Object.entries(sources))('%s', (_, prepare) => {
  const prepared = async () => {
    const [victim, thief] = [await signUpCreator('victim'), await signUp('thief')]
    return { thief, key: await prepare(victim, thief) }
  }

  it('can’t be copied with the URL that takes content', async () => {
    const { thief, key } = await prepared()
    const upload = await thief.upload(declared)
    expect((await copy(upload.url, upload.headers, key)).status).toBeGreaterThanOrEqual(400)
    await expectNothingOf(thief, upload)
    expect((await put(upload, bytes(OWN))).status).toBe(200)
    expect((await thief.complete(upload)).status).toBe(200)
    expect(await (await thief.download(upload.file ?? '')).text()).toBe(OWN)
  })

  it('can’t be copied over content that has been completed, while its URL is still good', async () => {
    const { thief, key } = await prepared()
    const upload = await thief.upload(declared)
    await put(upload, bytes(OWN))
    expect((await thief.complete(upload)).status).toBe(200)
    expect((await copy(upload.url, upload.headers, key)).status).toBeGreaterThanOrEqual(400)
    expect(await (await thief.download(upload.file ?? '')).text()).toBe(OWN)
  })

  it('can’t be copied with the URL of a part', async () => {
    const { key } = await prepared()
    const thief = await signUp('thief', serviceWith({ MULTIPART_THRESHOLD: '3' }))
    const upload = await thief.upload(declared)
    const { parts } = made(schema.PartUrls, await thief.parts(upload, { part_numbers: [1] }), 200)
    const copied = await copy(parts[0]?.url, parts[0]?.headers, key)
    expect(copied.status).toBeGreaterThanOrEqual(400)
    const etag = /ETag>.*?([0-9a-f]{32,})/.exec(await copied.text())?.[1] ?? 'none'
    const answer = await thief.complete(upload, { parts: [{ part_number: 1, etag }] })
    expect(answer).toBeProblem(409, 'UPLOAD_INCOMPLETE')
    await expectNothingOf(thief, upload)
  })

  it.each([
    ['whose condition no source meets', NOT_THE_OWNER],
    ['whose source has another owner', NOT_MET],
  ])(
    'can’t be copied by a request %s, before completion or after, whole or as a part',
    async (_, without) => {
      const { thief, key } = await prepared()
      const upload = await thief.upload(declared)
      const { url, headers } = await signedWithout(upload, without)
      expect((await copy(url, headers, key)).status).toBeGreaterThanOrEqual(400)
      await expectNothingOf(thief, upload)
      await put(upload, bytes(OWN))
      expect((await thief.complete(upload)).status).toBe(200)
      expect((await copy(url, headers, key)).status).toBeGreaterThanOrEqual(400)
      expect(await (await thief.download(upload.file ?? '')).text()).toBe(OWN)

      const { uploadId, key: own } = await env.BUCKET.createMultipartUpload(crypto.randomUUID())
      const { config } = configuration(env)
      if (!config) throw new Error('no configuration')
      const pins = Object.entries({ [NOT_MET]: '"none"', [NOT_THE_OWNER]: 'none' })
      const kept = Object.fromEntries(pins.filter(([name]) => name !== without))
      const partHeaders = { 'Content-Length': String(OWN.length), ...kept }
      const now = Math.floor(Date.now() / 1_000)
      const part = await createSigner(config, origin).part(own, uploadId, 1, partHeaders, now, 100)
      expect((await copy(part.url, partHeaders, key)).status).toBeGreaterThanOrEqual(400)
      const sent = await env.S3.fetch(part.url, { method: 'PUT', headers: partHeaders, body: bytes(OWN) })
      expect(sent.status).toBe(200)
    },
  )

  it('never becomes content even where storage copies it: the copy carries another metadata', async () => {
    const { thief, key } = await prepared()
    const upload = await thief.upload(declared)
    const { url, headers } = await signedWithout(upload, NOT_MET, NOT_THE_OWNER)
    const replacing = { ...headers, 'x-amz-metadata-directive': 'REPLACE' }
    expect((await copy(url, replacing, key)).status).toBe(403)
    expect((await copy(url, headers, key)).status, 'the simulator copies').toBe(200)
    expect(await thief.complete(upload)).toBeProblem(422, 'UPLOAD_MISMATCH')
    expect(await thief.get(`/files/${upload.file?.id}/url`)).toBeProblem(409, 'FILE_NOT_READY')
    expect(await env.BUCKET.head(upload.id)).toBeNull()
    await expectSound(thief.id)
  })
})

describe('what was not signed', () => {
  it.each(['no-cache', 'max-age=0'])(
    'may be the Cache-Control that a browser adds to each request with If-None-Match: %s',
    async (value) => {
      const ada = await signUp()
      const upload = await ada.upload(declared)
      expect((await put(upload, bytes(OWN), { 'Cache-Control': value })).status).toBe(200)
      expect((await ada.complete(upload)).status).toBe(200)
    },
  )

  it.each([
    ['Content-Encoding', 'gzip'],
    ['Content-Language', 'en'],
    ['Cache-Control', 'public, max-age=31536000'],
    ['Expires', 'Wed, 21 Oct 2037 07:28:00 GMT'],
    ['x-amz-meta-other', 'x'],
  ])('ends the upload when it has been stored: %s', async (header, value) => {
    const ada = await signUp()
    const upload = await ada.upload(declared)
    expect((await put(upload, bytes(OWN), { [header]: value })).status).toBe(200)
    expect(await ada.complete(upload)).toBeProblem(422, 'UPLOAD_MISMATCH')
    expect(await ada.complete(upload)).toBeProblem(422, 'UPLOAD_MISMATCH')
    expect((await ada.read(upload.file?.id ?? '')).file.processing_state).toBe('failed')
    expect(await env.BUCKET.head(upload.id)).toBeNull()
    expect(await ada.quota()).toMatchObject({ used_bytes: 0 })
    await expectSound(ada.id)
  })

  it('ends the upload also when it is for new content, or for a game asset', async () => {
    const ada = await signUpCreator()
    const file = await ada.file('a.txt', 'before', { mime_type: 'text/plain' })
    const again = made(
      Upload,
      await ada.startUpload({
        upload_type: 'file',
        file_id: file.id,
        size_bytes: 6,
        mime_type: 'text/plain',
      }),
      201,
    )
    const version = made(Upload, await ada.startContent({ name: 'a', asset_type: 'prop' }), 201)
    await put(again, bytes(OWN), { 'Cache-Control': 'public' })
    await put(version, bytes('new'), { 'Content-Encoding': 'gzip' })
    expect(await ada.complete(again)).toBeProblem(422, 'UPLOAD_MISMATCH')
    expect(await ada.complete(version)).toBeProblem(422, 'UPLOAD_MISMATCH')
    expect(await (await ada.download(file)).text()).toBe('before')
    expect(await ada.assetNames('/assets')).toEqual([])
    await expectSound(ada.id)
  })

  it.for([
    ['of another storage class', { storageClass: 'InfrequentAccess' }, 'The storage class'],
    ['with a key of the client’s', { ssecKeyMd5: '1B2M2Y8AsgTpgAmY7PhCfg==' }, 'Encryption'],
    ['as R2 tells it of every object', { storageClass: 'Standard' }, undefined],
    ['as the simulator tells it', { storageClass: '', ssecKeyMd5: undefined }, undefined],
  ] as const)('that R2 alone tells: an object %s', ([, told, failure]) => {
    const { httpMetadata, customMetadata } = signedMetadata('id', 'text/plain')
    const found = foreignMetadata(
      { httpMetadata, customMetadata, ...told },
      { id: 'id', mime_type: 'text/plain' },
    )
    if (failure) expect(found).toMatch(failure)
    else expect(found).toBeUndefined()
  })

  it('is not kept with what comes in parts', async () => {
    const ada = await signUp('ada', serviceWith({ MULTIPART_THRESHOLD: '3' }))
    const upload = await ada.upload(declared)
    const { parts } = made(schema.PartUrls, await ada.parts(upload, { part_numbers: [1] }), 200)
    const headers = { ...parts[0]?.headers, 'Content-Encoding': 'gzip', 'x-amz-meta-upload': 'another' }
    const sent = await env.S3.fetch(parts[0]?.url ?? '', { method: 'PUT', headers, body: bytes(OWN) })
    const etag = sent.headers.get('ETag') ?? ''
    const answer = await ada.complete(upload, { parts: [{ part_number: 1, etag }] })
    expect(answer.status, answer.text).toBe(200)
    const object = await env.BUCKET.head(upload.id)
    expect(object?.httpMetadata).toEqual({
      contentType: 'text/plain',
      contentDisposition: 'inline; filename=a.txt',
    })
    expect(object?.customMetadata).toEqual({ upload: upload.id })
  })

  it('may not be left out either: each signed header is part of the signature', async () => {
    const ada = await signUp()
    const upload = await ada.upload(declared)
    for (const left of Object.keys(upload.headers ?? {})) {
      if (left === 'Content-Length') continue // set by whoever sends
      const { [left]: _, ...headers } = upload.headers ?? {}
      const sent = await env.S3.fetch(upload.url ?? '', { method: 'PUT', headers, body: bytes(OWN) })
      expect([left, sent.status]).toEqual([left, 403])
    }
  })
})

describe('REQUIRE_CHECKSUM', () => {
  it('asks for the checksum of whatever is sent in one PUT', async () => {
    const variables = { REQUIRE_CHECKSUM: 'true', MULTIPART_THRESHOLD: '10' }
    const ada = await signUp('ada', serviceWith(variables))
    const body = { upload_type: 'file', ...declared }
    expect(await ada.startUpload(body)).toBeProblem(400, 'VALIDATION_FAILED', '/checksum_sha256')
    expect(await ada.names()).toEqual([])
    const digest = await crypto.subtle.digest('SHA-256', bytes(OWN))
    const checksum_sha256 = btoa(String.fromCharCode(...new Uint8Array(digest)))
    expect((await ada.startUpload({ ...body, checksum_sha256 })).status).toBe(201)
    expect((await ada.startUpload({ ...body, size_bytes: 11 })).status).toBe(201)
  })
})
