import { spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { type ClientOptions, ContentDamagedError, createClient, type UpdateProgress } from '#client'
import { folderContent } from '#client/node'
import { developmentToken } from '../../scripts/development.ts'
import { project } from './citations.ts'
import { Tunnel } from './proofs/tunnel.ts'
import { PART_BYTES, type SharedServer, sharedServer } from './shared-servers.ts'

const MIB = 1024 ** 2

let server: SharedServer
let tunnel: Tunnel
let token: string
let folder: string

beforeAll(async () => {
  server = await sharedServer('small_parts')
  tunnel = await Tunnel.to(server.url())
})
afterAll(() => tunnel?.close())

beforeEach(async () => {
  token = await developmentToken(`ada-${randomUUID()}`)
  folder = await mkdtemp(join(tmpdir(), 'installed-'))
  return () => rm(folder, { recursive: true, force: true })
})

const retry = { minDelayMs: 1, maxDelayMs: 20 }
const clientOf = (options: Partial<ClientOptions> = {}) =>
  createClient({ baseUrl: tunnel.origin, token, retry, ...options })

/** A client whose requests to storage are noted, by where they begin, and answered by `act`. */
function clientOver(
  act: (request: Request, number: number) => Promise<Response> = (request) => fetch(request),
) {
  const starts: number[] = []
  const client = clientOf({
    fetch: (request) => {
      if (!request.url.includes('/cdn-cgi/')) return fetch(request)
      starts.push(Number(/\d+/.exec(request.headers.get('Range') ?? '')?.[0]))
      return act(request, starts.length)
    },
  })
  return { client, starts }
}

/** An answer whose body passes through `change`, piece by piece. */
function passing(response: Response, change: (piece: Uint8Array, at: number) => Uint8Array): Response {
  let at = 0
  const changing = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, controller) {
      controller.enqueue(change(piece, at))
      at += piece.length
    },
  })
  return new Response(response.body?.pipeThrough(changing) ?? null, response)
}

/** An answer whose body is held up behind so many bytes, until `released` has resolved. */
function holding(response: Response, bytes: number, released: Promise<void>): Response {
  let passed = 0
  const held = new TransformStream<Uint8Array, Uint8Array>({
    async transform(piece, controller) {
      controller.enqueue(piece)
      passed += piece.length
      if (passed >= bytes) await released
    },
  })
  return new Response(response.body?.pipeThrough(held) ?? null, response)
}

/** An answer with a wrong byte at its start. */
const withWrongByte = (response: Response) =>
  passing(response, (piece, at) =>
    at > 0 ? piece : Uint8Array.from(piece, (byte, index) => (index === 0 ? byte ^ 1 : byte)),
  )

/** A world with a version for each of these contents. */
async function publish(...contents: Buffer<ArrayBuffer>[]): Promise<string> {
  const [first = Buffer.alloc(0), ...others] = contents
  const name = `World ${randomUUID()}`
  const { asset } = await clientOf().assets.upload({ content: first, asset_type: 'world', name })
  for (const content of others) await clientOf().assets.upload({ content, asset_id: asset.id })
  return asset.id
}

/** What this folder has of an asset, read by a game that has just started. */
async function bytesOf(asset_id: string): Promise<Buffer | undefined> {
  const installed = await clientOf().assets.installed(folderContent(folder))
  const found = installed.find((one) => one.asset_id === asset_id)
  return found && Buffer.from(await (await found.content()).arrayBuffer())
}

async function expectBytes(asset_id: string, expected: Buffer): Promise<void> {
  expect((await bytesOf(asset_id))?.equals(expected)).toBe(true)
}

/** Updates the folder in another process, which is killed when it asks storage for more than so many pieces. */
async function updateElsewhere(asset_id: string, pieces: number) {
  const script = `
    import { createClient } from ${JSON.stringify(join(project, 'client/src/index.ts'))}
    import { folderContent } from ${JSON.stringify(join(project, 'client/src/node.ts'))}
    const [baseUrl, token, folder, asset_id, pieces] = process.argv.slice(1)
    let asked = 0
    const client = createClient({ baseUrl, token, retry: { minDelayMs: 1 }, fetch: (request) => {
      if (request.headers.has('Range') && ++asked > pieces) process.kill(process.pid, 'SIGKILL')
      return fetch(request)
    } })
    await client.assets.update(folderContent(folder), { assets: [{ asset_id }] })`
  const words = ['--input-type=module', '-e', script, tunnel.origin, token, folder, asset_id, `${pieces}`]
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'ignore', 'inherit'] })
  const [code, signal] = await once(child, 'exit')
  return { code, signal }
}

