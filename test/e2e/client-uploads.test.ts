import { execFile } from 'node:child_process'
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { openAsBlob } from 'node:fs'
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { createContext, runInContext } from 'node:vm'
import { z } from '@hono/zod-openapi'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type ClientOptions,
  ContentChangedError,
  createClient,
  type Upload,
  type UploadProgress,
} from '#client'
import { developmentToken } from '../../scripts/development.ts'
import { project } from './citations.ts'
import { printedByExamples, readmeExamples } from './client-readme.ts'
import { Tunnel } from './proofs/tunnel.ts'
import { PART_BYTES as PART, type SharedServer, sharedServer } from './shared-servers.ts'

const MIB = 1024 ** 2

let server: SharedServer
let tunnel: Tunnel
let token: string
let bobsToken: string
const bobsId = `bob-${randomUUID()}`
let folder: string

beforeAll(async () => {
  server = await sharedServer('small_parts')
  tunnel = await Tunnel.to(server.url())
  token = await developmentToken(`ada-${randomUUID()}`)
  bobsToken = await developmentToken(bobsId)
  folder = await mkdtemp(join(tmpdir(), 'uploads-'))
})
afterAll(async () => {
  await tunnel?.close()
  await rm(folder, { recursive: true, force: true })
})

const retry = { minDelayMs: 1, maxDelayMs: 20 }
const clientOf = (options: Partial<ClientOptions> = {}) =>
  createClient({ baseUrl: tunnel.origin, token, retry, ...options })

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('base64')

/** The content of a file, as its owner downloads it. */
async function contentOf(id: string): Promise<Buffer> {
  const { url } = await clientOf().files.getUrl({ id })
  return Buffer.from(await (await fetch(url)).arrayBuffer())
}

/** A network that notes the PUTs to storage, and lets `act` treat each. */
function puts(act: (request: Request, number: number) => Promise<Response> = (request) => fetch(request)) {
  const parts: number[] = []
  return {
    parts,
    fetch: (request: Request) => {
      if (request.method !== 'PUT' || !request.url.includes('/cdn-cgi/')) return fetch(request)
      parts.push(Number(new URL(request.url).searchParams.get('partNumber') ?? 0))
      return act(request, parts.length)
    },
  }
}

const caught = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => expect.unreachable('this has to fail'),
    (error: unknown) => error,
  )

