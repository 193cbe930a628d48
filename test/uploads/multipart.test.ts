import { env } from 'cloudflare:test'
import { z } from '@hono/zod-openapi'
import { describe, expect, it } from 'vitest'
import { made } from '../support/answer.ts'
import { databaseOf } from '../support/databases.ts'
import { expectSound } from '../support/invariants.ts'
import { overridden } from '../support/meter.ts'
import { runJobIn } from '../support/objects.ts'
import { records, Upload } from '../support/records.ts'
import { serviceWith } from '../support/service.ts'
import { signUp, type User } from '../support/user.ts'

const MIB = 1024 ** 2
/** The least that R2 takes for a part that is not the last. */
const PART = 5 * MIB
const SIZE = 2 * PART + 3

/** A user of a service where multipart begins early, so that tests need not send much. */
const inParts = (variables: Record<string, string> = {}) =>
  serviceWith({ MULTIPART_THRESHOLD: String(PART), PART_SIZE: String(PART), ...variables })
const signUpWith = (variables?: Record<string, string>) => signUp('ada', inParts(variables))

const start = (user: User, declared: Record<string, unknown> = {}) =>
  user.upload({ name: 'world.bin', size_bytes: SIZE, ...declared })

/** The content of a part: each has bytes of its own. */
const content = (part_number: number) => new Uint8Array(part_number === 3 ? 3 : PART).fill(part_number)

async function urlsOf(user: User, upload: Upload, part_numbers: number[]) {
  return made(records.PartUrls, await user.parts(upload, { part_numbers }), 200).parts
}

const send = (url: string, body: Uint8Array, headers: Record<string, string>) =>
  env.S3.fetch(url, { method: 'PUT', body, headers })

/** Sends parts, each to a URL of its own, and tells what to complete with. */
async function sendParts(user: User, upload: Upload, part_numbers = [1, 2, 3]) {
  const urls = await urlsOf(user, upload, part_numbers)
  const sent: { part_number: number; etag: string }[] = []
  for (const { part_number, url, headers } of urls) {
    const response = await send(url, content(part_number), headers)
    expect(response.status).toBe(200)
    sent.push({ part_number, etag: response.headers.get('ETag') ?? '' })
  }
  return sent
}

const uploadedOf = async (user: User, upload: Upload) =>
  made(Upload, await user.get(`/uploads/${upload.id}`), 200).multipart?.uploaded

/** What a client gets to download, as the number of bytes of each part. */
async function downloaded(user: User, upload: Upload) {
  const bytes = new Uint8Array(await (await user.download(upload.file ?? '')).arrayBuffer())
  const counts = [0, 0, 0, 0]
  for (const byte of bytes) counts[byte] = (counts[byte] ?? 0) + 1
  return counts.slice(1)
}

