import { execFile } from 'node:child_process'
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { openAsBlob } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ClientOptions, createClient, type UploadProgress } from '#client'
import { project } from './citations.ts'
import { printedByExamples, readmeExamples } from './client-readme.ts'
import { Tunnel } from './proofs/tunnel.ts'
import { finished, Server } from './server.ts'

const MIB = 1024 ** 2
/** The least that R2 takes for a part that is not the last. */
const PART = 5 * MIB

let server: Server
let tunnel: Tunnel
let token: string
let folder: string

beforeAll(async () => {
  server = await Server.start({ MULTIPART_THRESHOLD: String(PART), PART_SIZE: String(PART) })
  tunnel = await Tunnel.to(server.url())
  token = (await finished(['scripts/token.ts', `ada-${randomUUID()}`])).output.trim()
  folder = await mkdtemp(join(tmpdir(), 'uploads-'))
})
afterAll(async () => {
  await tunnel?.close()
  await server?.stop()
  await rm(folder, { recursive: true, force: true })
})

const retry = { minDelayMs: 1, maxDelayMs: 20 }
const clientOf = (options: Partial<ClientOptions> = {}) =>
  createClient({ baseUrl: tunnel.origin, token, retry, ...options })

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('base64')

/** The content of a file, as its owner downloads it. */
async function contentOf(id: string): Promise<Buffer> {
  const { url } = await clientOf().getDownloadUrl({ id })
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
  const content = randomBytes(MIB)

  it('becomes a file, with its checksum declared and its progress told', async () => {
    const progress: UploadProgress[] = []
    let started: unknown
    const { file, upload } = await clientOf().upload(
      new File([content], 'level.bin', { type: 'application/x-level' }),
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
      size_bytes: MIB,
      processing_state: 'ready',
    })
    expect(started).toMatchObject({ id: upload.id, headers: { 'x-amz-checksum-sha256': sha256(content) } })
    expect((await contentOf(file.id)).equals(content)).toBe(true)
    expect(progress.length).toBeGreaterThan(4)
    expect(progress[0]).toEqual({ upload_id: upload.id, sent_bytes: 0, size_bytes: MIB })
    expect(progress.at(-1)).toEqual({ upload_id: upload.id, sent_bytes: MIB, size_bytes: MIB })
    const sent = progress.map(({ sent_bytes }) => sent_bytes)
    expect(sent).toEqual(sent.toSorted((a, b) => a - b))
  })

  it.each<[string, Uint8Array | ArrayBuffer | Blob]>([
    ['a Uint8Array', new Uint8Array([1, 2, 3])],
    ['a Buffer', Buffer.from([1, 2, 3])],
    ['an ArrayBuffer', new Uint8Array([1, 2, 3]).buffer],
    ['a Blob', new Blob([new Uint8Array([1, 2, 3])])],
  ])('may be %s', async (_, bytes) => {
    const { file } = await clientOf().upload(bytes, { name: 'three' })
    expect([...(await contentOf(file.id))]).toEqual([1, 2, 3])
  })

  it('may be empty', async () => {
    const { file } = await clientOf().upload(new Uint8Array(), { name: 'nothing' })
    expect(file).toMatchObject({ size_bytes: 0, processing_state: 'ready' })
  })

  it('is sent again when the connection is cut in the midst of it', async () => {
    const cut = tunnel.cutAt({ traffic: 'bucket', direction: 'up', bytes: 300_000 })
    const { file } = await clientOf().upload(content, { name: 'cut' })
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
    const { file } = await clientOf({ fetch: network }).upload(content, { name: 'lost' })
    expect(parts).toHaveLength(2)
    expect((await contentOf(file.id)).equals(content)).toBe(true)
  })

  it('gets a new URL when the first is refused', async () => {
    const { fetch: network, parts } = puts((request, number) => {
      const expired = request.url.replace(/X-Amz-Signature=\w/, 'X-Amz-Signature=_')
      return fetch(number > 1 ? request : new Request(expired, request))
    })
    const { file } = await clientOf({ fetch: network }).upload(content, { name: 'expired' })
    expect(parts).toHaveLength(2)
    expect((await contentOf(file.id)).equals(content)).toBe(true)
  })

  it('ends with the error of storage when it is refused as often as it may be sent', async () => {
    const { fetch: network, parts } = puts((request) =>
      fetch(new Request(request.url.replace(/X-Amz-Signature=\w/, 'X-Amz-Signature=_'), request)),
    )
    const client = clientOf({ fetch: network, retry: { ...retry, attempts: 2 } })
    const error = await caught(client.upload(Buffer.from('abc'), { name: 'refused' }))
    expect(error).toMatchObject({ name: 'StorageError', status: 403 })
    expect(parts).toHaveLength(2)
  })

  it('is not sent a second time when it had arrived before the upload was cut', async () => {
    const pause = new AbortController()
    let upload_id = ''
    const { fetch: network, parts } = puts(async (request) => {
      const response = await fetch(request)
      pause.abort(new Error('paused'))
      return response
    })
    const cut = clientOf({ fetch: network }).upload(content, {
      name: 'arrived',
      signal: pause.signal,
      onStarted: ({ id }) => {
        upload_id = id
      },
    })
    expect(await caught(cut)).toMatchObject({ message: 'paused' })
    const client = clientOf({ fetch: network })
    expect((await client.upload(content, { upload_id })).upload).toMatchObject({ state: 'completed' })
    expect((await client.upload(content, { upload_id })).upload).toMatchObject({ state: 'completed' })
    expect(parts).toHaveLength(1)
  })
})