describe('content that fits into one PUT', () => {
  const content = randomBytes(MIB + 1)

  it('becomes a file, with its checksum declared and its progress told', async () => {
    const progress: UploadProgress[] = []
    let started: Upload | undefined
    const file = await clientOf().files.upload(
      { content: new File([content], 'level.bin', { type: 'application/x-level' }) },
      {
        onStarted: (upload) => {
          started = upload
        },
        onProgress: (now) => progress.push(now),
      },
    )
    expect(file).toMatchObject({
      name: 'level.bin',
      mime_type: 'application/x-level',
      size_bytes: content.length,
      processing_state: 'ready',
    })
    expect(started).toMatchObject({
      headers: { 'x-amz-checksum-sha256': sha256(content) },
    })
    expect((await contentOf(file.id)).equals(content)).toBe(true)
    expect(progress.length).toBeGreaterThan(4)
    const size_bytes = content.length
    expect(progress[0]).toEqual({ upload_id: started?.id, sent_bytes: 0, size_bytes })
    expect(progress.at(-1)).toEqual({ upload_id: started?.id, sent_bytes: size_bytes, size_bytes })
    const sent = progress.map(({ sent_bytes }) => sent_bytes)
    expect(sent).toEqual(sent.toSorted((a, b) => a - b))
  })

  it.each<[string, Uint8Array | ArrayBuffer | Blob]>([
    ['a Uint8Array', new Uint8Array([1, 2, 3])],
    ['a Buffer', Buffer.from([1, 2, 3])],
    ['an ArrayBuffer', new Uint8Array([1, 2, 3]).buffer],
    ['a Blob', new Blob([new Uint8Array([1, 2, 3])])],
  ])('may be %s', async (_, bytes) => {
    const file = await clientOf().files.upload({ content: bytes, name: 'three' })
    expect([...(await contentOf(file.id))]).toEqual([1, 2, 3])
  })

  it('may be empty', async () => {
    const file = await clientOf().files.upload({ content: new Uint8Array(), name: 'nothing' })
    expect(file).toMatchObject({ size_bytes: 0, processing_state: 'ready' })
  })

  it('is sent again when the connection is cut in the midst of it', async () => {
    const cut = tunnel.cutAt({ traffic: 'bucket', direction: 'up', bytes: 300_000 })
    const file = await clientOf().files.upload({ content, name: 'cut' })
    await cut
    expect((await contentOf(file.id)).equals(content)).toBe(true)
  })

  it('is complete when it has arrived, and the answer to its PUT was lost', async () => {
    const { fetch: network, parts } = puts(async (request, number) => {
      const response = await fetch(request)
      if (number > 1) return response
      await response.body?.cancel()
      throw new TypeError('The connection was cut.')
    })
    const file = await clientOf({ fetch: network }).files.upload({ content, name: 'lost' })
    expect(parts).toHaveLength(2)
    expect((await contentOf(file.id)).equals(content)).toBe(true)
  })

  it('gets a new URL when the first is refused', async () => {
    const { fetch: network, parts } = puts((request, number) => {
      const expired = request.url.replace(/X-Amz-Signature=\w/, 'X-Amz-Signature=_')
      return fetch(number > 1 ? request : new Request(expired, request))
    })
    const file = await clientOf({ fetch: network }).files.upload({ content, name: 'expired' })
    expect(parts).toHaveLength(2)
    expect((await contentOf(file.id)).equals(content)).toBe(true)
  })

  it('ends with the error of storage when it is refused as often as it may be sent', async () => {
    const { fetch: network, parts } = puts((request) =>
      fetch(new Request(request.url.replace(/X-Amz-Signature=\w/, 'X-Amz-Signature=_'), request)),
    )
    const client = clientOf({ fetch: network, retry: { ...retry, attempts: 2 } })
    // The simulator refuses before it has read the content, and answers 500 when much of it is still on the way.
    const small = client.files.upload({ content: randomBytes(8), name: 'refused' }, { onStarted: () => {} })
    expect(await caught(small)).toMatchObject({ name: 'StorageError', status: 403 })
    expect(parts).toHaveLength(2)
  })

  it('tells no progress, and keeps no timer, once it was cut off', async () => {
    const pause = new AbortController()
    const told: UploadProgress[] = []
    let late = () => {}
    const client = clientOf({
      fetch: async (request, put) => {
        if (!put) return fetch(request)
        late = () => put.onSent(3)
        pause.abort(new Error('paused'))
        return fetch(request)
      },
    })
    const upload = client.files.upload(
      { content, name: 'cut-off.bin' },
      { signal: pause.signal, onProgress: (progress) => told.push(progress) },
    )
    await expect(upload).rejects.toThrow('paused')
    const before = told.length
    late() // as Node does, which reads on for a moment
    expect(told).toHaveLength(before)
  })

  it('is not sent a second time when it had arrived before the upload was cut', async () => {
    const pause = new AbortController()
    let upload_id = ''
    const { fetch: network, parts } = puts(async (request) => {
      const response = await fetch(request)
      pause.abort(new Error('paused'))
      return response
    })
    const cut = clientOf({ fetch: network }).files.upload(
      { content, name: 'arrived' },
      {
        signal: pause.signal,
        onStarted: ({ id }) => {
          upload_id = id
        },
      },
    )
    expect(await caught(cut)).toMatchObject({ message: 'paused' })
    const client = clientOf({ fetch: network })
    expect(await client.files.upload({ content }, { uploadId: upload_id })).toMatchObject({
      processing_state: 'ready',
    })
    expect(await client.files.upload({ content }, { uploadId: upload_id })).toMatchObject({
      processing_state: 'ready',
    })
    expect(parts).toHaveLength(1)
  })
})