describe('an upload above the threshold', () => {
  it('is told to come in parts', async () => {
    const ada = await signUpWith()
    const answer = await ada.startUpload({
      upload_type: 'file',
      name: 'world.bin',
      size_bytes: SIZE,
      mime_type: 'application/octet-stream',
    })
    expect(answer.status).toBe(201)
    expect(answer.body).toEqual({
      id: expect.any(String),
      upload_type: 'file',
      state: 'open',
      size_bytes: SIZE,
      expires_at: expect.any(Number),
      method: 'PUT',
      multipart: { part_size: PART, part_count: 3 },
      file: expect.objectContaining({ name: 'world.bin', processing_state: 'pending', size_bytes: SIZE }),
    })
    const { id } = made(Upload, answer, 201)
    const { multipart, ...rest } = made(Upload, await ada.get(`/uploads/${id}`), 200)
    expect(multipart).toEqual({ part_size: PART, part_count: 3, uploaded: [] })
    expect(rest).not.toHaveProperty('url')
    expect(await ada.quota()).toMatchObject({ used_bytes: SIZE })
  })

  it('begins at one byte more than the threshold, which is 100 MiB, with parts of 16 MiB', async () => {
    const ada = await signUp()
    expect((await ada.upload({ size_bytes: 100 * MIB })).multipart).toBeUndefined()
    expect((await ada.upload({ size_bytes: 100 * MIB })).url).toBeDefined()
    const { multipart } = await ada.upload({ size_bytes: 100 * MIB + 1 })
    expect(multipart).toEqual({ part_size: 16 * MIB, part_count: 7 })
    const largest = await ada.upload({ size_bytes: 3 * 1024 * MIB })
    expect(largest.multipart).toEqual({ part_size: 16 * MIB, part_count: 192 })
  })

  it('refuses a checksum, which R2 does not keep for what comes in parts', async () => {
    const ada = await signUpWith()
    const body = { upload_type: 'file', name: 'a', size_bytes: SIZE, mime_type: 'a/b' }
    const answer = await ada.startUpload({ ...body, checksum_sha256: `${'A'.repeat(43)}=` })
    expect(answer).toBeProblem(400, 'VALIDATION_FAILED', '/checksum_sha256')
    expect(await ada.names()).toEqual([])
  })

  it('takes its parts in any order, and again, and completes with their ETags', async () => {
    const ada = await signUpWith()
    const upload = await start(ada)
    const first = await sendParts(ada, upload, [3, 1])
    const second = await sendParts(ada, upload, [2, 1])
    const parts = [...second, ...first.filter(({ part_number }) => part_number === 3)]
    const answer = await ada.complete(upload, { parts })
    expect(answer.status, answer.text).toBe(200)
    expect(answer.body).toMatchObject({ upload: { state: 'completed' }, file: { processing_state: 'ready' } })
    expect(await downloaded(ada, upload)).toEqual([PART, PART, 3])
    expect((await ada.complete(upload)).body).toEqual(answer.body)
    expect((await ada.complete(upload, { parts })).body).toEqual(answer.body)
    expect(await ada.quota()).toMatchObject({ used_bytes: SIZE })
    await expectSound(ada.id)
  })

  it('completes with the recorded parts, on another device, which finds out what is missing', async () => {
    const ada = await signUpWith()
    const upload = await start(ada)
    expect(await ada.parts(upload, { uploaded: await sendParts(ada, upload, [2]) })).toMatchObject({
      status: 200,
      body: { parts: [] },
    })
    const device = ada.through(inParts())
    expect((await uploadedOf(device, upload))?.map(({ part_number }) => part_number)).toEqual([2])
    const rest = await sendParts(device, upload, [1, 3])
    const both = await device.parts(upload, { uploaded: rest, part_numbers: [1] })
    expect(made(records.PartUrls, both, 200).parts.map(({ part_number }) => part_number)).toEqual([1])
    expect((await device.complete(upload)).status).toBe(200)
    expect(await downloaded(ada, upload)).toEqual([PART, PART, 3])
  })

  it('keeps the last ETag that was recorded for a part, with or without its quotes', async () => {
    const ada = await signUpWith()
    const upload = await start(ada)
    await ada.parts(upload, { uploaded: [{ part_number: 1, etag: '"first"' }] })
    await ada.parts(upload, { uploaded: [{ part_number: 1, etag: 'second' }] })
    expect(await uploadedOf(ada, upload)).toEqual([{ part_number: 1, etag: 'second' }])
  })

  it('keeps the SHA-256 that was recorded with the ETag of a part, and returns it until another ETag is', async () => {
    const ada = await signUpWith()
    const upload = await start(ada)
    const [sum, other] = ['A', 'B'].map((character) => `${character.repeat(42)}A=`)
    const record = async (...uploaded: object[]) => {
      expect((await ada.parts(upload, { uploaded })).status).toBe(200)
      return uploadedOf(ada, upload)
    }
    const [one, two] = [
      { part_number: 1, etag: 'a' },
      { part_number: 2, etag: 'b' },
    ]
    expect(await record({ ...one, checksum_sha256: sum }, two)).toEqual([
      { ...one, checksum_sha256: sum },
      two,
    ])
    expect(await record({ ...one, checksum_sha256: other })).toEqual([
      { ...one, checksum_sha256: other },
      two,
    ])
    // The same ETag is of the same bytes, also in the words of a client that computes no checksums.
    expect(await record(one)).toEqual([{ ...one, checksum_sha256: other }, two])
    const again = { part_number: 1, etag: 'c' }
    expect(await record(again)).toEqual([again, two])
    expect(await record({ ...two, checksum_sha256: sum })).toEqual([again, { ...two, checksum_sha256: sum }])
  })

  it('records parts that are told at the same time, each', async () => {
    const ada = await signUpWith({ PART_SIZE: String(PART) })
    const upload = await start(ada, { size_bytes: 40 * PART })
    const numbers = Array.from({ length: 40 }, (_, i) => i + 1)
    await Promise.all(
      numbers.map((part_number) =>
        ada.parts(upload, { uploaded: [{ part_number, etag: `e${part_number}` }] }),
      ),
    )
    expect(await uploadedOf(ada, upload)).toEqual(
      numbers.map((part_number) => ({ part_number, etag: `e${part_number}` })),
    )
  })

  it('names what is missing, and stays open', async () => {
    const ada = await signUpWith()
    const upload = await start(ada)
    const [one] = await sendParts(ada, upload, [1])
    expect(await ada.complete(upload)).toBeProblem(409, 'UPLOAD_INCOMPLETE', 'part 1, 2, 3')
    expect(await ada.complete(upload, { parts: [one] })).toBeProblem(409, 'UPLOAD_INCOMPLETE', 'part 2, 3')
    expect(await ada.get(`/uploads/${upload.id}`)).toMatchObject({ body: { state: 'open' } })
    const rest = await sendParts(ada, upload, [2, 3])
    expect((await ada.complete(upload, { parts: [one, ...rest] })).status).toBe(200)
  })

  it('stays open when an ETag is wrong, and completes with the right ones', async () => {
    const ada = await signUpWith()
    const upload = await start(ada)
    const parts = await sendParts(ada, upload)
    const wrong = parts.map((part) =>
      part.part_number === 2 ? { ...part, etag: '"0123456789abcdef"' } : part,
    )
    expect(await ada.complete(upload, { parts: wrong })).toBeProblem(409, 'UPLOAD_INCOMPLETE', 'ETag')
    expect((await ada.complete(upload, { parts })).status).toBe(200)
  })

  it('has nothing to do with what lies in its place from another upload', async () => {
    const [ada, bob] = [await signUpWith(), await signUpWith()]
    const [mine, other] = [await start(ada), await start(bob)]
    const parts = await sendParts(bob, other)
    expect(await ada.complete(mine, { parts })).toBeProblem(409, 'UPLOAD_INCOMPLETE')
  })
})

