import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it } from 'vitest'
import { deleteAsset } from '../../src/features/assets/delete.ts'
import { setFavorite } from '../../src/features/favorites/set.ts'
import { deleteFile } from '../../src/features/files/delete.ts'
import { readFile } from '../../src/features/files/read.ts'
import { purgeFile } from '../../src/features/trash/purge.ts'
import { eraseUser } from '../../src/operators/erasure/erase.ts'
import { presenceOf } from '../../src/operators/reconcile/content.ts'
import { reconcilePage } from '../../src/operators/reconcile/reconcile.ts'
import { asset, complete, file, replacement, there, upload, version } from '../support/acts.ts'
import { expectCatalogueDone } from '../support/catalogue.ts'
import { arrive } from '../support/content.ts'
import { contextOf } from '../support/context.ts'
import { signUpCreator } from '../support/creator.ts'
import {
  databaseNames,
  databaseOf,
  everyDatabase,
  everywhere,
  homeOf,
  placeOf,
  startOver,
} from '../support/databases.ts'
import { favoritesOf, makeDue, recount, shownFavorites } from '../support/favorites.ts'
import { newUserId } from '../support/ids.ts'
import { expectEventsCounted, expectSound } from '../support/invariants.ts'
import { runJobIn } from '../support/objects.ts'
import { counted, reconcile } from '../support/reconciling.ts'
import { record } from '../support/recording.ts'
import { operator, signUp, type User } from '../support/user.ts'

const run = (database: D1Database, statement: string, ...values: unknown[]) =>
  database
    .prepare(statement)
    .bind(...values)
    .run()

beforeEach(async () => {
  await startOver()
})