describe('content in parts', () => {
  const content = randomBytes(4 * PART + 3)
  /** Of three parts. */
  const shorter = content.subarray(0, 2 * PART + 3)

  it('becomes a version of an asset, several parts at a time, read from the disk', async () => {
    const path = join(folder, 'world.bin')
    await writeFile(path, content)
    let atOnce = 0
    let most = 0
    const { fetch: network, parts } = puts(async (request) => {
      atOnce += 1
      most = Math.max(most, atOnce)
      return fetch(request).finally(() => {
        atOnce -= 1
      })
    })
    const progress: number[] = []
    const { asset, version } = await clientOf({ fetch: network }).assets.upload(
      { content: await openAsBlob(path), asset_type: 'world', name: `Castle ${randomUUID()}` },
      { parallel: 3, onProgress: ({ sent_bytes }) => progress.push(sent_bytes) },
    )
    expect(version).toMatchObject({ version: 1, size_bytes: content.length })
    expect(parts.toSorted()).toEqual([1, 2, 3, 4, 5])
    expect(most).toBe(3)
    expect(progress.at(-1)).toBe(content.length)
    expect(progress.length).toBeGreaterThan(20)
    const { url } = await clientOf().assets.getUrl({ id: asset.id, version: 1 })
    expect(Buffer.from(await (await fetch(url)).arrayBuffer()).equals(content)).toBe(true)

    const second = await clientOf().assets.upload({ content: content.subarray(0, 3), asset_id: asset.id })
    expect(second.version.version).toBe(2)
  })

  it('loses nothing when the connection is cut again and again', { tags: 'release' }, async () => {
    const uploading = clientOf().files.upload({ content, name: 'cut' }, { parallel: 2 })
    for (const bytes of [100_000, 4_000_000, 7_000_000])
      await tunnel.cutAt({ traffic: 'bucket', direction: 'up', bytes })
    await tunnel.cutAt({ traffic: 'service', direction: 'down', bytes: 1, request: /\/complete/ })
    const file = await uploading
    expect((await contentOf(file.id)).equals(content)).toBe(true)
  })

  it('goes on while parts arrive, however often another one is refused', { tags: 'release' }, async () => {
    let refusals = 0
    const { fetch: network, parts } = puts(async (request) => {
      if (!request.url.includes('partNumber=1&') || refusals === 3) return fetch(request)
      refusals += 1
      // Each part that follows begins when one before it has arrived.
      await expect.poll(() => parts).toContain(refusals + 2)
      return new Response(null, { status: 503 })
    })
    const client = clientOf({ fetch: network, retry: { ...retry, attempts: 2 } })
    const file = await client.files.upload({ content, name: 'refused' }, { parallel: 2 })
    expect(refusals).toBe(3)
    expect((await contentOf(file.id)).equals(content)).toBe(true)
  })

  it('is resumed with the id alone, and only what is missing is sent', async () => {
    const pause = new AbortController()
    let upload_id = ''
    const cut = clientOf({
      fetch: async (request) => {
        const { uploaded = [] } = request.url.endsWith('/parts') ? await request.clone().json() : {}
        const response = await fetch(request)
        if (uploaded.length > 0) pause.abort(new Error('paused'))
        return response
      },
    }).files.upload(
      { content: shorter, name: 'resumed' },
      {
        parallel: 1,
        signal: pause.signal,
        onStarted: ({ id }) => {
          upload_id = id
        },
      },
    )
    expect(await caught(cut)).toMatchObject({ message: 'paused' })
    const open = await clientOf().uploads.get({ id: upload_id })
    const { uploaded = [] } = 'multipart' in open ? open.multipart : {}
    const before = uploaded.map(({ part_number }) => part_number)
    expect(before).toContain(1)

    const { fetch: network, parts } = puts()
    const progress: number[] = []
    const completed = await clientOf({ fetch: network }).files.upload(
      { content: new Blob([shorter]) },
      { uploadId: upload_id, onProgress: ({ sent_bytes }) => progress.push(sent_bytes) },
    )
    expect(parts.toSorted()).toEqual([1, 2, 3].filter((part) => !before.includes(part)))
    expect(progress[0]).toBe(before.length * PART)
    expect((await contentOf(completed.id)).equals(shorter)).toBe(true)
  })

  it('is complete although a part that was given up arrives after the one that was sent in its place', {
    tags: 'release',
  }, async () => {
    let givenUp: Request | undefined
    const { fetch: network, parts } = puts(async (request) => {
      if (parts.length > 1) return fetch(request)
      givenUp = request
      throw new TypeError('The connection was cut.')
    })
    const client = clientOf({
      fetch: async (request) => {
        if (givenUp && request.url.endsWith('/complete')) {
          const late = givenUp
          givenUp = undefined
          expect((await fetch(late)).status).toBe(200)
        }
        return network(request)
      },
    })
    const file = await client.files.upload(
      { content: new Blob([shorter]), name: 'late.bin' },
      { parallel: 1 },
    )
    expect(parts).toEqual([1, 1, 2, 3, 1])
    expect((await contentOf(file.id)).equals(shorter)).toBe(true)
  })

  it('is complete when it is resumed after such a part has arrived', { tags: 'release' }, async () => {
    const { fetch: network } = puts(async (request, number) => {
      if (number > 1) return fetch(request)
      const response = await fetch(request.clone())
      expect((await fetch(request)).status).toBe(200)
      return response
    })
    const pause = new AbortController()
    let upload_id = ''
    const cut = clientOf({
      fetch: (request) => {
        if (request.url.endsWith('/complete')) pause.abort(new Error('paused'))
        return network(request)
      },
    }).files.upload(
      { content: shorter, name: 'late-resumed.bin' },
      {
        signal: pause.signal,
        onStarted: ({ id }) => {
          upload_id = id
        },
      },
    )
    expect(await caught(cut)).toMatchObject({ message: 'paused' })
    const file = await clientOf().files.upload({ content: shorter }, { uploadId: upload_id })
    expect((await contentOf(file.id)).equals(shorter)).toBe(true)
  })

  it('is complete when a part that an earlier run had recorded is overwritten by a PUT that the run gave up', {
    tags: 'release',
  }, async () => {
    const earlier = clientOf()
    const size_bytes = shorter.length
    const started = { upload_type: 'file', name: 'overwritten.bin', size_bytes, mime_type: 'a/b' } as const
    const { id: upload_id } = await earlier.uploads.start(started)
    const { parts: urls } = await earlier.uploads.presignParts({ id: upload_id, part_numbers: [1, 2] })
    for (const { part_number, url, headers } of urls) {
      const body = shorter.subarray((part_number - 1) * PART, part_number * PART)
      const etag = (await fetch(url, { method: 'PUT', headers, body })).headers.get('ETag') ?? ''
      const uploaded = [{ part_number, etag, checksum_sha256: sha256(body) }]
      await earlier.uploads.presignParts({ id: upload_id, uploaded })
    }
    const [{ url, headers } = expect.fail()] = urls
    expect((await fetch(url, { method: 'PUT', headers, body: randomBytes(PART) })).status).toBe(200)
    const { fetch: network, parts } = puts()
    const client = clientOf({ fetch: network })
    const file = await client.files.upload(
      { content: new Blob([shorter]) },
      { uploadId: upload_id, parallel: 1 },
    )
    // First what this run has sent, then the others.
    expect(parts).toEqual([3, 3, 1, 2])
    expect((await contentOf(file.id)).equals(shorter)).toBe(true)
  })

  it('is refused when it is not the content that the upload was started for', async () => {
    const client = clientOf()
    const { id } = await client.uploads.start({
      upload_type: 'file',
      name: 'other',
      size_bytes: content.length,
      mime_type: 'a/b',
    })
    expect(
      await caught(client.files.upload({ content: content.subarray(1) }, { uploadId: id })),
    ).toBeInstanceOf(RangeError)
    const asAsset = client.assets.upload({ content }, { uploadId: id })
    expect(await caught(asAsset)).toBeInstanceOf(TypeError)
    await client.uploads.abort({ id })
    expect(await caught(client.files.upload({ content }, { uploadId: id }))).toMatchObject({
      code: 'UPLOAD_NOT_FOUND',
    })
  })
})