describe('POST /v1/uploads/{id}/parts', () => {
  it('hands out a URL for each part that is asked for, good for exactly its length', async () => {
    const ada = await signUpWith()
    const upload = await start(ada)
    const { body } = await ada.parts(upload, { part_numbers: [3, 1, 3] })
    expect(body).toEqual({
      parts: [3, 1].map((part_number) => ({
        part_number,
        url: expect.stringContaining(`partNumber=${part_number}`),
        url_expires_at: expect.any(Number),
        headers: {
          'Content-Length': String(part_number === 3 ? 3 : PART),
          'x-amz-copy-source-if-match': '"none"',
          'x-amz-source-expected-bucket-owner': 'none',
        },
      })),
    })
    const [last] = await urlsOf(ada, upload, [3])
    if (!last) throw new Error('no URL')
    for (const length of [2, 4]) {
      expect((await send(last.url, new Uint8Array(length), { 'Content-Length': `${length}` })).status).toBe(
        403,
      )
    }
    expect(
      (await send(last.url.replace('partNumber=3', 'partNumber=2'), content(3), last.headers)).status,
    ).toBe(403)
    expect((await send(last.url, content(3), last.headers)).status).toBe(200)
  })

  it('does nothing when it is asked for nothing, with a body or without', async () => {
    const ada = await signUpWith()
    const upload = await start(ada)
    for (const json of [undefined, {}, { part_numbers: [], uploaded: [] }])
      expect(await ada.parts(upload, json)).toMatchObject({ status: 200, body: { parts: [] } })
    expect(await uploadedOf(ada, upload)).toEqual([])
  })

  const withChecksum = (checksum_sha256: unknown) => ({
    uploaded: [{ part_number: 1, etag: 'a', checksum_sha256 }],
  })
  const invalid: [what: string, body: Record<string, unknown>, path: string][] = [
    ['part 0', { part_numbers: [0] }, '/part_numbers/0'],
    ['half a part', { part_numbers: [1.5] }, '/part_numbers/0'],
    ['a part beyond the last', { part_numbers: [4] }, '/part_numbers'],
    [
      'more parts beyond the last than a problem names',
      { part_numbers: Array.from({ length: 100 }, (_, index) => 4 + index) },
      '/part_numbers',
    ],
    ['more than 1,000 parts', { part_numbers: Array(1_001).fill(1) }, '/part_numbers'],
    [
      'a part beyond the last beside one that has arrived',
      { part_numbers: [4], uploaded: [{ part_number: 1, etag: 'a' }] },
      '/part_numbers',
    ],
    ['an arrived part beyond the last', { uploaded: [{ part_number: 4, etag: 'a' }] }, '/uploaded'],
    ['an arrived part without its ETag', { uploaded: [{ part_number: 1 }] }, '/uploaded/0/etag'],
    ['an empty ETag', { uploaded: [{ part_number: 1, etag: '' }] }, '/uploaded/0/etag'],
    [
      'an ETag of 193 characters',
      { uploaded: [{ part_number: 1, etag: 'e'.repeat(193) }] },
      '/uploaded/0/etag',
    ],
    ['a checksum in hexadecimal', withChecksum('0'.repeat(64)), '/uploaded/0/checksum_sha256'],
    ['a checksum of 31 bytes', withChecksum(`${'A'.repeat(42)}==`), '/uploaded/0/checksum_sha256'],
    ['a checksum in base64url', withChecksum(`${'_'.repeat(42)}A=`), '/uploaded/0/checksum_sha256'],
    ['a checksum that is null', withChecksum(null), '/uploaded/0/checksum_sha256'],
    ['an ETag with a line feed', { uploaded: [{ part_number: 1, etag: 'a\nb' }] }, '/uploaded/0/etag'],
    [
      'one part twice',
      {
        uploaded: [
          { part_number: 1, etag: 'a' },
          { part_number: 1, etag: 'b' },
        ],
      },
      '/uploaded',
    ],
  ]
  it.each(invalid)('refuses %s, and records nothing', async (_, body, path) => {
    const ada = await signUpWith()
    const upload = await start(ada)
    expect(await ada.parts(upload, body)).toBeProblem(400, 'VALIDATION_FAILED', path)
    expect(await uploadedOf(ada, upload)).toEqual([])
  })

  it('takes all that 10,000 parts need, to be recorded and to be completed with, in a body of up to 1 MiB', async () => {
    const ada = await signUpWith()
    const upload = await start(ada)
    // An upload of 10,000 parts is larger than a file may be: only this row says that it has so many.
    await databaseOf(upload.id)
      .prepare('UPDATE uploads SET part_size = 1049 WHERE id = ?')
      .bind(upload.id)
      .run()
    const list = Array.from({ length: 9_995 }, (_, i) => ({
      part_number: i + 1,
      etag: `"${'e'.repeat(60)}"`,
    }))
    expect(JSON.stringify(list).length).toBeGreaterThan(900_000)
    expect(await ada.parts(upload, { uploaded: list })).toMatchObject({ status: 200, body: { parts: [] } })
    expect(await uploadedOf(ada, upload)).toHaveLength(9_995)
    const completed = await ada.complete(upload, { parts: list })
    expect(completed).toBeProblem(409, 'UPLOAD_INCOMPLETE')
    const tooLong = { x: 'x'.repeat(1024 ** 2) }
    expect(await ada.parts(upload, tooLong)).toBeProblem(413, 'BODY_TOO_LARGE')
    expect(await ada.complete(upload, tooLong)).toBeProblem(413, 'BODY_TOO_LARGE')
  })

  it('records the 1,024 parts of 5 GiB at once, each with a checksum and the longest ETag', async () => {
    const ada = await signUpWith()
    const upload = await start(ada)
    await databaseOf(upload.id)
      .prepare('UPDATE uploads SET part_size = 10241 WHERE id = ?')
      .bind(upload.id)
      .run()
    const uploaded = Array.from({ length: 1_024 }, (_, i) => ({
      part_number: i + 1,
      etag: `${i}`.padStart(192, 'e'),
      checksum_sha256: `${'A'.repeat(43)}=`,
    }))
    expect(await ada.parts(upload, { uploaded })).toMatchObject({ status: 200 })
    expect(await uploadedOf(ada, upload)).toEqual(uploaded)
  })

  it('keeps nothing of its parts once it has ended', async () => {
    const ada = await signUpWith()
    const [ready, failed] = [await start(ada), await start(ada, { mime_type: 'image/png' })]
    const checksum_sha256 = `${'A'.repeat(43)}=`
    for (const upload of [ready, failed])
      await ada.parts(upload, {
        uploaded: (await sendParts(ada, upload)).map((part) => ({ ...part, checksum_sha256 })),
      })
    expect((await ada.complete(ready)).status).toBe(200)
    await databaseOf(failed.id)
      .prepare("UPDATE uploads SET mime_type = 'a/b' WHERE id = ?")
      .bind(failed.id)
      .run()
    expect(await ada.complete(failed)).toBeProblem(422, 'UPLOAD_MISMATCH')
    for (const { id } of [ready, failed]) {
      const row = await databaseOf(id)
        .prepare('SELECT parts, part_checksums, state FROM uploads WHERE id = ?')
        .bind(id)
        .first()
      expect(row).toEqual({
        parts: '{}',
        part_checksums: '{}',
        state: id === ready.id ? 'completed' : 'failed',
      })
    }
    await expectSound(ada.id)
  })

  it('shows a client that repeats its start what has arrived', async () => {
    const ada = await signUpWith()
    const body = { upload_type: 'file', name: 'a', size_bytes: SIZE, mime_type: 'a/b' }
    const key = { 'Idempotency-Key': 'again' }
    const upload = made(Upload, await ada.startUpload(body, key), 201)
    await ada.parts(upload, { uploaded: [{ part_number: 1, etag: 'e' }] })
    const again = made(Upload, await ada.startUpload(body, key), 201)
    expect(again).toMatchObject({ id: upload.id, multipart: { uploaded: [{ part_number: 1, etag: 'e' }] } })
  })

  it('knows no upload whose file is being deleted for good from far above, and neither does an abort', async () => {
    const ada = await signUpWith()
    const top = await ada.folder('top')
    let inner = top
    for (let depth = 0; depth < 5; depth++) inner = await ada.folder('inner', { in: inner })
    const upload = await start(ada, { parent_id: inner.id })
    const done = await start(ada, { parent_id: inner.id, size_bytes: 3 })
    await ada.delete(top)
    expect((await ada.parts(upload, { part_numbers: [1] })).status).toBe(200)
    await ada.purge(top)
    for (const { id } of [upload, done]) {
      expect(await ada.get(`/uploads/${id}`)).toBeProblem(404, 'UPLOAD_NOT_FOUND')
      expect(await ada.parts(id, { part_numbers: [1] })).toBeProblem(404, 'UPLOAD_NOT_FOUND')
      expect(await ada.abort(id)).toBeProblem(404, 'UPLOAD_NOT_FOUND')
    }
    await runJobIn(0)
    expect(await ada.quota()).toMatchObject({ used_bytes: 0 })
    await expectSound(ada.id)
  })

  it('refuses an upload of one PUT, a completed one, an expired one', async () => {
    const ada = await signUpWith()
    const single = await ada.upload({ size_bytes: 3 })
    expect(await ada.parts(single, { part_numbers: [1] })).toBeProblem(400, 'VALIDATION_FAILED')
    const upload = await start(ada)
    await ada.complete(upload, { parts: await sendParts(ada, upload) })
    expect(await ada.parts(upload, { part_numbers: [1] })).toBeProblem(409, 'UPLOAD_COMPLETED')
    const late = await start(ada)
    await databaseOf(late.id).prepare('UPDATE uploads SET expires_at = 1 WHERE id = ?').bind(late.id).run()
    expect(await ada.parts(late, { part_numbers: [1] })).toBeProblem(409, 'UPLOAD_EXPIRED')
  })
})