const caught = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => expect.unreachable('this has to fail'),
    (error: unknown) => error,
  )

describe('an update of a list', () => {
  it('says what is newer, with what it takes to download it, and why others have nothing', async () => {
    const asset_id = await publish(Buffer.from('one'), Buffer.from('three'))
    const unknown = '0192f3c4-5d6e-7abc-8def-0123456789ab'
    const { client, starts } = clientOver()
    const list = [
      { asset_id, version: 1 },
      { asset_id: unknown, version: 1 },
    ]
    const { versions } = await client.assets.get({ id: asset_id })
    expect(await client.assets.update(list, { platform: 'windows' })).toEqual({
      updates: [
        {
          asset_id,
          version: 2,
          platform: null,
          size_bytes: 5,
          checksum_sha256: versions[0]?.checksum_sha256,
        },
      ],
      refused: [{ asset_id: unknown, code: 'ASSET_NOT_FOUND' }],
    })
    expect(await client.assets.update([{ asset_id, version: 2 }])).toEqual({ updates: [], refused: [] })
    expect(starts).toEqual([])
  })

  it('asks about 100 assets at a time', async () => {
    let requests = 0
    const client = clientOf({
      fetch: (request) => {
        if (request.url.endsWith('/v1/game/updates')) requests++
        return fetch(request)
      },
    })
    const list = Array.from({ length: 101 }, () => ({ asset_id: randomUUID(), version: 1 }))
    const { refused } = await client.assets.update(list)
    expect(refused.map(({ asset_id }) => asset_id)).toEqual(list.map(({ asset_id }) => asset_id))
    expect(requests).toBe(2)
  })

  it('refuses an option that is written as a member, before a request', async () => {
    const wrong: object = { on_progress: () => {} }
    await expect(clientOf().assets.update([], wrong)).rejects.toThrow('There is no option on_progress')
  })
})