/** Begins an upload of content in parts, and gives up when two of them are recorded. Returns its id. */
async function cutAfterTwoParts(content: Uint8Array<ArrayBuffer>): Promise<string> {
  const pause = new AbortController()
  let upload_id = ''
  let recorded = 0
  const client = clientOf({
    fetch: async (request) => {
      const { uploaded = [] } = request.url.endsWith('/parts') ? await request.clone().json() : {}
      const response = await fetch(request)
      recorded += uploaded.length
      if (recorded >= 2) pause.abort(new Error('paused'))
      return response
    },
  })
  const onStarted = ({ id }: { id: string }) => {
    upload_id = id
  }
  const cut = client.files.upload(
    { content, name: 'cut.bin' },
    { parallel: 1, signal: pause.signal, onStarted },
  )
  expect(await caught(cut)).toMatchObject({ message: 'paused' })
  return upload_id
}

describe('an upload that is resumed with other content of the same size', { tags: 'release' }, () => {
  const content = randomBytes(2 * PART + 3)
  /** Only the second part is the same. */
  const other = randomBytes(content.length)
  content.copy(other, PART, PART, 2 * PART)

  it('has the other content: of the recorded parts, those that differ are sent again, and no others', async () => {
    const upload_id = await cutAfterTwoParts(content)
    const { fetch: network, parts } = puts()
    const file = await clientOf({ fetch: network }).files.upload(
      { content: new Blob([other]) },
      { uploadId: upload_id },
    )
    expect((await contentOf(file.id)).equals(other)).toBe(true)
    expect(parts.toSorted()).toEqual([1, 3])
  })

  it('has the other content where parts were recorded without a checksum: those are sent again', async () => {
    const upload_id = await cutAfterTwoParts(content)
    const open = await clientOf().uploads.get({ id: upload_id })
    const { uploaded = [] } = 'multipart' in open ? open.multipart : {}
    // What a client of before checksums leaves: other ETags, alone.
    const client = clientOf()
    const { parts: urls } = await client.uploads.presignParts({ id: upload_id, part_numbers: [1, 2] })
    for (const { part_number, url, headers } of urls) {
      const body = content.subarray((part_number - 1) * PART, part_number * PART)
      const etag = (await fetch(url, { method: 'PUT', headers, body })).headers.get('ETag') ?? ''
      expect(uploaded).not.toContainEqual(expect.objectContaining({ etag }))
      await client.uploads.presignParts({ id: upload_id, uploaded: [{ part_number, etag }] })
    }
    const { fetch: network, parts } = puts()
    const file = await clientOf({ fetch: network }).files.upload({ content: other }, { uploadId: upload_id })
    expect((await contentOf(file.id)).equals(other)).toBe(true)
    expect(parts.toSorted()).toEqual([1, 2, 3])
  })

  it('has the other content although the first device wakes up, and sends and records a part of its own', async () => {
    const upload_id = await cutAfterTwoParts(content)
    let isAwake = false
    const file = await clientOf({
      fetch: async (request) => {
        if (!isAwake && request.url.endsWith('/complete')) {
          isAwake = true
          const { parts } = await clientOf().uploads.presignParts({ id: upload_id, part_numbers: [1] })
          const [{ url, headers } = expect.fail()] = parts
          const put = await fetch(url, { method: 'PUT', headers, body: content.subarray(0, PART) })
          const etag = put.headers.get('ETag') ?? ''
          await clientOf().uploads.presignParts({ id: upload_id, uploaded: [{ part_number: 1, etag }] })
        }
        return fetch(request)
      },
    }).files.upload({ content: other }, { uploadId: upload_id })
    expect((await contentOf(file.id)).equals(other)).toBe(true)
  })

  it('is refused where the content goes in one PUT, before anything is sent, also when the first has arrived', async () => {
    const [first, second] = [randomBytes(1_000), randomBytes(1_000)]
    for (const hasArrived of [false, true]) {
      const pause = new AbortController()
      let upload_id = ''
      const { fetch: network, parts } = puts(async (request) => {
        if (hasArrived) await fetch(request)
        pause.abort(new Error('paused'))
        throw new TypeError('The connection was cut.')
      })
      const onStarted = ({ id }: { id: string }) => {
        upload_id = id
      }
      const cut = clientOf({ fetch: network }).files.upload(
        { content: first, name: 'a' },
        { signal: pause.signal, onStarted },
      )
      expect(await caught(cut)).toMatchObject({ message: 'paused' })
      const resumed = clientOf({ fetch: network }).files.upload({ content: second }, { uploadId: upload_id })
      expect(await caught(resumed)).toBeInstanceOf(ContentChangedError)
      expect(parts).toHaveLength(1)
      const file = await clientOf().files.upload({ content: first }, { uploadId: upload_id })
      expect((await contentOf(file.id)).equals(first)).toBe(true)
    }
  })
})