describe('content in parts', () => {
  const content = randomBytes(4 * PART + 3)

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
    const { asset, version } = await clientOf({ fetch: network }).upload(await openAsBlob(path), {
      upload_type: 'game_asset',
      asset_type: 'world',
      name: `Castle ${randomUUID()}`,
      parallel: 3,
      onProgress: ({ sent_bytes }) => progress.push(sent_bytes),
    })
    expect(version).toMatchObject({ version: 1, size_bytes: content.length })
    expect(parts.toSorted()).toEqual([1, 2, 3, 4, 5])
    expect(most).toBe(3)
    expect(progress.at(-1)).toBe(content.length)
    expect(progress.length).toBeGreaterThan(20)
    const { url } = await clientOf().getVersionUrl({ id: asset.id, version: 1 })
    expect(Buffer.from(await (await fetch(url)).arrayBuffer()).equals(content)).toBe(true)

    const second = await clientOf().upload(content, { upload_type: 'game_asset', asset_id: asset.id })
    expect(second.version.version).toBe(2)
  })

  it('loses nothing when the connection is cut again and again', async () => {
    const uploading = clientOf().upload(content, { name: 'cut', parallel: 2 })
    for (const bytes of [100_000, 4_000_000, 7_000_000])
      await tunnel.cutAt({ traffic: 'bucket', direction: 'up', bytes })
    await tunnel.cutAt({ traffic: 'service', direction: 'down', bytes: 1, request: /\/complete/ })
    const { file } = await uploading
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
    }).upload(content, {
      name: 'resumed',
      parallel: 1,
      signal: pause.signal,
      onStarted: ({ id }) => {
        upload_id = id
      },
    })
    expect(await caught(cut)).toMatchObject({ message: 'paused' })
    const open = await clientOf().getUpload({ id: upload_id })
    const { uploaded = [] } = 'multipart' in open ? open.multipart : {}
    const before = uploaded.map(({ part_number }) => part_number)
    expect(before).toContain(1)

    const { fetch: network, parts } = puts()
    const progress: number[] = []
    const completed = await clientOf({ fetch: network }).upload(new Blob([content]), {
      upload_id,
      onProgress: ({ sent_bytes }) => progress.push(sent_bytes),
    })
    expect(parts.toSorted()).toEqual([1, 2, 3, 4, 5].filter((part) => !before.includes(part)))
    expect(progress[0]).toBe(before.length * PART)
    expect((await contentOf(completed.file.id)).equals(content)).toBe(true)
  })

  it('is refused when it is not the content that the upload was started for', async () => {
    const client = clientOf()
    const { id } = await client.startUpload({
      upload_type: 'file',
      name: 'other',
      size_bytes: content.length,
      mime_type: 'a/b',
    })
    expect(await caught(client.upload(content.subarray(1), { upload_id: id }))).toBeInstanceOf(RangeError)
    const asAsset = client.upload(content, { upload_type: 'game_asset', upload_id: id })
    expect(await caught(asAsset)).toBeInstanceOf(TypeError)
    await client.abortUpload({ id })
    expect(await caught(client.upload(content, { upload_id: id }))).toMatchObject({
      code: 'UPLOAD_NOT_FOUND',
    })
  })
})

describe('new content for a file', () => {
  it('takes its place when the file is as it was read, and is refused when it has changed', async () => {
    const client = clientOf()
    const { file } = await client.upload(Buffer.from('old'), { name: 'note.txt', mime_type: 'text/plain' })
    const { etag } = await client.getFile({ id: file.id })
    const replaced = await client.upload(Buffer.from('new'), { file_id: file.id, ifMatch: etag })
    expect(replaced.file).toMatchObject({ id: file.id, name: 'note.txt' })
    expect(String(await contentOf(file.id))).toBe('new')

    const late = client.upload(Buffer.from('late'), { file_id: file.id, ifMatch: etag })
    expect(await caught(late)).toMatchObject({ code: 'PRECONDITION_FAILED' })
    expect(String(await contentOf(file.id))).toBe('new')
  })

  it('can be completed with the new ETag when the file changed while it was sent', async () => {
    const client = clientOf()
    const { file } = await client.upload(Buffer.from('old'), { name: 'note.txt' })
    const { etag } = await client.getFile({ id: file.id })
    let upload_id = ''
    const { fetch: network, parts } = puts(async (request) => {
      await client.editFile({ id: file.id, name: 'renamed.txt' })
      return fetch(request)
    })
    const late = clientOf({ fetch: network }).upload(Buffer.from('new'), {
      file_id: file.id,
      ifMatch: etag,
      onStarted: ({ id }) => {
        upload_id = id
      },
    })
    expect(await caught(late)).toMatchObject({ code: 'PRECONDITION_FAILED' })
    expect(String(await contentOf(file.id))).toBe('old')

    const renamed = await client.getFile({ id: file.id })
    await clientOf({ fetch: network }).upload(Buffer.from('new'), { upload_id, ifMatch: renamed.etag })
    expect(String(await contentOf(file.id))).toBe('new')
    expect(parts).toHaveLength(1)
  })
})

it('does what the README of the client shows', async () => {
  const { source, printed } = readmeExamples()
  const sources = pathToFileURL(join(project, 'client/src/index.ts')).href
  await writeFile(
    join(folder, 'readme.ts'),
    source
      .replaceAll('http://localhost:8787', server.url())
      .replaceAll("'edge-game-storage-client'", `'${sources}'`),
  )
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  await writeFile(join(folder, 'level-1.bin'), Buffer.alloc(5_000_000, 'level'))
  const TOKEN = (await finished(['scripts/token.ts', `ada-${randomUUID()}`])).output.trim()
  const env = { ...process.env, TOKEN }
  const { stdout } = await promisify(execFile)(process.execPath, ['readme.ts'], { cwd: folder, env })
  expect(printedByExamples(stdout)).toEqual(printed)
})
