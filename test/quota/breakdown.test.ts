import { describe, expect, it } from 'vitest'
import { made } from '../support/answer.ts'
import { type Creator, signUpCreator } from '../support/creator.ts'
import { homeOf } from '../support/databases.ts'
import { expectSound } from '../support/invariants.ts'
import { meter } from '../support/meter.ts'
import { runJobIn } from '../support/objects.ts'
import { png } from '../support/pictures.ts'
import { records } from '../support/records.ts'
import { openAccount } from '../support/seed.ts'
import { operator, put, type User } from '../support/user.ts'

const MIB = 2 ** 20
const KINDS = [
  ...['file', 'profile_pic', 'emote', 'chat_attachment', 'world', 'avatar', 'prop', 'preview'],
  'open_upload',
]

const bytes = (count: number) => new Uint8Array(count)

/** A text of 1 MiB and some bytes. */
const large = (more = 0) => 'x'.repeat(MIB + more)

/** A user's breakdown: the parts that have bytes, by kind. All parts have to be there once and to add up to the quota. */
async function breakdownOf(user: User) {
  const { used_bytes, limit_bytes } = await user.quota()
  const { parts, largest, ...all } = made(records.QuotaBreakdown, await user.get('/quota/breakdown'), 200)
  expect(all).toEqual({ used_bytes, limit_bytes })
  expect(parts.map(({ kind }) => kind)).toEqual(KINDS)
  expect(parts.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(used_bytes)
  await expectSound(user.id)
  const stored = parts.filter(({ bytes }) => bytes !== 0)
  return { parts: Object.fromEntries(stored.map(({ kind, bytes }) => [kind, bytes])), largest }
}

const partsOf = async (user: User) => (await breakdownOf(user)).parts
const largestOf = async (user: User) => (await breakdownOf(user)).largest

/** The names of a user's largest contents, `*` behind what is in the trash. */
const namesOf = async (user: User) =>
  (await largestOf(user)).map(({ name, in_trash }) => (in_trash ? `${name}*` : name))

/** The versions under which the contents of a user's assets are. */
const versionsOf = async (user: User) => (await largestOf(user)).map(({ version }) => version)

describe('the parts of GET /v1/quota/breakdown', () => {
  it('are each kind once, and all zero for a user who has stored nothing', async () => {
    const ada = await signUpCreator('ada')
    expect(await breakdownOf(ada)).toEqual({ parts: {}, largest: [] })
  })

  it('count files by their type, in the trash too, and pending ones as open uploads', async () => {
    const ada = await signUpCreator('ada')
    const text = await ada.file('text', 'x'.repeat(100))
    await ada.picture()
    await ada.file('emote', png, { asset_type: 'emote', mime_type: 'image/png' })
    await ada.content('in one request', 'x'.repeat(7))
    await ada.folder('folder')
    const pending = await ada.upload({
      asset_type: 'chat_attachment',
      size_bytes: 9,
      mime_type: 'text/plain',
    })
    const before = { file: 107, profile_pic: png.length, emote: png.length }
    expect(await partsOf(ada)).toEqual({ ...before, open_upload: 9 })
    await put(pending, bytes(9))
    await ada.complete(pending)
    await ada.delete(text)
    expect(await partsOf(ada)).toEqual({ ...before, chat_attachment: 9 })
    await ada.purge(text)
    expect(await partsOf(ada)).toEqual({ ...before, file: 7, chat_attachment: 9 })
  })

  it('count a replacement as an open upload, and then in place of the content before', async () => {
    const ada = await signUpCreator('ada')
    const file = await ada.file('text', 'x'.repeat(100))
    const replacement = await ada.upload({ file_id: file.id, name: undefined, size_bytes: 30 })
    expect(await partsOf(ada)).toEqual({ file: 100, open_upload: 30 })
    await put(replacement, bytes(30))
    expect((await ada.complete(replacement)).status).toBe(200)
    expect(await partsOf(ada)).toEqual({ file: 30 })
    await ada.replaceContent(file, 'four')
    expect(await partsOf(ada)).toEqual({ file: 4 })
  })

  it('count an aborted upload nowhere', async () => {
    const ada = await signUpCreator('ada')
    const open = await ada.upload({ size_bytes: 50 })
    await ada.upload({ upload_type: 'game_asset', asset_type: 'world', name: 'new', size_bytes: 5 })
    expect(await partsOf(ada)).toEqual({ open_upload: 55 })
    await ada.abort(open)
    expect(await partsOf(ada)).toEqual({ open_upload: 5 })
  })

  it('count assets by their type: each content once, branches in full, previews apart, deleted ones too', async () => {
    const [ada, bob] = [await signUpCreator('ada'), await signUpCreator('bob')]
    const world = await ada.asset('world', { visibility: 'public' }, '55555')
    await ada.version(world, '7777777')
    await ada.rollBack(world, { from_version: 1 })
    const avatar = await ada.asset('avatar', { asset_type: 'avatar' }, '333')
    await ada.previewed(avatar)
    await ada.asset('prop', { asset_type: 'prop' }, '22')
    await bob.branched(world)
    const all = { world: 12, avatar: 3, prop: 2, preview: png.length }
    expect(await partsOf(ada)).toEqual(all)
    expect(await partsOf(bob)).toEqual({ world: 5 })
    await ada.deleteVersion(world, 1)
    expect(await partsOf(ada)).toEqual(all)
    await ada.deleteVersion(world, 2)
    expect(await partsOf(ada)).toEqual({ ...all, world: 5 })
    const padded = bytes(1_000)
    padded.set(png)
    await ada.previewed(avatar, padded)
    expect(await partsOf(ada)).toEqual({ ...all, world: 5, preview: 1_000 })
    await ada.deletePreview(avatar)
    await ada.previewed(avatar)
    await ada.deleteAsset(avatar)
    expect(await partsOf(ada)).toEqual({ ...all, world: 5 })
    await ada.deleteAsset(avatar, '?permanent=true')
    expect(await partsOf(ada)).toEqual({ world: 5, prop: 2 })
  })
})

describe('the largest of GET /v1/quota/breakdown', () => {
  it('are contents of 1 MiB and more, the largest first, of files and of versions', async () => {
    const ada = await signUpCreator('ada')
    await ada.file('small', 'x'.repeat(MIB - 1))
    const file = await ada.file('file', large())
    const asset = await ada.asset('asset', {}, large(1))
    const { id } = await ada.version(asset, large(2))
    const shown = { asset_id: asset.id, platform: null, name: 'asset', in_trash: false }
    expect(await largestOf(ada)).toEqual([
      { type: 'version', id, version: 2, bytes: MIB + 2, ...shown },
      { type: 'version', id: expect.any(String), version: 1, bytes: MIB + 1, ...shown },
      {
        ...{ type: 'file', id: file.id, asset_id: null, version: null, platform: null, name: 'file' },
        ...{ bytes: MIB, in_trash: false },
      },
    ])
    const replacement = await ada.upload({ file_id: file.id, name: undefined, size_bytes: MIB + 3 })
    await put(replacement, bytes(MIB + 3))
    await ada.complete(replacement)
    await ada.change(file, { name: 'renamed' })
    expect(await namesOf(ada)).toEqual(['renamed', 'asset', 'asset'])
    await ada.replaceContent(file, 'small')
    expect(await namesOf(ada)).toEqual(['asset', 'asset'])
  })

  it('have a shared content of an asset once, under the newest version that has it', async () => {
    const [ada, bob] = [await signUpCreator('ada'), await signUpCreator('bob')]
    const asset = await ada.asset('asset', { visibility: 'public' }, large())
    await ada.version(asset, large(1))
    expect(await versionsOf(ada)).toEqual([2, 1])
    await ada.rollBack(asset, { from_version: 1 })
    expect(await versionsOf(ada)).toEqual([2, 3])
    await ada.version(asset, 'small')
    await ada.deleteVersion(asset, 3)
    expect(await versionsOf(ada)).toEqual([2, 1])
    for (const version of [5, 6])
      expect((await ada.rollBack(asset, { from_version: 1 })).body).toMatchObject({ version })
    await ada.version(asset, 'small')
    expect(await versionsOf(ada)).toEqual([2, 6])
    await ada.deleteVersion(asset, 6)
    expect(await versionsOf(ada)).toEqual([2, 5])
    await ada.deleteVersion(asset, 1)
    expect(await versionsOf(ada)).toEqual([2, 5])
    await ada.rollBack(asset, { from_version: 5 })
    expect(await versionsOf(ada)).toEqual([2, 8])
    await ada.deleteVersion(asset, 5)
    await bob.branched(asset)
    expect(await versionsOf(bob)).toEqual([1])
    await ada.deleteVersion(asset, 2)
    expect(await versionsOf(ada)).toEqual([8])
    await ada.deleteAsset(asset, '?permanent=true')
    expect([await versionsOf(ada), await versionsOf(bob)]).toEqual([[], [1]])
  })

  it('say what is in the trash: a file, one whose folder is, and an asset', async () => {
    const ada = await signUpCreator('ada')
    const folder = await ada.folder('folder')
    const within = await ada.folder('within', { in: folder })
    await ada.file('inside', large(3), { parent_id: within.id })
    const file = await ada.file('file', large(2))
    const asset = await ada.asset('asset', {}, large(1))
    for (const one of [file, within]) await ada.delete(one)
    await ada.deleteAsset(asset)
    expect(await namesOf(ada)).toEqual(['inside*', 'file*', 'asset*'])
    for (const one of [file, within]) await ada.restore(one)
    await ada.restoreAsset(asset)
    expect(await namesOf(ada)).toEqual(['inside', 'file', 'asset'])
    for (const one of [file, within]) await ada.delete(one)
    await ada.request('DELETE', '/trash')
    await ada.deleteAsset(asset, '?permanent=true')
    expect(await namesOf(ada)).toEqual([])
    await runJobIn(0)
    expect(await partsOf(ada)).toEqual({})
  })

  it('are without what is being deleted permanently, which still counts', async () => {
    const ada = await signUpCreator('ada')
    const folder = await ada.folder('folder')
    const files = [await ada.file('a', large(), { parent_id: folder.id }), await ada.file('b', large(1))]
    await homeOf(ada.id)
      .prepare('INSERT INTO trash_emptied (owner_id, emptied_at) VALUES (?, 4000000000000)')
      .bind(ada.id)
      .run()
    const trash = 'UPDATE files SET trashed_at = 1000, purging = ?2 WHERE id = ?1'
    await homeOf(ada.id).prepare(trash).bind(folder.id, 0).run()
    await homeOf(ada.id).prepare(trash).bind(files[1]?.id, 1).run()
    expect(await breakdownOf(ada)).toEqual({ parts: { file: 2 * MIB + 1 }, largest: [] })
  })

  it('have what was deleted before its folder, also when the folder is gone', async () => {
    const ada = await signUpCreator('ada')
    const folder = await ada.folder('folder')
    const file = await ada.file('file', large(), { parent_id: folder.id })
    for (const one of [file, folder]) await ada.delete(one)
    await ada.purge(folder)
    expect([await ada.trashed(), await namesOf(ada)]).toEqual([['file'], ['file*']])
    await ada.purge(file)
    expect(await namesOf(ada)).toEqual([])
  })

  it('name nothing of an erased user to whoever is back under the id', async () => {
    const ada = await signUpCreator('ada')
    await ada.file('secret', large())
    await ada.asset('secret too', {}, large())
    const eraser = await operator('users:erase')
    expect((await eraser.request('DELETE', `/users/${ada.id}`)).status).toBe(202)
    expect(await namesOf(ada)).toEqual([])
  })

  it.each([
    ['files', 3, 2],
    ['versions', 2, 3],
    ['both in turn', 2, 2],
  ])(
    'are twenty, and cost one trip and sixty rows at most, of thousands: %s',
    async (_, ofFiles, ofVersions) => {
      const { service, of } = meter()
      const ada = await signUpCreator('ada', service)
      await seedThousands(ada, ofFiles * MIB, ofVersions * MIB)
      const cost = await of(() => ada.get('/quota/breakdown'))
      expect(cost).toMatchObject({ trips: 1, rows_written: 0, r2_calls: 0 })
      expect(cost.rows_read).toBeLessThanOrEqual(60)
      const largest = await largestOf(ada)
      const files = largest.filter(({ type }) => type === 'file').length
      expect([files, largest.length]).toEqual([
        ofFiles === ofVersions ? 10 : ofFiles > ofVersions ? 20 : 0,
        20,
      ])
      expect(largest.map(({ bytes }) => bytes)).toEqual(
        largest.map(({ bytes }) => bytes).sort((a, b) => b - a),
      )
    },
  )

  it('cost a row more to write what has at least 1 MiB, and none to write what is smaller', async () => {
    const { service, of } = meter()
    const ada = await signUpCreator('ada', service)
    const written = async (size: number) => {
      const content = bytes(size)
      const completed = []
      for (const declared of [{}, { upload_type: 'game_asset', asset_type: 'world' }]) {
        const upload = await ada.upload({ size_bytes: size, name: `${size}`, ...declared })
        await put(upload, content)
        completed.push(await of(() => ada.complete(upload)))
      }
      const file = await ada.file('file', content)
      const deleted = await of(() => ada.delete(file))
      return [...completed, deleted].map(({ rows_written }) => rows_written)
    }
    const [small, more] = [await written(MIB - 1), await written(MIB)]
    expect(more.map((rows, at) => rows - (small[at] ?? 0))).toEqual([1, 1, 0])
  })
})

/** Puts 3,000 files, of which 200 are large, and 100 assets with a large version straight into the database. */
async function seedThousands(user: Creator, ofFiles: number, ofVersions: number): Promise<void> {
  await openAccount(user.id)
  const folder = await user.folder('folder')
  const numbers = (count: number) =>
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`
  const id = (kind: number) => `substr(?1, 1, 29) || printf('${kind}%06x', i)`
  const home = homeOf(user.id)
  await home.batch([
    home
      .prepare(
        `${numbers(3_000)} INSERT INTO files (id, owner_id, parent_id, name, asset_type, size_bytes, mime_type,
          processing_state, object_key, created_at, updated_at)
        SELECT ${id(1)}, ?2, ?1, 'file ' || i, 'file', iif(i % 15 = 0, ?3 + i, i), 'text/plain', 'ready', ${id(2)}, 1, 1 FROM n`,
      )
      .bind(folder.id, user.id, ofFiles),
    home
      .prepare(
        `${numbers(100)} INSERT INTO game_assets (id, owner_id, type, name, search_name, visibility, created_at, updated_at)
        SELECT ${id(3)}, ?2, 'world', 'asset ' || i, 'asset', 'private', 1, 1 FROM n`,
      )
      .bind(folder.id, user.id),
    home
      .prepare(
        `${numbers(100)} INSERT INTO asset_versions (asset_id, version, id, size_bytes, mime_type, object_key, created_at)
        SELECT ${id(3)}, 1, ${id(4)}, ?2 + 1500 + i * 15, 'text/plain', ${id(5)}, 1 FROM n`,
      )
      .bind(folder.id, ofVersions),
    home.prepare('INSERT INTO trash_emptied (owner_id, emptied_at) VALUES (?, 1)').bind(user.id),
    home.prepare(`INSERT INTO erasures (user_id, until, mark) VALUES (?, 0, 'mark')`).bind(user.id),
  ])
}