describe('an update of a folder', () => {
  const one = randomBytes(2 * MIB)
  const two = randomBytes(3 * MIB)

  it('installs what is wanted, tells its progress, and is there without a network', async () => {
    const asset_id = await publish(one)
    const { client, starts } = clientOver()
    const told: UpdateProgress[] = []
    const worlds = folderContent(folder)
    const options = { assets: [{ asset_id }], onProgress: (now: UpdateProgress) => told.push(now) }
    const { updates, refused } = await client.assets.update(worlds, options)
    expect(updates).toMatchObject([{ asset_id, version: 1, size_bytes: one.length }])
    expect(refused).toEqual([])
    expect(told[0]).toEqual({ asset_id, received_bytes: 0, size_bytes: one.length })
    expect(told.at(-1)).toEqual({ asset_id, received_bytes: one.length, size_bytes: one.length })
    expect(await client.assets.update(worlds, options)).toEqual({ updates: [], refused: [] })
    expect(starts).toEqual([0])

    const offline = createClient({ baseUrl: 'http://localhost:1', token, retry: { attempts: 1 } })
    const [installed] = await offline.assets.installed(folderContent(folder))
    expect(installed).toMatchObject(updates[0] ?? {})
    await expectBytes(asset_id, one)
    expect(await caught(offline.assets.update(worlds))).toMatchObject({ code: 'NETWORK' })
    await expectBytes(asset_id, one)
    await worlds.remove({ asset_id })
    expect(await worlds.list()).toEqual([])
    expect(await readdir(folder)).toEqual([])
  })

  it('goes on where the connection was cut', async () => {
    const asset_id = await publish(two)
    const { client, starts } = clientOver()
    const cut = tunnel.cutAt({ traffic: 'bucket', direction: 'down', bytes: MIB })
    await client.assets.update(folderContent(folder), { assets: [{ asset_id }] })
    await cut
    expect(starts).toHaveLength(2)
    expect(starts[1]).toBeGreaterThan(0)
    await expectBytes(asset_id, two)
  })

  it('goes on when nothing more arrives', async () => {
    const asset_id = await publish(two)
    const starts: number[] = []
    const client = clientOf({
      timeoutMs: 2_000,
      retry: { ...retry, attempts: 50 }, // on a busy machine, the service may take longer
      fetch: async (request) => {
        const response = await fetch(request)
        if (!request.url.includes('/cdn-cgi/') || starts.push(1) > 1) return response
        return holding(response, 1, new Promise(() => {}))
      },
    })
    await client.assets.update(folderContent(folder), { assets: [{ asset_id }] })
    expect(starts.length).toBeGreaterThan(1)
    await expectBytes(asset_id, two)
  })

  it('gets a new URL when the first is refused', async () => {
    const asset_id = await publish(one)
    const { client, starts } = clientOver((request, number) => {
      const expired = request.url.replace(/X-Amz-Signature=\w/, 'X-Amz-Signature=_')
      return fetch(number > 1 ? request : new Request(expired, request))
    })
    await client.assets.update(folderContent(folder), { assets: [{ asset_id }] })
    expect(starts).toEqual([0, 0])
    await expectBytes(asset_id, one)
  })

  it('ends with the reason of its signal, keeps the old version, and the next one goes on', async () => {
    const asset_id = await publish(one)
    await clientOf().assets.update(folderContent(folder), { assets: [{ asset_id }] })
    await clientOf().assets.upload({ content: two, asset_id })
    const pause = new AbortController()
    const onProgress = ({ received_bytes }: UpdateProgress) => {
      if (received_bytes > MIB) pause.abort(new Error('paused'))
    }
    const { client } = clientOver()
    const paused = client.assets.update(folderContent(folder), { signal: pause.signal, onProgress })
    expect(await caught(paused)).toMatchObject({ message: 'paused' })
    await expectBytes(asset_id, one)

    const { client: next, starts } = clientOver()
    const { updates } = await next.assets.update(folderContent(folder))
    expect(updates).toMatchObject([{ asset_id, version: 2 }])
    expect(starts).toHaveLength(1)
    expect(starts[0]).toBeGreaterThan(MIB)
    await expectBytes(asset_id, two)
    expect((await readdir(folder)).filter((name) => name.endsWith('.content'))).toHaveLength(1)
  })

  it('goes on where a process was killed', async () => {
    const asset_id = await publish(two)
    // What has arrived is written every 4 MiB, and when the connection is cut.
    const cut = tunnel.cutAt({ traffic: 'bucket', direction: 'down', bytes: MIB })
    const { signal } = await updateElsewhere(asset_id, 1)
    expect(signal).toBe('SIGKILL')
    await cut
    expect(await bytesOf(asset_id)).toBeUndefined()

    const { client, starts } = clientOver()
    await client.assets.update(folderContent(folder), { assets: [{ asset_id }] })
    expect(starts).toHaveLength(1)
    expect(starts[0]).toBeGreaterThan(0)
    await expectBytes(asset_id, two)
    expect((await readdir(folder)).filter((name) => name.endsWith('.part'))).toEqual([])
  })

  it('downloads content with a wrong byte once more, from the start', async () => {
    const asset_id = await publish(one)
    const { client, starts } = clientOver(async (request, number) => {
      const response = await fetch(request)
      return number > 1 ? response : withWrongByte(response)
    })
    await client.assets.update(folderContent(folder), { assets: [{ asset_id }] })
    expect(starts).toEqual([0, 0])
    await expectBytes(asset_id, one)
  })

  it('never installs content with a wrong byte, keeps the old version, and goes on with the next asset', async () => {
    const [asset_id, other] = [await publish(one), await publish(Buffer.from('small'))]
    const wanted = { assets: [{ asset_id }, { asset_id: other }] }
    await clientOf().assets.update(folderContent(folder), { assets: [{ asset_id }] })
    await clientOf().assets.upload({ content: two, asset_id })
    const { client } = clientOver(async (request) => {
      const response = await fetch(request)
      return response.headers.get('Content-Length') === '5' ? response : withWrongByte(response)
    })
    const { updates, refused } = await client.assets.update(folderContent(folder), wanted)
    expect(updates).toMatchObject([{ asset_id: other }])
    expect(refused).toEqual([{ asset_id, code: 'CONTENT_DAMAGED' }])
    await expectBytes(asset_id, one)
    await expectBytes(other, Buffer.from('small'))
  })

  it('installs content without a checksum by its size', { tags: 'release' }, async () => {
    const parts = randomBytes(2 * PART_BYTES + 3)
    const asset_id = await publish(parts)
    const { client, starts } = clientOver(async (request, number) => {
      const response = await fetch(request)
      // More than there is: something else has answered.
      return number > 1 ? response : passing(response, (piece) => Buffer.concat([piece, piece]))
    })
    const { updates } = await client.assets.update(folderContent(folder), { assets: [{ asset_id }] })
    expect(updates).toMatchObject([{ asset_id, checksum_sha256: null, size_bytes: parts.length }])
    expect(starts).toEqual([0, 0])
    await expectBytes(asset_id, parts)
  })

  it('downloads the same bytes of two assets once, and keeps them for the one when the other has changed', async () => {
    const [first, second] = [await publish(one), await publish(one)]
    const { client, starts } = clientOver()
    const wanted = { assets: [{ asset_id: first }, { asset_id: second }] }
    await client.assets.update(folderContent(folder), wanted)
    expect(starts).toEqual([0])
    await client.assets.upload({ content: two, asset_id: first })
    await client.assets.update(folderContent(folder))
    await expectBytes(first, two)
    await expectBytes(second, one)
  })

  it('downloads once when two clients update one folder at the same time', async () => {
    const asset_id = await publish(two)
    const { client, starts } = clientOver()
    const update = () => client.assets.update(folderContent(folder), { assets: [{ asset_id }] })
    const both = await Promise.all([update(), update()])
    for (const { updates } of both) expect(updates).toMatchObject([{ asset_id, version: 1 }])
    expect(starts).toEqual([0])
    await expectBytes(asset_id, two)
  })

  it('has the right bytes when processes update one folder at the same time', {
    tags: 'release',
  }, async () => {
    const asset_id = await publish(two)
    const ended = await Promise.all([1, 2, 3].map(() => updateElsewhere(asset_id, 10)))
    expect(ended).toEqual(ended.map(() => ({ code: 0, signal: null })))
    await expectBytes(asset_id, two)
    const kinds = (await readdir(folder)).map((name) => name.replace(/^.*\./, ''))
    expect(kinds.toSorted()).toEqual(['content', 'json'])
  })

  it('has no wrong bytes when the disk has damaged them, and none when the folder is gone: it downloads them again', async () => {
    const asset_id = await publish(one)
    const wanted = { assets: [{ asset_id }] }
    const worlds = folderContent(folder)
    await clientOf().assets.update(worlds, wanted)
    const [name = ''] = (await readdir(folder)).filter((name) => name.endsWith('.content'))
    const bytes = await readFile(join(folder, name))
    bytes[MIB] = (bytes[MIB] ?? 0) ^ 1
    await writeFile(join(folder, name), bytes)
    expect(await caught(bytesOf(asset_id))).toBeInstanceOf(ContentDamagedError)
    expect(await worlds.list()).toEqual([])
    await clientOf().assets.update(folderContent(folder))
    await expectBytes(asset_id, one)

    await rm(folder, { recursive: true })
    expect(await worlds.list()).toEqual([])
    await clientOf().assets.update(worlds, wanted)
    await expectBytes(asset_id, one)
  })

  it('passes over files that are damaged, or are something else', { tags: 'release' }, async () => {
    const asset_id = await publish(one)
    const wanted = { assets: [{ asset_id }] }
    await clientOf().assets.update(folderContent(folder), wanted)
    const row = join(folder, `${asset_id}.json`)
    await writeFile(join(folder, 'settings.json'), '{"volume":3}')
    await writeFile(join(folder, 'other.json'), await readFile(row))
    await expectBytes(asset_id, one)
    for (const damaged of ['', '{}', '[]', '5', 'null', `{"asset_id":"${asset_id}"}`]) {
      await writeFile(row, damaged)
      expect(await folderContent(folder).list()).toEqual([])
      await clientOf().assets.update(folderContent(folder), wanted)
      await expectBytes(asset_id, one)
    }
  })

  it('passes over folders that are in the place of files, and installs what they are in the place of', {
    tags: 'release',
  }, async () => {
    const [asset_id, other] = [await publish(one), await publish(Buffer.from('small'))]
    const wanted = { assets: [{ asset_id }, { asset_id: other }] }
    await clientOf().assets.update(folderContent(folder), wanted)
    const [content = ''] = (await readdir(folder)).filter((name) => name.endsWith('.content'))
    await writeFile(join(folder, 'another.content'), 'of a version that was not installed')
    for (const name of [`${asset_id}.json`, content, 'another.json']) {
      await rm(join(folder, name), { force: true })
      await mkdir(join(folder, name, 'within'), { recursive: true })
    }
    await clientOf().assets.update(folderContent(folder), wanted)
    await expectBytes(asset_id, one)
    await expectBytes(other, Buffer.from('small'))
    expect(await readdir(folder)).not.toContain('another.content')
    await folderContent(folder).remove({ asset_id: other })
    expect(await bytesOf(other)).toBeUndefined()
  })

  it('deletes what a killed process has left of other versions', { tags: 'release' }, async () => {
    const asset_id = await publish(one)
    const wanted = { assets: [{ asset_id }] }
    await clientOf().assets.update(folderContent(folder), wanted)
    const child = spawn(process.execPath, ['-e', ''], { stdio: 'ignore' })
    await once(child, 'exit')
    await writeFile(join(folder, `${asset_id}.json.${child.pid}.new`), '{')
    await writeFile(join(folder, 'another.content'), 'of a version that was not installed')
    await clientOf().assets.upload({ content: two, asset_id })
    await clientOf().assets.update(folderContent(folder), wanted)
    const kinds = (await readdir(folder)).map((name) => name.replace(/^.*\./, ''))
    expect(kinds.toSorted()).toEqual(['content', 'json'])
    await expectBytes(asset_id, two)
  })

  it('writes all of a piece, also where the disk takes a part of it', async () => {
    const asset_id = await publish(one)
    const file = await open(join(folder, 'any'), 'w')
    await file.close()
    const files = Object.getPrototypeOf(file)
    const { write } = files
    const half = vi.spyOn(files, 'write')
    half.mockImplementation(function (this: unknown, piece, from, length, at) {
      return Reflect.apply(write, this, [piece, from, Math.ceil(Number(length) / 2), at])
    })
    try {
      await clientOf().assets.update(folderContent(folder), { assets: [{ asset_id }] })
      expect(half.mock.calls.length).toBeGreaterThan(1)
    } finally {
      half.mockRestore()
    }
    await expectBytes(asset_id, one)
  })

  it('fails when the folder goes while it downloads, and the next one begins anew', {
    tags: 'release',
  }, async () => {
    const parts = randomBytes(2 * PART_BYTES)
    const asset_id = await publish(parts)
    const goOn = Promise.withResolvers<void>()
    const { client } = clientOver(async (request) => holding(await fetch(request), 6 * MIB, goOn.promise))
    const isWritten = Promise.withResolvers<void>()
    const failing = caught(
      client.assets.update(folderContent(folder), {
        assets: [{ asset_id }],
        onProgress: ({ received_bytes }) => received_bytes > 5 * MIB && isWritten.resolve(),
      }),
    )
    await isWritten.promise
    await rm(folder, { recursive: true })
    goOn.resolve()
    expect(await failing).toMatchObject({ code: 'ENOENT' })
    await client.assets.update(folderContent(folder), { assets: [{ asset_id }] })
    await expectBytes(asset_id, parts)
  })
})