describe('the URL of a part', () => {
  it('is refused once the upload is complete, and once it is aborted', async () => {
    const ada = await signUpWith()
    const [upload, other] = [await start(ada), await start(ada)]
    const [[url], [otherUrl]] = [await urlsOf(ada, upload, [3]), await urlsOf(ada, other, [3])]
    await ada.complete(upload, { parts: await sendParts(ada, upload) })
    expect((await send(url?.url ?? '', content(3), url?.headers ?? {})).status).toBe(404)
    await sendParts(ada, other)
    expect((await ada.abort(other)).status).toBe(204)
    expect((await send(otherUrl?.url ?? '', content(3), otherUrl?.headers ?? {})).status).toBe(404)
    expect(await ada.complete(other)).toBeProblem(404, 'UPLOAD_NOT_FOUND')
    expect(await env.BUCKET.head(other.id)).toBeNull()
    await expectSound(ada.id)
  })

  it('is refused once the job has expired the upload', async () => {
    const ada = await signUpWith()
    const upload = await start(ada)
    const [url] = await urlsOf(ada, upload, [3])
    await sendParts(ada, upload)
    await runJobIn(2)
    expect((await send(url?.url ?? '', content(3), url?.headers ?? {})).status).toBe(404)
    expect(await ada.get(`/uploads/${upload.id}`)).toBeProblem(404, 'UPLOAD_NOT_FOUND')
    expect(await ada.names()).toEqual([])
    await expectSound(ada.id)
  })

  it('never lives longer than the upload', async () => {
    const ada = await signUpWith({ UPLOAD_TTL: '100' })
    const upload = await start(ada)
    const [url] = await urlsOf(ada, upload, [1])
    expect(url?.url_expires_at).toBeLessThanOrEqual(upload.expires_at)
  })
})

