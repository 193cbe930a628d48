import { openAsBlob } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { type Client, createClient } from '#client'
import { launchBrowser } from '../../../scripts/browser.ts'
import { developmentToken } from '../../../scripts/development.ts'
import { seeded } from '../../support/seeded.ts'
import { Site } from '../browser/site.ts'
import { Tab } from '../browser/tab.ts'
import type { UploaderActs } from '../browser/uploader.ts'
import { PART_BYTES, sharedServer } from '../shared-servers.ts'
import { differenceOf, writeContent } from './content.ts'
import { Cuts } from './cuts.ts'
import { SenderProcess } from './sender-process.ts'
import { type Moment, Tunnel } from './tunnel.ts'

const MIB = 1024 ** 2
const SMALL_BYTES = 200_000
const seed = Number(process.env.PROVE_SEED ?? 20_261_121)
const amount = Number(process.env.PROVE_AMOUNT ?? 0)
const size_bytes = amount ? 300 * MIB : 3 * PART_BYTES + 3
const most = amount || 4
const kills = Math.ceil(most / 4)

const server = await sharedServer('proofs')
let directory: string
let path: string
let tunnel: Tunnel
let token: string
/** Ada's client without a tunnel, to look at what has come of it. */
let direct: Client

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'edge-game-storage-'))
  path = join(directory, 'level.bin')
  await writeContent(path, size_bytes, seed)
})
afterAll(() => rm(directory, { recursive: true }))

let users = 0
beforeEach(async () => {
  token = await developmentToken(`sender-${users++}`)
  direct = createClient({ baseUrl: server.url(), token })
  tunnel = await Tunnel.to(server.url())
})
afterEach(() => tunnel.close())

/** A moment at which an upload is under way whose id the client knows. */
function someMoment(random: () => number): Moment {
  const draw = random()
  const direction = random() < 0.5 ? 'up' : 'down'
  if (draw < 0.2) return { traffic: 'service', direction, bytes: 1, request: /\/(parts|complete) HTTP/ }
  if (draw < 0.3) return { traffic: 'service', direction, bytes: 1, request: /\/complete HTTP/ }
  return { traffic: 'bucket', direction: 'up', bytes: 1 + Math.floor(random() * 0.4 * size_bytes) }
}

/** The parts of an upload that the service has, and so nobody needs to send again. */
async function recordedParts(id: string): Promise<number[]> {
  const upload = await direct.uploads.get({ id })
  const parts = 'multipart' in upload ? upload.multipart : undefined
  return (parts?.uploaded ?? []).map(({ part_number }) => part_number)
}

/** The parts that have been sent through the tunnel since it had carried so many requests. */
function partsSentSince(count: number): number[] {
  const puts = tunnel.requests.slice(count).filter((request) => request.startsWith('PUT /cdn-cgi/'))
  return puts.map((request) => Number(/[?&]partNumber=(\d+)/.exec(request)?.[1]))
}

/** Requires that the user has these files, each with the same bytes, and nothing else. */
async function expectContents(ids: string[], content = { path, size_bytes }): Promise<void> {
  for (const id of ids) {
    const { url } = await direct.files.getUrl({ id })
    expect(await differenceOf(url, content.path)).toBeUndefined()
  }
  const listed: string[] = []
  for await (const file of direct.files.list()) listed.push(file.id)
  expect(listed.sort()).toEqual([...ids].sort())
  expect((await direct.quota.get()).used_bytes).toBe(ids.length * content.size_bytes)
}

it(`sends the same bytes, though the network is cut ${most} times`, async () => {
  const retry = { attempts: Number.POSITIVE_INFINITY, minDelayMs: 20, maxDelayMs: 200 }
  const client = createClient({ baseUrl: tunnel.origin, token, retry })
  const cuts = new Cuts(tunnel, seeded(seed), { most, partSize: PART_BYTES })
  const ids: string[] = []
  while (!cuts.areDone) {
    const content = await openAsBlob(path)
    const file = await cuts.during(() => client.files.upload({ content, name: `level-${ids.length}.bin` }))
    ids.push(file.id)
  }
  await expectContents(ids)
  console.log(`Node: ${ids.length} uploads of ${size_bytes} bytes; ${cuts}`)
})

it(`is resumed by another process with the id alone, ${kills} times after a SIGKILL`, async () => {
  const random = seeded(seed + 1)
  const ids: string[] = []
  let upload_id: string | undefined
  let killed = 0
  let resent = 0
  while (killed < kills || upload_id !== undefined) {
    const recorded = upload_id ? await recordedParts(upload_id) : []
    const before = tunnel.requests.length
    const sender = new SenderProcess(tunnel.origin, token, path, ...(upload_id ? [upload_id] : []))
    if (killed === 0) await untilSomeIsRecorded(sender)
    else if (killed < kills) await Promise.race([tunnel.reach(someMoment(random)), sender.ended])
    else await sender.ended
    await sender.kill()
    tunnel.disarm()
    tunnel.release()
    const sent = partsSentSince(before)
    expect(sent.filter((part) => recorded.includes(part))).toEqual([])
    resent += sent.length - new Set(sent).size
    if (sender.file_id === undefined) killed++
    else ids.push(sender.file_id)
    // One that goes on with an upload is killed before it has said so, and may have completed it.
    upload_id = sender.file_id === undefined ? (sender.upload_id ?? upload_id) : undefined
  }
  await expectContents(ids)
  expect(resent).toBe(0) // the network was up all the time
  console.log(`Node: ${killed} processes killed in ${ids.length} uploads of ${size_bytes} bytes`)
})

