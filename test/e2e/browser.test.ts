import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { z } from '@hono/zod-openapi'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createClient } from '#client'
import { createStudio } from '#client/studio'
import { developmentToken } from '../../scripts/development.ts'
import { BucketWithRules } from './browser/bucket.ts'
import type { InboxActs } from './browser/inbox.ts'
import type { InstallerActs } from './browser/installer.ts'
import type { PlainActs } from './browser/plain.ts'
import type { PlayerActs } from './browser/player.ts'
import { sharedBrowser } from './browser/shared-browser.ts'
import { PART_BYTES, sharedOrigin, sharedPort } from './browser/shared-server.ts'
import { Site } from './browser/site.ts'
import { Tab } from './browser/tab.ts'
import type { UnityStoreActs } from './browser/unity-store.ts'
import type { UploaderActs } from './browser/uploader.ts'
import { PartUrl, Upload } from './client.ts'

const MIB = 1024 ** 2

let site: Site
let bucket: BucketWithRules
const browser = await sharedBrowser()

beforeAll(async () => {
  site = await Site.serve('plain', 'uploader', 'inbox', 'player', 'installer', 'unity-store')
  bucket = await BucketWithRules.before(sharedPort(), [site.origin])
})
afterAll(async () => {
  await Promise.all([site.stop(), bucket.stop()])
})

