import { env } from 'cloudflare:workers'
import { z } from '@hono/zod-openapi'
import { describe, expect, it } from 'vitest'
import { FilePage } from '../../src/features/files/schema.ts'
import * as uploads from '../../src/features/uploads/schema.ts'
import { partitionOf } from '../../src/platform/db/id.ts'
import { type Answer, made } from '../support/answer.ts'
import { type Creator, signUpCreator } from '../support/creator.ts'
import { placeOf } from '../support/databases.ts'
import { newKey } from '../support/ids.ts'
import { everything, moveAll } from '../support/moving.ts'
import { isolate } from '../support/service.ts'
import { operator, put, type User } from '../support/user.ts'

const MIB = 1024 ** 2
const PART = 5 * MIB

/** Ada, whose partition is moved; bob, with a home in the same database; a moderator. Each uses an isolate of their own. */
async function scene(variables: Record<string, string> = {}) {
  const ada = await signUpCreator('ada', isolate(variables))
  let bob = await signUpCreator('bob', isolate())
  while (placeOf(bob.id) !== placeOf(ada.id)) bob = await signUpCreator('bob', isolate())
  return { ada, bob, moderator: await operator('content:moderate', isolate()) }
}

/** Moves a user from one database to another and on to a third. An isolate may skip a location that it never learned. */
async function afterEachMove({ id }: User, check: (target: string) => Promise<void>): Promise<void> {
  const partition = partitionOf(id)
  for (const target of ['DB', 'DB_1', 'DB_2', 'DB_1']) {
    await moveAll({ first: partition, last: partition }, target)
    expect((await everything()).strays).toEqual([])
    await check(target)
  }
}

const Page = z.looseObject({ next_cursor: z.string().nullable() })

/** A page of any list: its items, each as a text, and the cursor. */
async function pageOf(user: User, path: string, query: string): Promise<{ items: string[]; cursor: string }> {
  const page = made(Page, await user.get(`${path}${path.includes('?') ? '&' : '?'}${query}`), 200)
  const [items = []] = Object.values(page).filter(Array.isArray)
  return { items: items.map((item) => JSON.stringify(item)), cursor: page.next_cursor ?? '' }
}

const idsIn = ({ text }: Answer) =>
  [...new Set(text.match(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g))].sort()