it('leaves no multipart upload behind when a start is refused', async () => {
  const begun: R2MultipartUpload[] = []
  const BUCKET = overridden(env.BUCKET, {
    createMultipartUpload: async (...given: Parameters<R2Bucket['createMultipartUpload']>) => {
      const upload = await env.BUCKET.createMultipartUpload(...given)
      begun.push(upload)
      return upload
    },
  })
  const few = { MULTIPART_THRESHOLD: String(PART), DEFAULT_QUOTA_BYTES: '1000', BUCKET }
  const ada = await signUp('ada', serviceWith(few))
  const file = { upload_type: 'file', name: 'a', size_bytes: SIZE, mime_type: 'a/b' }
  expect(await ada.startUpload(file)).toBeProblem(403, 'QUOTA_EXCEEDED')
  const none = await ada.startUpload({ ...file, parent_id: 'nothing' })
  expect(none).toBeProblem(404, 'FILE_PARENT_NOT_FOUND')
  expect(begun).toHaveLength(2)
  for (const upload of begun) await expect(upload.uploadPart(1, 'x')).rejects.toThrow('does not exist')
})

it('checks the first bytes of a picture that came in parts', async () => {
  const ada = await signUpWith({ MULTIPART_THRESHOLD: '2' })
  const picture = { asset_type: 'profile_pic', mime_type: 'image/png', size_bytes: 3 }
  const upload = await ada.upload(picture)
  const [url] = await urlsOf(ada, upload, [1])
  const sent = await send(url?.url ?? '', content(3), url?.headers ?? {})
  const parts = [{ part_number: 1, etag: sent.headers.get('ETag') ?? '' }]
  expect(await ada.complete(upload, { parts })).toBeProblem(422, 'UPLOAD_MISMATCH')
  expect(await ada.complete(upload, { parts })).toBeProblem(422, 'UPLOAD_MISMATCH')
  expect(await env.BUCKET.head(upload.id)).toBeNull()
  expect(z.object({ used_bytes: z.literal(0) }).parse(await ada.quota()))
  await expectSound(ada.id)
})