/** Where a process is killed that sends small content in one request: on the way up, in the midst of it, before the answer. */
function momentsOfOneRequest(random: () => number): Moment[] {
  const request = /^POST \/v1\/files\/content/
  const sent = { traffic: 'service', direction: 'up', request } as const
  const within = 1 + Math.floor(random() * SMALL_BYTES)
  return [
    { ...sent, bytes: 1 },
    { ...sent, bytes: within },
    { ...sent, direction: 'down', bytes: 1 },
  ]
}

it('creates a small file once, by the same call with the same key in another process after a SIGKILL', async () => {
  const random = seeded(seed + 3)
  const small = { path: join(directory, 'slot.bin'), size_bytes: SMALL_BYTES }
  await writeContent(small.path, SMALL_BYTES, seed)
  const ids: string[] = []
  for (let round = 0; round < Math.ceil(amount / 12) || round < 1; round++)
    for (const moment of momentsOfOneRequest(random)) {
      const key = `slot-${ids.length}`
      const send = () => new SenderProcess(tunnel.origin, token, small.path, '', key)
      const killed = send()
      await tunnel.reach(moment)
      await killed.kill()
      const again = send()
      await again.ended
      expect(again.upload_id).toBeUndefined()
      if (killed.file_id !== undefined) expect(again.file_id).toBe(killed.file_id)
      ids.push(again.file_id ?? '')
    }
  await expectContents(ids, small)
  console.log(`Node: ${ids.length} processes killed in one request of ${SMALL_BYTES} bytes`)
})

/** A connection that was cut; and the client learns by a 400 that this server takes so little content in parts already. */
const isExpected = /net::ERR_|a status of 400 .*\/v1\/uploads\)$/

/** Holds the content up half-way, until the service has recorded a part. */
async function untilSomeIsRecorded(sender: SenderProcess): Promise<void> {
  await tunnel.holdAt({ traffic: 'bucket', direction: 'up', bytes: 2.5 * PART_BYTES })
  await expect.poll(() => recordedParts(sender.upload_id ?? ''), { timeout: 30_000 }).not.toEqual([])
}

it(`does the same in a browser, whose page is reloaded, closed or crashes ${kills} times`, {
  tags: 'release',
}, async () => {
  const random = seeded(seed + 2)
  const site = await Site.serve('uploader')
  const browser = await launchBrowser()
  const cuts = new Cuts(tunnel, random, { most, partSize: PART_BYTES })
  const open = async () => {
    const tab = await Tab.open<UploaderActs>(browser, site.page('uploader'), [tunnel.origin, server.url()])
    await tab.page.setInputFiles('input', path)
    return tab
  }
  const ids: string[] = []
  let upload_id: string | undefined
  let killed = 0
  let tab = await open()
  while (!cuts.areDone || killed < kills || upload_id !== undefined) {
    const job = {
      baseUrl: tunnel.origin,
      token,
      name: `level-${ids.length}.bin`,
      ...(upload_id && { upload_id }),
    }
    const lost = killed < kills ? tunnel.reach(someMoment(random)).then(() => undefined) : undefined
    const recorded = upload_id ? await recordedParts(upload_id) : []
    const before = tunnel.requests.length
    const upload = tab.call('upload', job).catch((error: Error) => error)
    const outcome = await cuts.during(() => Promise.race([upload, ...(lost ? [lost] : [])]))
    if (outcome instanceof Error) throw outcome
    expect(partsSentSince(before).filter((part) => recorded.includes(part))).toEqual([])
    if (outcome === undefined) {
      upload_id = (await tab.call('progress', undefined)).started ?? upload_id
      await end(tab, random)
      tab = await open()
      killed++
    } else {
      ids.push(outcome)
      upload_id = undefined
    }
    expect(tab.faults.filter((fault) => !isExpected.test(fault))).toEqual([])
  }
  for (const id of ids)
    expect(await tab.call('differenceOf', { baseUrl: server.url(), token, id })).toBeUndefined()
  await expectContents(ids)
  await Promise.all([browser.close(), site.stop()])
  console.log(`Chromium: ${ids.length} uploads of ${size_bytes} bytes; ${killed} pages lost; ${cuts}`)
})

/** Ends a page as a player does who closes or reloads it, or as a phone does that needs the memory. */
async function end({ page }: Tab<UploaderActs>, random: () => number): Promise<void> {
  const draw = random()
  if (draw < 0.3) await page.reload()
  else if (draw < 0.6) await page.goto('chrome://crash').catch(() => {})
  await page.close()
}