describe('what players get', () => {
  it('is what was released, what fits their build and their platform, and with its key what a channel has', async () => {
    const creator = clientOf()
    const asset_id = await publish(Buffer.from('one'))
    await creator.assets.upload({ content: Buffer.from('two'), asset_id, min_build: 200 })
    await creator.assets.upload({ content: Buffer.from('three'), asset_id })
    const android = Buffer.from('two for android')
    await creator.assets.upload({ content: android, asset_id, version: 2, platform: 'android' })
    const { etag } = await creator.assets.edit({ id: asset_id, visibility: 'public' })
    expect(await creator.assets.release({ id: asset_id, version: 2 }, { ifMatch: etag })).toMatchObject({
      channel: 'live',
      version: 2,
    })
    const { key } = await creator.assets.setChannel({ id: asset_id, channel: 'beta', version: 3 })
    if (key === null) throw new Error('A channel for testers has a key.')

    const player = createClient({
      baseUrl: server.url(),
      token: await developmentToken(`bob-${randomUUID()}`),
    })
    const installed = async (options: { platform?: string; build?: number }, channel_key?: string) => {
      const worlds = folderContent(await mkdtemp(join(folder, 'device-')))
      const given = { assets: [{ asset_id, channel_key }], ...options }
      const { updates } = await player.assets.update(worlds, given)
      const [world] = await worlds.list()
      return [updates[0]?.version, updates[0]?.platform, await (await world?.content())?.text()]
    }
    expect(await installed({})).toEqual([2, null, 'two'])
    expect(await installed({ build: 100 })).toEqual([1, null, 'one'])
    expect(await installed({ platform: 'android' })).toEqual([2, 'android', android.toString()])
    expect(await installed({ platform: 'windows', build: 300 })).toEqual([2, null, 'two'])
    expect(await installed({}, key)).toEqual([3, null, 'three'])

    expect((await creator.assets.listChannels({ id: asset_id })).channels).toHaveLength(2)
    await creator.assets.deleteChannel({ id: asset_id, channel: 'live' })
    expect(await installed({})).toEqual([3, null, 'three'])
    await creator.assets.editVersion({ id: asset_id, version: 3, max_build: 100 })
    expect(await installed({ build: 300 })).toEqual([2, null, 'two'])
    await creator.assets.deleteVariant({ id: asset_id, version: 2, platform: 'android' })
    expect(await installed({ build: 300, platform: 'android' })).toEqual([2, null, 'two'])
  })
})
