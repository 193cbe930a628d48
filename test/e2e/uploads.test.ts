import { createHash, randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { fileURLToPath } from 'node:url'
import { z } from '@hono/zod-openapi'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Client } from '#client'
import { clientOf, digestOf, type PartUrl, partOf, refusal, sendParts, sendWhole } from './client.ts'
import { finished } from './server.ts'
import { PART_BYTES as PART, type SharedServer, sharedServer } from './shared-servers.ts'

/** Two parts, the second of three bytes. */
const SIZE = PART + 3

const Asset = z.object({ id: z.string(), name: z.string(), current_version: z.int() })
const Completed = z.object({ asset: Asset, version: z.object({ version: z.int(), size_bytes: z.int() }) })

const secondDevice = fileURLToPath(new URL('./second-device.ts', import.meta.url))

let server: SharedServer
let token: string
let ada: Client

beforeAll(async () => {
  server = await sharedServer('small_parts')
  token = (await finished(['scripts/token.ts', `ada-${randomUUID()}`])).output.trim()
  ada = clientOf(server.url(), token)
})

const mime_type = 'application/octet-stream'
const newFile = (size_bytes = SIZE) =>
  ada.uploads.start({ upload_type: 'file', name: 'level.bin', size_bytes, mime_type })
const newWorld = (size_bytes = SIZE, name = `Castle ${randomUUID()}`) =>
  ada.uploads.start({ upload_type: 'game_asset', asset_type: 'world', name, size_bytes, mime_type })

/** The id of the file that an upload fills. */
const fileOf = (upload: object) => z.object({ file: z.object({ id: z.string() }) }).parse(upload).file.id

const stateOf = async ({ id }: { id: string }) => (await ada.uploads.get({ id })).state
const urlOf = async (id: string) => (await ada.files.getUrl({ id })).url
const versionUrl = async (id: string) => (await ada.assets.getUrl({ id, version: 1 })).url
const partUrls = async ({ id }: { id: string }, part_numbers: number[]) =>
  (await ada.uploads.presignParts({ id, part_numbers })).parts

/** What comes from a URL, hashed as it comes. */
async function download(url: string) {
  const response = await fetch(url)
  const hash = createHash('sha256')
  let size_bytes = 0
  for await (const chunk of response.body ?? []) {
    hash.update(chunk)
    size_bytes += chunk.length
  }
  return { status: response.status, size_bytes, sha256: hash.digest('hex') }
}

const theContent = (size_bytes = SIZE) => ({ status: 200, size_bytes, sha256: digestOf(size_bytes, PART) })

/** Begins a PUT, and is gone half-way. */
async function breakOff({ url, headers }: PartUrl, body: Buffer): Promise<void> {
  const put = request(url, { method: 'PUT', headers })
  put.on('error', () => {})
  const gone = new Promise((close) => put.on('close', close))
  await new Promise((sent) => put.write(body.subarray(0, body.length / 2), sent))
  put.destroy()
  await gone
}

// It goes up, from two devices, and down.
describe('a world of twenty parts', { tags: 'release', timeout: 120_000 }, () => {
  const part_count = 20
  const size_bytes = part_count * PART

  it('survives lost parts, repeated parts and a lost device, and comes back byte for byte', async () => {
    const upload = await newWorld(size_bytes)
    expect(upload).toMatchObject({ multipart: { part_size: PART, part_count } })

    const [lost, twice] = await partUrls(upload, [8, 3])
    if (!lost || !twice) throw new Error('no URLs')
    await breakOff(lost, partOf(8, PART))
    const wrong = await fetch(twice.url, { method: 'PUT', headers: twice.headers, body: partOf(99, PART) })
    expect(wrong.status).toBe(200)
    const first = await sendParts(ada, upload, [20, 1, 7, 3, 12, 5])
    await ada.uploads.presignParts({ id: upload.id, uploaded: first.slice(0, 2) })
    await ada.uploads.presignParts({ id: upload.id, uploaded: first.slice(2, 5) }) // 5 has been sent, but the device was lost before it said so

    const again = await finished([secondDevice, server.url(), token, upload.id])
    expect(again.code, again.output).toBe(0)
    const { missing, puts, answer } = z
      .object({ missing: z.array(z.int()), puts: z.int(), answer: Completed })
      .parse(JSON.parse(again.output))
    expect(missing).toHaveLength(15)
    expect(puts, 'those that were recorded are not sent again').toBe(15)
    expect(missing).toEqual(expect.arrayContaining([2, 5, 8]))
    expect(answer).toMatchObject({ asset: { current_version: 1 }, version: { version: 1, size_bytes } })

    const url = await versionUrl(answer.asset.id)
    expect(await download(url)).toEqual(theContent(size_bytes))
    const range = await fetch(url, { headers: { Range: `bytes=${PART - 2}-${PART + 1}` } })
    expect(range.status).toBe(206)
    expect(Buffer.from(await range.arrayBuffer())).toEqual(
      Buffer.concat([partOf(1, PART).subarray(-2), partOf(2, PART).subarray(0, 2)]),
    )
  })
})