describe('content that changes while it is sent ends its upload with an error of its own', () => {
  const content = randomBytes(PART + 3)

  it.each([
    ['in parts', content, { onStarted: () => {} }, 1],
    ['in one PUT', content.subarray(0, 3_000), { onStarted: () => {} }, 1],
    ['in one request', content.subarray(0, 1_000), {}, 0],
  ])('a file on the disk, %s', async (_, bytes, options, most) => {
    const path = join(folder, `${randomUUID()}.bin`)
    await writeFile(path, bytes)
    const blob = await openAsBlob(path)
    const change = () => appendFile(path, 'more')
    const { fetch: network, parts } = puts(async (request) => {
      await change()
      return fetch(request)
    })
    if (most === 0) await change()
    const upload = clientOf({ fetch: network }).files.upload(
      { content: blob, name: 'growing.bin' },
      { parallel: 1, ...options },
    )
    const error = await caught(upload)
    expect(error).toBeInstanceOf(ContentChangedError)
    expect(error).toMatchObject({ name: 'ContentChangedError', cause: { name: 'NotReadableError' } })
    expect(parts).toHaveLength(most)
  })

  type Changing = { size: number; lastModified?: number; slice(start: number, end: number): Uint8Array }
  it.each<[what: string, change: (content: Changing) => void]>([
    ['whose size changes', (content) => Object.assign(content, { size: content.size + 1 })],
    ['whose time changes', (content) => Object.assign(content, { lastModified: 2 })],
    ['that ends early', (content) => Object.assign(content, { slice: () => new Uint8Array(3) })],
    [
      'that ends late',
      (content) =>
        Object.assign(content, { slice: (start: number, end: number) => new Uint8Array(end - start + 1) }),
    ],
  ])('an object of the game’s own %s', async (_, change) => {
    for (const bytes of [content, content.subarray(0, 3_000)]) {
      const changing: Changing = {
        size: bytes.length,
        lastModified: 1,
        slice: (start, end) => bytes.subarray(start, end),
      }
      let upload_id = ''
      const { fetch: network, parts } = puts(async (request) => {
        change(changing)
        return fetch(request)
      })
      const onStarted = ({ id }: { id: string }) => {
        upload_id = id
      }
      const upload = clientOf({ fetch: network }).files.upload(
        { content: changing, name: 'a' },
        { parallel: 1, onStarted },
      )
      expect(await caught(upload)).toBeInstanceOf(ContentChangedError)
      expect(parts).toHaveLength(1)
      // What it was is still taken.
      const file = await clientOf().files.upload({ content: bytes }, { uploadId: upload_id })
      expect((await contentOf(file.id)).equals(bytes)).toBe(true)
    }
  })

  it('an object of the game’s own whose bytes alone change, before a part of it is sent again', async () => {
    let bytes = content
    const changing = {
      size: content.length,
      slice: (start: number, end: number) => bytes.subarray(start, end),
    }
    const { fetch: network, parts } = puts(async (request, number) => {
      if (number > 1) return fetch(request)
      const response = await fetch(request.clone())
      expect((await fetch(request)).status).toBe(200)
      return response
    })
    const client = clientOf({
      fetch: (request) => {
        if (request.url.endsWith('/complete')) bytes = randomBytes(content.length)
        return network(request)
      },
    })
    const upload = client.files.upload({ content: changing, name: 'a' }, { parallel: 1 })
    expect(await caught(upload)).toBeInstanceOf(ContentChangedError)
    expect(parts).toHaveLength(2)
  })
})