describe('what began before a move works after it:', () => {
  it('ids of other people’s things', async () => {
    const { ada, bob, moderator } = await scene()
    const shown = await ada.folder('shown')
    expect((await ada.change(shown, { is_public: true })).status).toBe(200)
    const share = await ada.share(await ada.file('file', 'content'), bob)
    const asset = await ada.asset('castle', { visibility: 'public' }, 'castle')
    const { asset: bobs } = await bob.branched(asset)
    const { asset: adas } = await ada.branched(await bob.asset('forest', { visibility: 'public' }, 'forest'))
    const block = `/game/assets/${asset.id}/block`
    await afterEachMove(ada, async (target) => {
      expect((await bob.sharedUrl(share)).status).toBe(200)
      expect((await bob.sharedWithMe()).map(({ id }) => id)).toEqual([share.id])
      expect((await bob.read(shown)).file.name).toBe('shown')
      expect((await bob.readAsset(asset)).status).toBe(200)
      expect([await bob.contentOf(bobs, 1), await ada.contentOf(adas, 1)]).toEqual(['castle', 'forest'])
      expect((await bob.branched(asset, crypto.randomUUID())).version.version, target).toBe(1)
      expect((await moderator.request('PUT', block)).status).toBe(204)
      expect(await bob.readAsset(asset)).toBeProblem(404, 'ASSET_NOT_FOUND')
      expect((await moderator.request('DELETE', block)).status).toBe(204)
    })
    expect((await ada.revoke(share)).status).toBe(204)
    expect((await bob.sharedUrl(share)).status).toBe(404)
  })

  it('cursors of every list', async () => {
    const { ada, bob, moderator } = await scene()
    const folder = await ada.folder()
    const source = await ada.asset('source', { visibility: 'public' })
    for (const name of ['a', 'b', 'c', 'd']) {
      await ada.folder(name, { in: folder })
      await ada.delete(await ada.folder(`trashed ${name}`))
      const file = await ada.file(name, name)
      await ada.share(file, bob)
      expect(
        (await moderator.request('PUT', `/files/${(await ada.folder(`blocked ${name}`)).id}/block`)).status,
      ).toBe(204)
      await ada.asset(name, { visibility: 'public' })
      await ada.version(source)
      await bob.branched(source, name)
    }
    const lists: [User, string][] = [
      [ada, `/files?parent_id=${folder.id}`],
      [ada, '/trash'],
      [ada, '/game/assets'],
      [bob, '/game/public'],
      [bob, `/game/assets/${source.id}/versions`],
      [bob, `/game/assets/${source.id}/branches`],
      [bob, '/shares'],
      [moderator, '/blocked'],
    ]
    const begun = await Promise.all(
      lists.map(async ([user, path]) => {
        const [all, first] = [await pageOf(user, path, 'limit=100'), await pageOf(user, path, 'limit=2')]
        expect([path, first.items.length, all.cursor]).toEqual([path, 2, ''])
        return { user, path, all, first }
      }),
    )
    await afterEachMove(ada, async (target) => {
      for (const { user, path, all, first } of begun) {
        const items = [...first.items]
        for (let { cursor } = first; cursor !== ''; ) {
          const next = await pageOf(user, path, `limit=2&cursor=${cursor}`)
          items.push(...next.items)
          cursor = next.cursor
        }
        expect(items, `${path} in ${target}`).toEqual(all.items)
      }
    })
  })

  it('bookmarks', async () => {
    const { ada } = await scene()
    const folder = await ada.createFolder({ name: 'first', asset_type: 'folder' })
    const bookmarks = [folder.headers.get('X-D1-Bookmark') ?? '']
    await afterEachMove(ada, async (target) => {
      for (const bookmark of bookmarks) {
        const answer = await ada.get('/files', { 'X-D1-Bookmark': bookmark })
        expect(made(FilePage, answer, 200).files).toHaveLength(bookmarks.length)
      }
      const json = { name: `in ${target} ${bookmarks.length}`, asset_type: 'folder' }
      const next = await ada.createFolder(json, { 'X-D1-Bookmark': bookmarks.at(-1) ?? '' })
      bookmarks.push(next.headers.get('X-D1-Bookmark') ?? '')
    })
    expect(new Set(bookmarks).size).toBe(5)
  })

  it('idempotency keys', async () => {
    const { ada, bob } = await scene()
    const file = await ada.file('file', 'content')
    const asset = await ada.asset('asset')
    const bobs = await bob.asset('forest', { visibility: 'public' })
    const upload = { upload_type: 'file', name: 'b', size_bytes: 1, mime_type: 'a/b' }
    const requests: ((headers: Record<string, string>) => Promise<Answer>)[] = [
      (key) => ada.createFolder({ name: 'once', asset_type: 'folder' }, key),
      (key) => ada.startUpload(upload, key),
      (key) => ada.createShare(file, { grantee_id: bob.id, permission: 'view' }, key),
      (key) => ada.createAsset({ name: 'once', type: 'world' }, key),
      (key) => ada.branch(bobs, { name: 'branch' }, key),
      (key) => ada.rollBack(asset, { from_version: 1 }, key),
    ]
    const begun: { ask: () => Promise<Answer>; key: Record<string, string>; ids: string[] }[] = []
    for (const request of requests) {
      const key = newKey()
      const answer = await request(key)
      expect(answer.status, answer.text).toBe(201)
      begun.push({ ask: () => request(key), key, ids: idsIn(answer) })
    }
    await afterEachMove(ada, async (target) => {
      for (const { ask, key, ids } of begun) {
        const again = await ask()
        expect([again.status, idsIn(again)], target).toEqual([201, ids])
        const other = await ada.createFolder({ name: 'other', asset_type: 'folder' }, key)
        expect(other).toBeProblem(422, 'IDEMPOTENCY_KEY_REUSED')
      }
    })
    expect(await ada.names()).toEqual(['b', 'file', 'once'])
  })

  it('uploads', async () => {
    const { ada } = await scene({ MULTIPART_THRESHOLD: String(PART), PART_SIZE: String(PART) })
    const open = await ada.upload({ name: 'open', size_bytes: 4 })
    const [aborted, replaced] = [await ada.upload({ size_bytes: 4 }), await ada.file('old', 'content')]
    const replacing = await ada.upload({ name: undefined, file_id: replaced.id, size_bytes: 4 })
    const asset = await ada.sent({ name: 'castle', asset_type: 'world' }, 'castle')
    const inTwo = await ada.upload({ name: 'in parts', size_bytes: PART + 1 })
    const sent = [await sendPart(ada, inTwo, 1, PART)]
    await afterEachMove(ada, async () => {
      for (const { id } of [open, aborted, replacing, asset, inTwo])
        expect((await ada.get(`/uploads/${id}`)).body).toMatchObject({ state: 'open' })
    })
    expect((await ada.abort(aborted)).status).toBe(204)
    for (const upload of [open, replacing]) {
      expect((await put(upload, new TextEncoder().encode('late'))).status).toBe(200)
      expect((await ada.complete(upload)).status).toBe(200)
    }
    expect((await ada.complete(asset)).status).toBe(200)
    sent.push(await sendPart(ada, inTwo, 2, 1))
    expect((await ada.complete(inTwo, { parts: sent })).status).toBe(200)
    expect(await (await ada.download(replaced)).text()).toBe('late')
    expect(await ada.assetNames('/assets')).toEqual(['castle'])
    expect((await everything()).strays).toEqual([])
  })
})

/** Asks for the URL of a part and sends it. */
async function sendPart(ada: Creator, upload: { id: string }, part_number: number, size: number) {
  const { parts } = made(uploads.PartUrls, await ada.parts(upload, { part_numbers: [part_number] }), 200)
  const [{ url, headers } = expect.fail()] = parts
  const answer = await env.S3.fetch(url, { method: 'PUT', body: new Uint8Array(size), headers })
  return { part_number, etag: answer.headers.get('ETag') ?? '' }
}

it('is served right by Workers with any map: none, an old one, the new one, and what another isolate has learned', async () => {
  const learned = isolate()
  const ada = await signUpCreator('ada', learned)
  const partition = partitionOf(ada.id)
  const folder = await ada.folder('here')
  for (const [from, target] of [
    ['DB', 'DB_2'],
    ['DB_2', 'DB_1'],
    ['DB_1', 'DB'],
  ] as const) {
    await moveAll({ first: partition, last: partition }, target)
    const maps = ['', '000-fff:DB', `000-fff:${from}`, `${partition}-${partition}:${target}`]
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