describe('a page on another origin', () => {
  let tab: Tab<PlainActs>
  let token: string

  beforeEach(async () => {
    token = await developmentToken(`ada-${randomUUID()}`)
    tab = await Tab.open(browser, site.page('plain'), [bucket.origin])
  })
  afterEach(() => tab.page.close())

  const asAda = () => ({ Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' })
  const url = (path: string) => `${bucket.origin}/v1${path}`

  it('reads the headers that a client needs from answers that go well', async () => {
    const folder = { name: 'Skins', asset_type: 'folder' }
    const made = await tab.call('send', {
      method: 'POST',
      url: url('/files'),
      headers: { ...asAda(), 'Idempotency-Key': 'skins' },
      body: JSON.stringify(folder),
    })
    expect(made).toMatchObject({
      status: 201,
      headers: { 'x-request-id': expect.stringMatching(/^[\da-f-]{36}$/) },
    })
    const { id }: { id: string } = JSON.parse(made.text)
    const read = await tab.call('send', { url: url(`/files/${id}`), headers: asAda() })
    expect(read.headers).toMatchObject({ etag: '"1"', 'x-d1-bookmark': expect.any(String) })
    const count = await tab.call('send', { url: url('/notifications/unread-count'), headers: asAda() })
    expect(count.headers).toMatchObject({ 'x-inbox-seq': '0' })
    expect(tab.faults).toEqual([])
  })

  it('reads from a refusal what to do about it', async () => {
    const anonymous = await tab.call('send', { url: url('/files') })
    expect(anonymous).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer' } })
    expect(anonymous.headers).toHaveProperty('x-request-id')
    const misused = await tab.call('send', { method: 'DELETE', url: url('/files'), headers: asAda() })
    expect(misused).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD, POST' } })
  })

  it('reads when to come again', { tags: 'release' }, async () => {
    // The counter begins anew with each minute, and a busy one lets requests pass for a time.
    const limited = () =>
      tab.call('sendUntil', {
        status: 429,
        times: 121,
        method: 'DELETE',
        url: url('/files/unknown'),
        headers: asAda(),
      })
    await expect
      .poll(limited, { timeout: 25_000 })
      .toMatchObject({ status: 429, headers: { 'retry-after': '60' } })
  })

  const started = async (size_bytes: number, more = {}) => {
    const { text } = await tab.call('send', {
      method: 'POST',
      url: url('/uploads'),
      headers: asAda(),
      body: JSON.stringify({
        upload_type: 'file',
        name: 'level.bin',
        mime_type: 'text/plain',
        size_bytes,
        ...more,
      }),
    })
    return Upload.parse(JSON.parse(text))
  }
  const post = (path: string, body: object) =>
    tab.call('send', { method: 'POST', url: url(path), headers: asAda(), body: JSON.stringify(body) })

  it('sends content in one PUT, and reads a range of it', async () => {
    const checksum_sha256 = createHash('sha256').update('aaaaaaa').digest('base64')
    const upload = await started(7, { checksum_sha256 })
    const { url: to = '', headers = {} } = upload
    expect(await tab.call('put', { url: to, headers, byte: 97, size_bytes: 7 })).toMatchObject({
      status: 200,
    })
    expect(await post(`/uploads/${upload.id}/complete`, {})).toMatchObject({ status: 200 })
    const signed = await tab.call('send', { url: url(`/files/${upload.file?.id}/url`), headers: asAda() })
    const download: { url: string } = JSON.parse(signed.text)
    expect(await tab.call('send', { url: download.url })).toMatchObject({ status: 200, text: 'aaaaaaa' })
    const range = await tab.call('send', { url: download.url, headers: { Range: 'bytes=2-4' } })
    expect(range).toMatchObject({
      status: 206,
      text: 'aaa',
      headers: { 'content-range': 'bytes 2-4/7', 'content-disposition': 'inline; filename=level.bin' },
    })
    expect(tab.faults).toEqual([])
  })

  it('reads the ETag of each part that it has sent', async () => {
    const upload = await started(PART_BYTES + 1)
    const { text } = await post(`/uploads/${upload.id}/parts`, { part_numbers: [1, 2] })
    const { parts } = z.object({ parts: z.array(PartUrl) }).parse(JSON.parse(text))
    const arrived = []
    for (const { part_number, url, headers } of parts) {
      const size_bytes = Number(headers['Content-Length'])
      const sent = await tab.call('put', { url, headers, byte: 97, size_bytes })
      expect(sent).toMatchObject({ status: 200, headers: { etag: expect.stringMatching(/^".+"$/) } })
      arrived.push({ part_number, etag: sent.headers.etag })
    }
    const completed = await post(`/uploads/${upload.id}/complete`, { parts: arrived })
    expect(completed).toMatchObject({ status: 200 })
    expect(tab.faults).toEqual([])
  })

  it('is kept from the bucket by the browser when the rules do not name its origin', async () => {
    const other = await BucketWithRules.before(sharedPort(), ['https://other.example'])
    const { url: to = '', headers = {} } = await started(1)
    const refused = tab.call('put', {
      url: to.replace(bucket.origin, other.origin),
      headers,
      byte: 97,
      size_bytes: 1,
    })
    await expect(refused).rejects.toThrow('Failed to fetch')
    await other.stop()
  })

  it('is watched: a request to another host and an error in the console are told', async () => {
    const elsewhere = tab.call('send', { url: 'https://fonts.example/a.woff2' })
    await expect(elsewhere).rejects.toThrow('Failed to fetch')
    await tab.page.evaluate("console.error('a mistake')")
    expect(tab.faults).toContain('a request to https://fonts.example/a.woff2')
    expect(tab.faults.join()).toContain('console: a mistake')
  })

  it('opens the socket of the inbox', async () => {
    const opened = await tab.call('listen', {
      url: url('/notifications/ws').replace('http', 'ws'),
      protocols: ['notifications.v1', `bearer.${token}`],
    })
    expect(opened.protocol).toBe('notifications.v1')
    expect(JSON.parse(opened.message)).toMatchObject({ type: 'ready', seq: 0 })
    expect(tab.faults).toEqual([])
  })
})

describe('a page on another origin with the client', () => {
  let tab: Tab<UploaderActs>
  let token: string

  beforeEach(async () => {
    token = await developmentToken(`ada-${randomUUID()}`)
    tab = await Tab.open(browser, site.page('uploader'), [bucket.origin])
  })
  afterEach(() => tab.page.close())

  const uploads = async (size: number, faults: unknown[]) => {
    const buffer = randomBytes(size)
    const mimeType = 'application/octet-stream'
    await tab.page.setInputFiles('input', { name: 'level.bin', mimeType, buffer })
    const service = { baseUrl: bucket.origin, token }
    const id = await tab.call('upload', { ...service, name: 'level.bin' })
    expect(await tab.call('differenceOf', { ...service, id })).toBeUndefined()
    const range = await tab.call('bytesOf', { ...service, id, start: size - 3, end: size })
    expect(range).toEqual({ status: 206, bytes: [...buffer.subarray(-3)] })
    expect(await tab.call('progress', undefined)).toMatchObject({ sent_bytes: size })
    expect(tab.faults).toEqual(faults)
  }

  it('uploads in one PUT with progress, and downloads the same bytes', () => uploads(MIB, []))

  it('uploads in parts with progress, and downloads the same bytes', { tags: 'release' }, () =>
    // This server takes so little content in parts already: the client learns it by a 400.
    uploads(6 * MIB, [expect.stringMatching(/a status of 400 .*\/v1\/uploads\)$/)]),
  )
})

it('a page on another origin shows the live inbox with the client, and renews its token', async () => {
  const user = `ada-${randomUUID()}`
  let tokens = 0
  const tab = await Tab.open<InboxActs>(browser, site.page('inbox'), [bucket.origin])
  await tab.page.exposeFunction('makeToken', () => {
    tokens++
    return developmentToken(user, { expires_in: 4 })
  })
  await tab.call('open', { baseUrl: bucket.origin, options: {} })
  await tab.call('ready', undefined)
  const before = tokens
  await expect.poll(() => tokens, { timeout: 20_000 }).toBeGreaterThan(before)

  const social = await developmentToken('social', { scope: 'notifications:publish' })
  const published = await createStudio({ baseUrl: sharedOrigin(), token: social }).notifications.publish({
    user_id: user,
    type: 'friend_request',
    data: { from_user_id: 7, from_display_name: 'Grace' },
  })
  const { id } = published
  await expect
    .poll(() => tab.call('look', undefined), { timeout: 20_000 })
    .toMatchObject({
      told: [id],
      snapshot: { unread: 1, total: 1, notifications: [{ id, state: 'unread' }] },
    })
  expect(tab.faults).toEqual([])
  await tab.page.close()
})

it('two pages on another origin keep saves while there is no network, and one sends what both have kept', async () => {
  const service = { baseUrl: bucket.origin, token: await developmentToken(`ada-${randomUUID()}`) }
  const context = await browser.newContext()
  const open = async () => {
    const tab = await Tab.open<PlayerActs>(context, site.page('player'), [bucket.origin])
    return { tab, waiting: await tab.call('open', service) }
  }
  const [{ tab: one }, { tab: other }] = [await open(), await open()]
  await context.setOffline(true)
  await one.call('write', { slot: 'auto', text: 'Mühle' })
  await other.call('write', { slot: 'manual', text: 'two' })
  expect(await other.call('read', 'auto')).toEqual({ text: 'Mühle', label: 'Mühle', is_waiting: true })
  await one.page.close()
  await context.setOffline(false)
  await expect.poll(() => other.call('sent', undefined)).toEqual(['auto', 'manual'])
  const { saves } = createClient(service)
  expect((await saves.list()).saves.map(({ label }) => label).sort()).toEqual(['Mühle', 'two'])

  await context.setOffline(true)
  await other.call('write', { slot: 'auto', text: 'three' })
  await other.page.goto('chrome://crash').catch(() => {})
  await other.page.close()
  await context.setOffline(false)
  const { tab: next, waiting } = await open()
  expect(waiting).toEqual(['auto'])
  await expect.poll(() => next.call('sent', undefined)).toEqual(['auto'])
  expect((await saves.list()).saves.map(({ label }) => label).sort()).toEqual(['three', 'two'])
  for (const { faults } of [one, other, next]) expect(faults).toEqual([])
  await context.close()
})

describe('pages on another origin that keep worlds', () => {
  const one = randomBytes(3 * MIB)
  const two = randomBytes(2 * PART_BYTES)
  const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('base64')

  it('download a version once, go on after a crash with the next, and have it without a network', async () => {
    const service = { baseUrl: bucket.origin, token: await developmentToken(`ada-${randomUUID()}`) }
    const creator = createClient(service)
    const { asset } = await creator.assets.upload({ content: one, asset_type: 'world', name: 'Castle' })
    const world = { ...service, asset_id: asset.id }
    const context = await browser.newContext()
    const open = () => Tab.open<InstallerActs>(context, site.page('installer'), [bucket.origin])
    const [first, second] = [await open(), await open()]
    expect(await Promise.all([first.call('update', world), second.call('update', world)])).toEqual([[1], [1]])
    const asked = await Promise.all([first, second].map((tab) => tab.call('progress', undefined)))
    expect(asked.flatMap(({ ranges }) => ranges)).toEqual([`bytes=0-${one.length - 1}`])
    expect(await second.call('installed', undefined)).toEqual([{ version: 1, sha256: sha256(one) }])
    await second.page.close()

    await creator.assets.upload({ content: two, asset_id: asset.id })
    await first.call('begin', { ...world, most: 6 * MIB })
    await expect
      .poll(async () => (await first.call('progress', undefined)).received_bytes, { timeout: 20_000 })
      .toBeGreaterThanOrEqual(6 * MIB)
    expect(await first.call('installed', undefined)).toEqual([{ version: 1, sha256: sha256(one) }])
    await first.page.goto('chrome://crash').catch(() => {})
    await first.page.close()

    const next = await open()
    expect(await next.call('installed', undefined)).toEqual([{ version: 1, sha256: sha256(one) }])
    expect(await next.call('update', world)).toEqual([2])
    const { ranges } = await next.call('progress', undefined)
    expect(ranges).toHaveLength(1)
    expect(Number(/\d+/.exec(ranges[0] ?? '')?.[0])).toBeGreaterThanOrEqual(4 * MIB)
    await context.setOffline(true)
    expect(await next.call('installed', undefined)).toEqual([{ version: 2, sha256: sha256(two) }])
    await expect(next.call('update', world)).rejects.toThrow('No answer')
    await context.setOffline(false)
    expect(await next.call('contents', undefined)).toBe(1)

    await next.call('clear', undefined)
    expect(await next.call('installed', undefined)).toEqual([])
    expect(await next.call('update', world)).toEqual([2])
    expect(await next.call('installed', undefined)).toEqual([{ version: 2, sha256: sha256(two) }])
    await context.close()
  })
})

it('the store of a Unity player in a browser has what was written when the page is opened again', async () => {
  const path = new URL('../../engines/unity/Runtime/Unity/WebGL/SaveStore.jslib', import.meta.url)
  const library = await readFile(path, 'utf8')
  const context = await browser.newContext()
  const open = async () => {
    const tab = await Tab.open<UnityStoreActs>(context, site.page('unity-store'), [])
    await tab.call('load', library)
    return tab
  }
  const first = await open()
  expect(await first.call('get', 'slot')).toBeUndefined()
  await first.call('set', { key: 'slot', bytes: [1, 2, 255] })
  await first.call('set', { key: 'empty', bytes: [] })
  await first.page.goto('chrome://crash').catch(() => {})
  await first.page.close()

  const next = await open()
  expect(await next.call('get', 'slot')).toEqual([1, 2, 255])
  expect(await next.call('get', 'empty')).toEqual([])
  await next.call('set', { key: 'slot', bytes: [3] })
  await next.call('remove', 'empty')
  expect([await next.call('get', 'slot'), await next.call('get', 'empty')]).toEqual([[3], undefined])

  await next.call('clear', undefined)
  expect(await next.call('get', 'slot')).toBeUndefined()
  await next.call('set', { key: 'slot', bytes: [4] })
  expect(await next.call('get', 'slot')).toEqual([4])
  expect(next.faults).toEqual([])
  await context.close()
})