describe('new content for a file', () => {
  it('takes its place when the file is as it was read, and is refused when it has changed', async () => {
    const client = clientOf()
    const file = await client.files.upload({
      content: Buffer.from('old'),
      name: 'note.txt',
      mime_type: 'text/plain',
    })
    const { etag } = await client.files.get({ id: file.id })
    const replaced = await client.files.upload(
      { content: Buffer.from('new'), file_id: file.id },
      { ifMatch: etag },
    )
    expect(replaced).toMatchObject({ id: file.id, name: 'note.txt' })
    expect(String(await contentOf(file.id))).toBe('new')

    const late = client.files.upload({ content: Buffer.from('late'), file_id: file.id }, { ifMatch: etag })
    expect(await caught(late)).toMatchObject({ code: 'PRECONDITION_FAILED' })
    expect(String(await contentOf(file.id))).toBe('new')
  })

  it('can be completed with the new ETag when the file changed while it was sent', async () => {
    const client = clientOf()
    const file = await client.files.upload({ content: Buffer.from('old'), name: 'note.txt' })
    const { etag } = await client.files.get({ id: file.id })
    let upload_id = ''
    const { fetch: network, parts } = puts(async (request) => {
      await client.files.edit({ id: file.id, name: 'renamed.txt' })
      return fetch(request)
    })
    const late = clientOf({ fetch: network }).files.upload(
      { content: Buffer.from('new'), file_id: file.id },
      {
        ifMatch: etag,
        onStarted: ({ id }) => {
          upload_id = id
        },
      },
    )
    expect(await caught(late)).toMatchObject({ code: 'PRECONDITION_FAILED' })
    expect(String(await contentOf(file.id))).toBe('old')

    const renamed = await client.files.get({ id: file.id })
    await clientOf({ fetch: network }).files.upload(
      { content: Buffer.from('new') },
      { uploadId: upload_id, ifMatch: renamed.etag },
    )
    expect(String(await contentOf(file.id))).toBe('new')
    expect(parts).toHaveLength(1)
  })
})

