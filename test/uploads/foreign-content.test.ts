import { env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { made } from '../support/answer.ts'
import { bytes } from '../support/content.ts'
import { contextOf } from '../support/context.ts'
import { partGuards, putGuards } from '../support/copy-guards.ts'
import { type Creator, signUpCreator } from '../support/creator.ts'
import { databaseOf } from '../support/databases.ts'
import { expectSound } from '../support/invariants.ts'
import { records, Upload } from '../support/records.ts'
import { serviceWith } from '../support/service.ts'
import { operator, put, signUp, type User } from '../support/user.ts'

/** As long as OWN, so that a copy has the declared size. */
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

/** How a copy names its source. S3 documents both; R2 answers InvalidArgument to the first (nikeee/lean-s3#113). */
const spellings = ['/edge-game-storage/', 'edge-game-storage/']

/** A copy may come with a body or, as S3 documents it, without one. */
const bodies = [OWN, '']

/** Sends a copy where content was to be sent, in each way. Returns the answers. */
async function copies(
  url: string | undefined,
  headers: Record<string, string> | undefined,
  key: string,
): Promise<Response[]> {
  const answers = []
  for (const spelling of spellings)
    for (const body of bodies.filter((text) => String(text.length) === headers?.['Content-Length'])) {
      const copying = { ...headers, 'x-amz-copy-source': spelling + key }
      answers.push(await env.S3.fetch(url ?? '', { method: 'PUT', headers: copying, body: bytes(body) }))
    }
  expect(answers).toHaveLength(spellings.length)
  return answers
}

async function expectRefused(...[url, headers, key]: Parameters<typeof copies>): Promise<void> {
  for (const { status } of await copies(url, headers, key)) expect(status).toBeGreaterThanOrEqual(400)
}

/** Whoever has the keys of the bucket, and signs what they want. */
const { sign } = contextOf('whoever has the keys of the bucket')

/** Shows that a copy of this object succeeds where no guard is signed: otherwise no test of a guard could fail. */
async function expectCopiedWithoutGuards(key: string): Promise<void> {
  const now = Math.floor(Date.now() / 1_000)
  for (const body of bodies) {
    const copy = crypto.randomUUID()
    const headers = { 'Content-Length': String(body.length) }
    const { url } = await sign.upload(copy, headers, now, 100)
    for (const { status } of await copies(url, headers, key)) expect(status).toBe(200)
    expect(await (await env.BUCKET.get(copy))?.text()).toBe(SECRET)
    await env.BUCKET.delete(copy)
  }
}

async function expectNothingOf(thief: User, upload: Upload): Promise<void> {
  expect(await thief.complete(upload)).toBeProblem(409, 'UPLOAD_INCOMPLETE')
  expect(await env.BUCKET.head(upload.id)).toBeNull()
  expect(await thief.get(`/files/${upload.file?.id}/url`)).toBeProblem(409, 'FILE_NOT_READY')
}

/** A thief of a service that signs these guards, and all of them unless it is said. */
const thiefOf = (variables: Record<string, string> = {}) => signUp('thief', serviceWith(variables))

const guardOf = (guard: string) => ({ COPY_GUARDS_PUT: guard, COPY_GUARDS_PART: guard })

describe.each(Object.entries(sources))('%s', (_, prepare) => {
  const prepared = async (variables: Record<string, string> = {}) => {
    const [victim, thief] = [await signUpCreator('victim'), await thiefOf(variables)]
    const key = await prepare(victim, thief)
    await expectCopiedWithoutGuards(key)
    return { thief, key }
  }

  it('can’t be copied with the URL that takes content', async () => {
    const { thief, key } = await prepared()
    const upload = await thief.upload(declared)
    await expectRefused(upload.url, upload.headers, key)
    await expectNothingOf(thief, upload)
    expect((await put(upload, bytes(OWN))).status).toBe(200)
    expect((await thief.complete(upload)).status).toBe(200)
    expect(await (await thief.download(upload.file ?? '')).text()).toBe(OWN)
  })

  it.each([OWN, ''])(
    'can’t be copied over content that has been completed, while its URL is still good: "%s"',
    async (own) => {
      const { thief, key } = await prepared()
      const upload = await thief.upload({ ...declared, size_bytes: own.length })
      await put(upload, bytes(own))
      expect((await thief.complete(upload)).status).toBe(200)
      await expectRefused(upload.url, upload.headers, key)
      expect(await (await thief.download(upload.file ?? '')).text()).toBe(own)
    },
  )

  it('can’t be copied with the URL of a part', async () => {
    const { thief, key } = await prepared({ MULTIPART_THRESHOLD: '3' })
    const upload = await thief.upload(declared)
    const { parts } = made(records.PartUrls, await thief.parts(upload, { part_numbers: [1] }), 200)
    for (const copied of await copies(parts[0]?.url, parts[0]?.headers, key)) {
      expect(copied.status).toBeGreaterThanOrEqual(400)
      const etag = /ETag>.*?([0-9a-f]{32,})/.exec(await copied.text())?.[1] ?? 'none'
      const answer = await thief.complete(upload, { parts: [{ part_number: 1, etag }] })
      expect(answer).toBeProblem(409, 'UPLOAD_INCOMPLETE')
    }
    await expectNothingOf(thief, upload)
  })

  it.each([
    ['whose condition no source meets', 'x-amz-copy-source-if-match'],
    ['whose source has another owner', 'x-amz-source-expected-bucket-owner'],
  ])('can’t be copied by a request %s, before completion or after, whole or as a part', async (_, guard) => {
    const { thief, key } = await prepared(guardOf(guard))
    const upload = await thief.upload(declared)
    expect(guardsOf(upload.headers)).toEqual([guard])
    await expectRefused(upload.url, upload.headers, key)
    await expectNothingOf(thief, upload)
    await put(upload, bytes(OWN))
    expect((await thief.complete(upload)).status).toBe(200)
    await expectRefused(upload.url, upload.headers, key)
    expect(await (await thief.download(upload.file ?? '')).text()).toBe(OWN)

    const inParts = await thiefOf({ ...guardOf(guard), MULTIPART_THRESHOLD: '3' })
    const large = await inParts.upload(declared)
    const { parts } = made(records.PartUrls, await inParts.parts(large, { part_numbers: [1] }), 200)
    const { url = '', headers } = parts[0] ?? {}
    expect(guardsOf(headers)).toEqual([guard])
    await expectRefused(url, headers, key)
    const sent = await env.S3.fetch(url, { method: 'PUT', headers: headers ?? {}, body: bytes(OWN) })
    expect(sent.status).toBe(200)
  })

  it('never becomes content even where storage copies it: the copy carries another metadata', async () => {
    const { thief, key } = await prepared({ COPY_GUARDS_PUT: 'x-amz-metadata-directive' })
    const upload = await thief.upload(declared)
    const replacing = { ...upload.headers, 'x-amz-metadata-directive': 'REPLACE' }
    for (const { status } of await copies(upload.url, replacing, key)) expect(status).toBe(403)
    for (const { status } of await copies(upload.url, upload.headers, key))
      expect(status, 'the simulator copies').toBe(200)
    expect(await thief.complete(upload)).toBeProblem(422, 'UPLOAD_MISMATCH')
    expect(await thief.get(`/files/${upload.file?.id}/url`)).toBeProblem(409, 'FILE_NOT_READY')
    expect(await env.BUCKET.head(upload.id)).toBeNull()
    await expectSound(thief.id)
  })

  it('would be read by the thief if no guard was signed', async () => {
    const { thief, key } = await prepared({ COPY_GUARDS_PUT: 'none' })
    const upload = await thief.upload(declared)
    const replacing = { ...upload.headers, 'x-amz-metadata-directive': 'REPLACE' }
    for (const { status } of await copies(upload.url, replacing, key)) expect(status).toBe(200)
    expect((await thief.complete(upload)).status).toBe(200)
    expect(await (await thief.download(upload.file ?? '')).text()).toBe(SECRET)
  })
})

/** The guards among the headers of a signed PUT. */
const guardsOf = (headers: Record<string, string> = {}) =>
  Object.keys(headers).filter((name) => [...putGuards].some((guard) => guard === name))

describe('COPY_GUARDS_PUT and COPY_GUARDS_PART', () => {
  it.each([
    ['', [...putGuards]],
    ['none', []],
    ['x-amz-copy-source-if-match, x-amz-metadata-directive', [putGuards[0], putGuards[1]]],
  ])('name the guards that a PUT is signed with: "%s"', async (guards, signed) => {
    const ada = await signUp('ada', serviceWith({ COPY_GUARDS_PUT: guards, COPY_GUARDS_PART: 'none' }))
    const upload = await ada.upload(declared)
    expect(guardsOf(upload.headers).sort()).toEqual(signed.toSorted())
    expect((await put(upload, bytes(OWN))).status).toBe(200)
    expect((await ada.complete(upload)).status).toBe(200)
  })

  it('name the guards that the PUT of a part is signed with', async () => {
    for (const [guards, signed] of [
      ['', [...partGuards]],
      ['none', []],
      [partGuards[1], [partGuards[1]]],
    ] as const) {
      const variables = { COPY_GUARDS_PUT: 'none', COPY_GUARDS_PART: guards, MULTIPART_THRESHOLD: '3' }
      const ada = await signUp('ada', serviceWith(variables))
      const upload = await ada.upload(declared)
      const { parts } = made(records.PartUrls, await ada.parts(upload, { part_numbers: [1] }), 200)
      expect(guardsOf(parts[0]?.headers)).toEqual(signed)
    }
  })

  it.each([
    ['COPY_GUARDS_PUT', 'x-amz-acl'],
    ['COPY_GUARDS_PUT', 'x-amz-copy-source-if-match,'],
    ['COPY_GUARDS_PUT', 'none,x-amz-copy-source-if-match'],
    ['COPY_GUARDS_PART', 'x-amz-metadata-directive'],
  ])('take no other header, and nothing is served then: %s=%s', async (variable, value) => {
    const ada = await signUp('ada', serviceWith({ [variable]: value }))
    const answer = await ada.startUpload({ upload_type: 'file', ...declared })
    expect(answer).toBeProblem(503, 'UNAVAILABLE')
    expect(answer.text).toContain(`${variable} must be a list of`)
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

  it('is not kept with what comes in parts', async () => {
    const ada = await signUp('ada', serviceWith({ MULTIPART_THRESHOLD: '3' }))
    const upload = await ada.upload(declared)
    const { parts } = made(records.PartUrls, await ada.parts(upload, { part_numbers: [1] }), 200)
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