describe('completing an upload in parts', () => {
  it('refuses a wrong ETag, stays open, and takes the right ones', async () => {
    const upload = await newFile()
    const { id } = upload
    const parts = await sendParts(ada, upload, [2, 1])
    const wrong = parts.map(({ part_number }) => ({
      part_number,
      etag: '"0123456789abcdef0123456789abcdef"',
    }))
    expect(await refusal(ada.uploads.complete({ id, parts: wrong }))).toMatchObject({
      status: 409,
      code: 'UPLOAD_INCOMPLETE',
    })
    expect(await stateOf(upload)).toBe('open')
    await ada.uploads.complete({ id, parts })
    expect(await download(await urlOf(fileOf(upload)))).toEqual(theContent())
  })

  it('names the part that is missing, and stays open', async () => {
    const upload = await newFile()
    const { id } = upload
    await ada.uploads.presignParts({ id, uploaded: await sendParts(ada, upload, [1]) })
    expect(await refusal(ada.uploads.complete({ id }))).toEqual({
      status: 409,
      code: 'UPLOAD_INCOMPLETE',
      detail: expect.stringContaining('part 2.'),
    })
    expect(await stateOf(upload)).toBe('open')
    await ada.uploads.presignParts({ id, uploaded: await sendParts(ada, upload, [2]) })
    await ada.uploads.complete({ id })
    expect(await stateOf(upload)).toBe('completed')
  })

  it('takes another name for the asset when the first has been taken meanwhile', async () => {
    const name = `Castle ${randomUUID()}`
    const upload = await newWorld(SIZE, name)
    const { id } = upload
    await ada.assets.create({ name, type: 'prop' })
    const parts = await sendParts(ada, upload, [1, 2])
    expect(await refusal(ada.uploads.complete({ id, parts }))).toMatchObject({
      status: 409,
      code: 'DUPLICATE_ASSET_NAME',
    })
    expect(await stateOf(upload)).toBe('open')
    const completed = await ada.uploads.complete({ id, parts, name: `${name}, the other` })
    const { asset } = Completed.parse(completed)
    expect(asset.name).toBe(`${name}, the other`)
    expect(await download(await versionUrl(asset.id))).toEqual(theContent())
  })

  it('refuses a checksum at the start: there is none for the whole of what comes in parts', async () => {
    const checksum_sha256 = Buffer.from(digestOf(SIZE, PART), 'hex').toString('base64')
    const declared = { name: 'a', size_bytes: SIZE, mime_type: 'a/b', checksum_sha256 }
    expect(await refusal(ada.uploads.start({ upload_type: 'file', ...declared }))).toMatchObject({
      status: 400,
      code: 'VALIDATION_FAILED',
    })
  })
})