it('works in a runtime that has no more than React Native: no crypto, no streams, blobs that are only sent', async () => {
  const { outputFiles } = await build({
    stdin: {
      contents: `
        import { createClient } from '#client'
        export async function run(options, send) {
          const client = createClient(options)
          const { id } = await client.files.createFolder({ name: 'phone' })
          const bytes = await client.files.upload({ content: new Uint8Array([1, 2, 3]), name: 'bytes', parent_id: id })
          const blob = await client.files.upload({ content: { size: 3, slice: send }, name: 'blob', parent_id: id })
          const names = []
          for await (const { name } of client.files.list({ parent_id: id })) names.push(name)
          return JSON.stringify({ names, ids: [bytes.id, blob.id] })
        }
      `,
      resolveDir: project,
    },
    bundle: true,
    format: 'iife',
    globalName: 'app',
    platform: 'browser',
    write: false,
  })
  const { AbortController, btoa, clearTimeout, Headers, Request, Response, setTimeout, URL } = globalThis
  const known = { AbortController, btoa, clearTimeout, fetch, Headers, Request, Response, setTimeout, URL }
  const phone = createContext(known)
  runInContext(outputFiles[0]?.text ?? '', phone)
  const unreadable = (start: number, end: number) =>
    new Proxy(new Blob([new Uint8Array([4, 5, 6])]).slice(start, end), {
      has: (_, name) => name !== 'arrayBuffer',
    })
  const Ran = z.object({ names: z.array(z.string()), ids: z.array(z.string()) })
  Object.assign(phone, { options: { baseUrl: server.url(), token }, unreadable })
  const { names, ids } = Ran.parse(JSON.parse(await runInContext('app.run(options, unreadable)', phone)))
  expect(names).toEqual(['blob', 'bytes'])
  expect(await Promise.all(ids.map(async (id) => [...(await contentOf(id))]))).toEqual([
    [1, 2, 3],
    [4, 5, 6],
  ])
})

