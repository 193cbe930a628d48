import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { bucketTextOf } from '../../src/db/id.ts'
import * as uploads from '../../src/uploads/schema.ts'
import { made } from '../support/answer.ts'
import { signUpCreator } from '../support/creator.ts'
import { homeOf } from '../support/databases.ts'
import { everything, moveAll } from '../support/moving.ts'
import { isolate } from '../support/service.ts'
import { put } from '../support/user.ts'

const MIB = 1024 ** 2
const PART = 5 * MIB

const inParts = { MULTIPART_THRESHOLD: String(PART), PART_SIZE: String(PART) }

it('serves what was begun before: ids, cursors, bookmarks, keys and uploads, the owner’s and other people’s', async () => {
  const ada = await signUpCreator('ada', isolate(inParts))
  // A branch is made in one database and read over two.
  let bob = await signUpCreator('bob', isolate())
  while (homeOf(bob.id) !== homeOf(ada.id)) bob = await signUpCreator('bob', isolate())
  const bucket = bucketTextOf(ada.id)

  const file = await ada.file('file', 'content')
  const folder = await ada.folder()
  for (const name of ['a', 'b', 'c']) await ada.folder(name, { in: folder })
  const page = await ada.page({ parent_id: folder.id, limit: 2 })
  const key = { 'Idempotency-Key': crypto.randomUUID() }
  const created = await ada.createFolder({ name: 'once', asset_type: 'folder' }, key)
  const bookmark = created.headers.get('X-D1-Bookmark') ?? ''
  const open = await ada.upload({ name: 'open', size_bytes: 4 })
  const inTwo = await ada.upload({ name: 'in parts', size_bytes: PART + 1 })
  const share = await ada.share(file, bob)
  const asset = await ada.asset('castle', { visibility: 'public' }, 'castle')
  const branch = await bob.branched(asset)
  const bobs = await bob.asset('forest', { visibility: 'public' }, 'forest')
  const adas = await ada.branched(bobs)
  const sent: { part_number: number; etag: string }[] = []
  const { parts } = made(uploads.PartUrls, await ada.parts(inTwo, { part_numbers: [1, 2] }), 200)
  const [first, second] = parts
  const send = async (part: typeof first, size: number) => {
    const { url = '', headers, part_number = 0 } = part ?? {}
    const answer = await env.S3.fetch(url, { method: 'PUT', body: new Uint8Array(size), headers })
    sent.push({ part_number, etag: answer.headers.get('ETag') ?? '' })
  }
  await send(first, PART)

  // From one to another, and on to a third: a Worker that knows the first is told of the second, or of the third at once.
  for (const target of ['DB', 'DB_1', 'DB_2', 'DB_1']) {
    await moveAll({ first: bucket, last: bucket }, target)
    expect((await everything()).strays).toEqual([])
    const rest = await ada.page({ parent_id: folder.id, cursor: page.next_cursor ?? '', limit: 2 })
    expect([...page.files, ...rest.files].map(({ name }) => name)).toEqual(['a', 'b', 'c'])
    const again = await ada.createFolder({ name: 'once', asset_type: 'folder' }, key)
    expect(again.text).toBe(created.text)
    expect((await ada.get(`/files/${file.id}`, { 'X-D1-Bookmark': bookmark })).status).toBe(200)
    expect((await bob.sharedUrl(share)).status).toBe(200)
    expect((await bob.sharedWithMe()).map(({ id }) => id)).toContain(share.id)
    expect((await bob.readAsset(asset)).status).toBe(200)
    expect((await ada.readAsset(adas.asset)).status).toBe(200)
    expect((await ada.branchNames(asset)).length).toBe(0)
    expect((await bob.get(`/game/assets/${branch.asset.id}/versions/1/url`)).status).toBe(200)
  }

  expect((await put(open, new TextEncoder().encode('late'))).status).toBe(200)
  expect((await ada.complete(open)).status).toBe(200)
  await send(second, 1)
  expect((await ada.complete(inTwo, { parts: sent })).status).toBe(200)
  expect((await ada.revoke(share)).status).toBe(204)
  expect((await bob.sharedUrl(share)).status).toBe(404)
  expect((await everything()).strays).toEqual([])
})

it('is served right by Workers with any map: none, an old one, the new one, and what another isolate has learned', async () => {
  const learned = isolate()
  const ada = await signUpCreator('ada', learned)
  const bucket = bucketTextOf(ada.id)
  const folder = await ada.folder('here')
  for (const [from, target] of [
    ['DB', 'DB_2'],
    ['DB_2', 'DB_1'],
    ['DB_1', 'DB'],
  ] as const) {
    await moveAll({ first: bucket, last: bucket }, target)
    const maps = ['', '000-fff:DB', `000-fff:${from}`, `${bucket}-${bucket}:${target}`]
    for (const SHARDS of maps) {
      const worker = ada.through(isolate({ SHARDS }))
      expect((await worker.read(folder)).file.name, `${target} by ${SHARDS}`).toBe('here')
      expect((await worker.folder(`${target} by ${SHARDS || 'none'}`)).id).toBeTruthy()
    }
    await ada.folder('learned', { in: folder })
    expect((await everything()).strays).toEqual([])
  }
  expect((await ada.names({ parent_id: folder.id })).length).toBe(3)
})