describe('a repair', () => {
  it('changes nothing where rows and objects agree', async () => {
    const ada = contextOf(newUserId())
    for (let index = 0; index < 3; index++) await file(ada)
    await version(ada, (await asset(ada)).id)
    await upload(ada)
    await runJobIn(0)
    expect(await reconcile({ repair: true })).toEqual({ found: [], refused: [], ended: [] })
    await expectSound(ada.user_id)
  })

  it('counts a user anew, also above the limits', async () => {
    const ada = contextOf(newUserId())
    for (let index = 0; index < 3; index++) await file(ada)
    await version(ada, (await asset(ada, 'castle', 'public')).id)
    await upload(ada)
    const wrong = `UPDATE usage SET moving = 1, items = 0, used_bytes = 1, versions = 9, assets = 0, public_assets = 0,
      open_uploads = 5, ended_uploads = 0, kept_bytes = 3, max_items = 1, limit_bytes = 2, max_assets = 0 WHERE user_id = ?`
    await run(homeOf(ada.user_id), wrong, ada.user_id)
    await run(homeOf(ada.user_id), 'UPDATE usage SET moving = 0 WHERE user_id = ?', ada.user_id)
    expect(counted((await reconcile()).found)).toEqual({ counters_differ: 1 })
    expect((await reconcile({ repair: true })).found).toMatchObject([{ id: ada.user_id, is_repaired: true }])
    await expectSound(ada.user_id)
    await expect(file(ada)).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' })
    expect((await reconcile()).found).toEqual([])
  })

  it('counts the parts of the storage anew, and lists large versions as they are', async () => {
    const breakdownOf = async (user: User) => (await user.get('/quota/breakdown')).body
    const users: { user: User; before: unknown }[] = []
    for (const wrong of [
      `UPDATE usage SET parts = json_set(parts, '$.file', 9) WHERE user_id = ?`,
      'UPDATE large_versions SET version = 7 WHERE owner_id = ? AND version = 1',
      'DELETE FROM large_versions WHERE owner_id = ? AND version = 2',
      `INSERT INTO large_versions SELECT owner_id, 9999999, asset_id, 'other', 3, 'other', NULL FROM large_versions WHERE owner_id = ? LIMIT 1`,
    ]) {
      const user = await signUpCreator('ada')
      await user.file('file', 'abc')
      const asset = await user.asset('asset', {}, 'x'.repeat(2 ** 20))
      await user.version(asset, 'y'.repeat(2 ** 20 + 1))
      const before = await breakdownOf(user)
      await run(homeOf(user.id), wrong, user.id)
      expect(await breakdownOf(user)).not.toEqual(before)
      users.push({ user, before })
    }
    const ids = new Set(users.map(({ user }) => user.id))
    for (const is_repaired of [false, true]) {
      const { found } = await reconcile({ repair: is_repaired })
      expect(found).toMatchObject(users.map(() => ({ problem: 'counters_differ', is_repaired })))
      expect(new Set(found.map(({ id }) => id))).toEqual(ids)
    }
    for (const { user, before } of users) expect(await breakdownOf(user)).toEqual(before)
    expect((await reconcile()).found).toEqual([])
    await expectSound(...ids)
  })

  it('counts the events of a database and of its users anew', async () => {
    const [ada, bob] = [newUserId(), newUserId()]
    await record(ada, 20)
    await record(bob, 3)
    for (const database of everyDatabase) {
      await run(database, 'UPDATE outbox_counts SET events = events + 5')
      await run(database, `INSERT INTO outbox_counts (owner_id, events) VALUES ('nobody', 9)`)
    }
    const found = databaseNames.length + databaseNames.length + 1
    expect(counted((await reconcile()).found)).toEqual({ counters_differ: found })
    expect(counted((await reconcile({ repair: true })).found)).toEqual({ counters_differ: found })
    await expectEventsCounted()
    expect((await reconcile()).found).toEqual([])
  })

  it('counts the favorites of assets anew, in each database and over all', async () => {
    const [ada, bob, eve] = [contextOf(newUserId()), contextOf(newUserId()), contextOf(newUserId())]
    const [castle, forest] = [await asset(ada, 'castle', 'public'), await asset(ada, 'forest', 'public')]
    for (const user of [bob, eve]) await setFavorite(user, castle.id)
    expect((await reconcile()).found, 'a recount is due').toEqual([])
    await makeDue()
    await recount()
    expect((await reconcile()).found).toEqual([])
    await run(
      homeOf(bob.user_id),
      'UPDATE favorite_counts SET users = users + 5 WHERE asset_id = ?',
      castle.id,
    )
    await run(homeOf(eve.user_id), `INSERT INTO favorite_counts (asset_id, users) VALUES ('of nobody', 3)`)
    await run(databaseOf(forest.id), 'UPDATE game_assets SET favorites = 7 WHERE id = ?', forest.id)
    const names = new Set(['of nobody', castle.id, forest.id].map((id) => `favorites of ${id}`))
    for (const repair of [false, true]) {
      const { found } = await reconcile({ repair })
      expect(new Set(found.map(({ id }) => id))).toEqual(names)
      expect(counted(found)).toHaveProperty('counters_differ')
    }
    await recount()
    expect(await shownFavorites(castle.id)).toMatchObject({ favorites: 2 })
    expect(await shownFavorites(forest.id)).toMatchObject({ favorites: 0 })
    expect((await reconcile()).found).toEqual([])
    await run(homeOf(eve.user_id), 'DELETE FROM favorite_counts')
    expect((await reconcile({ repair: true })).found).not.toEqual([])
    await recount()
    expect((await reconcile()).found).toEqual([])
    await expectSound(ada.user_id, bob.user_id, eve.user_id)
  })

  it('leaves entries of purged assets to the marks that wait for the job', async () => {
    const ada = contextOf(newUserId())
    const { id } = await asset(ada, 'castle', 'public')
    await eraseUser(contextOf('operator'), ada.user_id)
    expect(await everywhere('SELECT id FROM game_assets WHERE id = ?', id)).toEqual([])
    expect(
      (await reconcile({ repair: true })).found.filter(({ problem }) => problem === 'entry_differs'),
    ).toEqual([])
    await runJobIn(0)
    await expectCatalogueDone()
    await expectSound(ada.user_id)
  })

  it('has the favorites removed of an asset that is in no database after one was restored', async () => {
    const [ada, bob] = [contextOf(newUserId()), contextOf(newUserId())]
    const { id } = await asset(ada, 'castle', 'public')
    await setFavorite(bob, id)
    await makeDue()
    await recount()
    await deleteAsset(ada, id, { permanent: true })
    await everywhere('DELETE FROM favorite_recounts')
    for (const repair of [false, true])
      expect((await reconcile({ repair })).found).toMatchObject([
        { problem: 'counters_differ', id: `favorites of ${id}`, is_repaired: repair },
      ])
    await recount()
    expect(await favoritesOf(bob)).toEqual([])
    expect((await reconcile()).found).toEqual([])
    await expectSound(ada.user_id, bob.user_id)
  })

  it('removes content from the deletion queue when its rows were restored by hand', async () => {
    const ada = contextOf(newUserId())
    const { id, object_key } = await file(ada)
    const castle = await asset(ada)
    const content = there(
      (await databaseOf(castle.id)
        .prepare('SELECT object_key FROM asset_versions WHERE asset_id = ?')
        .bind(castle.id)
        .first<string>('object_key')) ?? undefined,
    )
    for (const key of [object_key, content])
      await run(
        databaseOf(id),
        'INSERT INTO garbage (object_key, writable_until, next_at) VALUES (?, 0, 1)',
        key,
      )
    expect(counted((await reconcile()).found)).toEqual({ content_is_queued: 2 })
    await reconcile({ repair: true })
    expect((await reconcile()).found).toEqual([])
    await runJobIn(30)
    expect([
      await env.BUCKET.head(there(object_key ?? undefined)),
      await env.BUCKET.head(content),
    ]).not.toContain(null)
  })

  it('marks no file as failed when so much content is missing that the bucket may be the wrong one', async () => {
    const ada = contextOf(newUserId())
    const files = []
    for (let index = 0; index < 20; index++) files.push(await file(ada))
    await env.BUCKET.delete(files.flatMap(({ object_key }) => object_key ?? []))
    const { found, refused } = await reconcile({ repair: true })
    expect(refused).toHaveLength(1)
    expect(refused[0]).toContain('20 of 20')
    expect(found.filter(({ is_repaired }) => is_repaired)).toEqual([])
    expect((await readFile(ada, files[0]?.id ?? '')).item.processing_state).toBe('ready')
    await reconcile({ repair: true, accept_missing: true })
    expect((await readFile(ada, files[0]?.id ?? '')).item.processing_state).toBe('failed')
    await expectSound(ada.user_id)
  })

  it('does not change a file that is replaced or removed meanwhile', async () => {
    const ada = contextOf(newUserId())
    for (let round = 0; round < 3; round++) {
      const [replaced, purged] = [await file(ada), await file(ada)]
      await env.BUCKET.delete([replaced, purged].flatMap(({ object_key }) => object_key ?? []))
      const { upload: content } = await replacement(ada, replaced.id)
      await arrive(content.id)
      await Promise.all([
        reconcile({ repair: true }),
        complete(ada, content.id),
        deleteFile(ada, purged.id).then(() => purgeFile(ada, purged.id)),
      ])
      const { item } = await readFile(ada, replaced.id)
      expect(item).toMatchObject({ processing_state: 'ready', object_key: content.id })
      expect(await everywhere('SELECT id FROM files WHERE id = ?', purged.id)).toEqual([])
      await expectSound(ada.user_id)
    }
  })

  it('only reports a version whose content is missing', async () => {
    const ada = contextOf(newUserId())
    const { id } = await asset(ada)
    const { object_key } = await version(ada, id)
    await env.BUCKET.delete(object_key)
    const { found } = await reconcile({ repair: true })
    expect(found).toMatchObject([{ problem: 'content_is_missing', object_key, is_repaired: false }])
    await deleteAsset(ada, id, { permanent: true })
    expect((await reconcile()).found).toEqual([])
  })
})