describe('the URL of a part', () => {
  it('takes exactly the length that was signed', async () => {
    const [last] = await partUrls(await newFile(), [2])
    if (!last) throw new Error('no URL')
    const put = async (length: number) => {
      const headers = { ...last.headers, 'Content-Length': String(length) }
      return (await fetch(last.url, { method: 'PUT', headers, body: partOf(2, length) })).status
    }
    expect(await put(2)).toBe(403)
    expect(await put(4)).toBe(403)
    expect(await put(3)).toBe(200)
  })

  it('is refused after completion, and after an abort', async () => {
    const [completed, aborted] = [await newFile(), await newFile()]
    for (const upload of [completed, aborted]) {
      const [part] = await partUrls(upload, [2])
      if (!part) throw new Error('no URL')
      const { id } = upload
      const parts = await sendParts(ada, upload, [1, 2])
      await (upload === completed ? ada.uploads.complete({ id, parts }) : ada.uploads.abort({ id }))
      const late = await fetch(part.url, { method: 'PUT', headers: part.headers, body: partOf(2, 3) })
      expect(late.status).toBe(404)
    }
    expect(await download(await urlOf(fileOf(completed)))).toEqual(theContent())
  })
})

describe('new content for a file', () => {
  const mime_type = 'text/plain'

  /** A file that holds the given text, and its ETag. */
  async function fileWith(text: string) {
    const file = await ada.files.upload({ content: Buffer.from(text), name: 'level.bin', mime_type })
    return { id: file.id, etag: await etagOf(file.id) }
  }

  const etagOf = async (id: string) => (await ada.files.get({ id })).etag

  it('is served from completion on, and until then, and where a URL was handed out, the old', async () => {
    const { id: file_id, etag } = await fileWith('old')
    const upload = await ada.uploads.start(
      { upload_type: 'file', file_id, size_bytes: SIZE, mime_type },
      { ifMatch: etag },
    )
    const parts = await sendParts(ada, upload, [2, 1])
    const before = await urlOf(file_id)
    expect(await (await fetch(before)).text()).toBe('old')

    await ada.uploads.complete({ id: upload.id, parts })
    expect(await download(await urlOf(file_id))).toEqual(theContent())
    expect(await (await fetch(before)).text()).toBe('old')
    expect(await etagOf(file_id)).not.toBe(etag)
  })

  it('is refused when the file has changed meanwhile, until it is said which change that may be', async () => {
    const { id: file_id, etag: ifMatch } = await fileWith('old')
    const stale = { upload_type: 'file', file_id, size_bytes: 3, mime_type } as const
    const upload = await ada.uploads.start(stale, { ifMatch })
    const { id } = upload
    expect(await sendWhole(upload, 'new')).toBe(200)
    await ada.files.edit({ id: file_id, name: 'renamed.bin' })

    const changed = { status: 412, code: 'PRECONDITION_FAILED' }
    expect(await refusal(ada.uploads.start(stale, { ifMatch }))).toMatchObject(changed)
    expect(await refusal(ada.uploads.complete({ id }))).toMatchObject(changed)
    expect(await stateOf(upload)).toBe('open')
    expect(await (await fetch(await urlOf(file_id))).text()).toBe('old')

    const healed = await ada.uploads.complete({ id }, { ifMatch: await etagOf(file_id) })
    expect(healed).toMatchObject({ file: { name: 'renamed.bin', mime_type } })
    expect(await (await fetch(await urlOf(file_id))).text()).toBe('new')
  })
})

it('keeps the content of a branch when its source is deleted for good, and the job has run', async () => {
  const upload = await newWorld()
  const parts = await sendParts(ada, upload, [1, 2])
  const { asset } = Completed.parse(await ada.uploads.complete({ id: upload.id, parts }))
  const { asset: branch } = await ada.assets.branch({ id: asset.id, name: `Mine ${randomUUID()}` })
  await ada.assets.delete({ id: asset.id, permanent: true })
  expect((await finished(['scripts/job.ts', '--port', String(server.port)])).code).toBe(0)
  expect(await download(await versionUrl(branch.id))).toEqual(theContent())

  const url = await versionUrl(branch.id)
  await ada.assets.delete({ id: branch.id, permanent: true })
  expect((await finished(['scripts/job.ts', '--port', String(server.port)])).code).toBe(0)
  expect((await fetch(url)).status).toBe(404)
})