describe('a download', () => {
  const content = Buffer.from('0123456789')

  it('is the content of a file, of a share or of a version, whole or a range', async () => {
    const bob = createClient({ baseUrl: tunnel.origin, token: bobsToken })
    const client = clientOf()
    const file = await client.files.upload({ content, name: 'digits' })
    const { id: share_id } = await client.shares.create({
      id: file.id,
      grantee_id: bobsId,
      permission: 'view',
    })
    const { asset } = await client.assets.upload({
      content,
      asset_type: 'prop',
      name: `Dice ${randomUUID()}`,
    })
    const whole = await client.files.download({ id: file.id })
    expect(whole.status).toBe(200)
    expect(await whole.text()).toBe('0123456789')
    expect(await (await bob.shares.download({ id: share_id })).text()).toBe('0123456789')
    const version = { id: asset.id, version: 1 }
    expect(await (await client.assets.download(version, { range: { start: 2, end: 4 } })).text()).toBe('23')
    expect(await (await client.assets.download(version, { range: { start: 8 } })).text()).toBe('89')
    expect(await caught(bob.files.download({ id: file.id }))).toMatchObject({ code: 'FILE_NOT_FOUND' })
  })

  it('gets a new URL when storage refuses the first, or no answer arrives', async () => {
    const file = await clientOf().files.upload({ content, name: 'digits' })
    let times = 0
    const client = clientOf({
      fetch: async (request) => {
        if (!request.url.includes('/cdn-cgi/')) return fetch(request)
        times += 1
        if (times === 1) throw new TypeError('The connection was cut.')
        return fetch(times === 2 ? new Request(request.url.replace(/X-Amz-Signature=\w/, '$&0')) : request)
      },
    })
    expect(await (await client.files.download({ id: file.id })).text()).toBe('0123456789')
    expect(times).toBe(3)
  })
})

it('does what the README of the client shows', async () => {
  const { source, printed } = readmeExamples()
  const sources = pathToFileURL(join(project, 'client/src/')).href
  await writeFile(
    join(folder, 'readme.ts'),
    source
      .replaceAll('http://localhost:8787', server.url())
      .replaceAll(
        /'edge-game-storage-client(?:\/(\w+))?'/g,
        (_, entry = 'index') => `'${sources}${entry}.ts'`,
      ),
  )
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  await writeFile(join(folder, 'level-1.bin'), Buffer.alloc(5_000_000, 'level'))
  const USER_ID = `ada-${randomUUID()}`
  const scope = 'notifications:publish announcements:publish'
  const STUDIO_TOKEN = await developmentToken('studio', { scope })
  const env = { ...process.env, USER_ID, TOKEN: await developmentToken(USER_ID), STUDIO_TOKEN }
  const { stdout } = await promisify(execFile)(process.execPath, ['readme.ts'], { cwd: folder, env })
  expect(printedByExamples(stdout)).toEqual(printed)
})