describe('a page', () => {
  const page = (database: string, more: object = {}) =>
    reconcilePage(contextOf(newUserId()), {
      database,
      stage: 'files',
      after: '',
      repair: false,
      accept_missing: false,
      ...more,
    })

  it('begins where the previous one ended, and the last one has no next', async () => {
    const ada = contextOf(newUserId())
    const ids = []
    for (let index = 0; index < 3; index++) ids.push((await file(ada)).id)
    const name = databaseNames[placeOf(ada.user_id)] ?? 'DB'
    expect(await page(name)).toMatchObject({ looked_at: 3, next: null })
    expect(await page(name, { after: ids.sort()[1] })).toMatchObject({ looked_at: 1, next: null })
    expect(await page(name, { after: ids.sort()[2] })).toMatchObject({ looked_at: 0, next: null })
  })

  it('is refused for a database that is not bound', async () => {
    await expect(page('DB_9')).rejects.toMatchObject({ code: 'VALIDATION_FAILED' })
  })

  it('looks up many objects with one list, objects far apart one by one, and stays within its limits', async () => {
    const hex = (value: number) => value.toString(16).padStart(36, '0')
    const all = Array.from({ length: 5_000 }, (_, index) => hex(index))
    const calls = { list: 0, head: 0 }
    const bucket = Object.assign(Object.create(env.BUCKET), {
      list: async ({ startAfter }: { startAfter: string }) => {
        calls.list++
        const rest = all.filter((key) => key > startAfter)
        const objects = rest.slice(0, 1_000).map((key) => ({ key }))
        return { objects, truncated: rest.length > 1_000 }
      },
      head: async (key: string) => {
        calls.head++
        return all.includes(key) ? { key } : null
      },
    })
    const ctx = { bucket, config: contextOf('somebody').config }
    const dense = [...all.slice(100, 1_100), `${hex(500)}x`]
    expect(await presenceOf(ctx, dense)).toEqual({ missing: new Set([`${hex(500)}x`]), unknown: new Set() })
    expect(calls).toEqual({ list: 2, head: 0 })
    const sparse = Array.from({ length: 300 }, (_, index) => hex(1_000_000 + index * 5_000))
    for (const key of sparse) for (let index = 0; index < 1_001; index++) all.push(`${key}${index}`)
    all.sort()
    calls.list = 0
    const { missing, unknown } = await presenceOf(ctx, sparse)
    expect([missing.size, unknown.size, calls.list, calls.head]).toEqual([121, 179, 1, 120])
  })
})

describe('the route', () => {
  it('requires its scope, and returns the databases and stages', async () => {
    const ada = await signUp()
    expect(await ada.get('/reconcile')).toBeProblem(403, 'FORBIDDEN')
    const body = { database: 'DB', stage: 'files' }
    expect(await ada.request('POST', '/reconcile', { json: body })).toBeProblem(403, 'FORBIDDEN')
    const service = await operator('content:reconcile')
    expect((await service.get('/reconcile')).body).toMatchObject({ databases: databaseNames })
    const answer = await service.request('POST', '/reconcile', { json: body })
    expect(answer).toMatchObject({ status: 200, body: { looked_at: 0, next: null, found: [] } })
    expect(await service.request('POST', '/reconcile', { json: { ...body, stage: 'x' } })).toBeProblem(
      400,
      'VALIDATION_FAILED',
    )
  })
})
