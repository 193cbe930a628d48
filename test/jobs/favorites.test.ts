import { env, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { sql } from 'drizzle-orm'
import { afterEach, expect, it, vi } from 'vitest'
import { deleteAsset } from '../../src/features/assets/delete.ts'
import { restoreAsset } from '../../src/features/assets/restore.ts'
import { listFavorites } from '../../src/features/favorites/list.ts'
import { deleteFavorite, setFavorite } from '../../src/features/favorites/set.ts'
import { recountFavorites } from '../../src/features/favorites/tasks.ts'
import { eraseUser } from '../../src/operators/erasure/erase.ts'
import type { RequestContext } from '../../src/platform/context.ts'
import { newId } from '../../src/platform/db/id.ts'
import { asset } from '../support/acts.ts'
import { contextOf, databasesOver } from '../support/context.ts'
import { Creator, signUpCreator } from '../support/creator.ts'
import { countOf, everyDatabase, homeOf, overEvery } from '../support/databases.ts'
import { DUE, dueRecounts, favoritesOf, makeDue, recount, shownFavorites } from '../support/favorites.ts'
import { tokenFor } from '../support/identities.ts'
import { firstUserId, newUserId } from '../support/ids.ts'
import { expectSound } from '../support/invariants.ts'
import { overridden } from '../support/meter.ts'
import { jobIn, runEach, runJobIn } from '../support/objects.ts'
import { withSessions } from '../support/outgoing.ts'
import { type Fetch, serviceWith } from '../support/service.ts'

/** The days after which the recount of a change made now is not due yet. */
const EARLY = 30 / 86_400

const listed = async (ctx: RequestContext) =>
  (await listFavorites(ctx, { limit: 100 })).rows.map(({ id }) => id)
const someUsers = (count: number) => Array.from({ length: count }, () => contextOf(newUserId()))
const step = (days: number, databases = databasesOver()) => ({
  ...jobIn(days),
  db: databases.whole('DB'),
  databases,
  pairing_id: undefined,
  separately: new Set<string>(),
  asked: new Set<string>(),
  next_at: undefined,
})

afterEach(() => vi.restoreAllMocks())

it('counts the users who have an asset among their favorites, 45 seconds after the first change', async () => {
  const ada = contextOf(newUserId())
  const [bob, ...others] = someUsers(3)
  const { id } = await asset(ada, 'castle', 'public')
  if (!bob) throw new Error('nobody')
  for (const user of [bob, bob, ...others]) await setFavorite(user, id)
  await runEach(EARLY)
  expect(await shownFavorites(id)).toEqual({ favorites: 0, recounts: 0 })
  await recount()
  expect(await shownFavorites(id)).toMatchObject({ favorites: 3 })
  await deleteFavorite(bob, id)
  expect(await shownFavorites(id)).toMatchObject({ favorites: 3 })
  await recount()
  expect(await shownFavorites(id)).toMatchObject({ favorites: 2 })
  expect(await dueRecounts()).toEqual([])
  await expectSound(ada.user_id, bob.user_id, ...others.map(({ user_id }) => user_id))
})

it('changes neither the revision nor the time of an asset, and its entry in the catalogue when its number differs', async () => {
  const [ada, bob] = [contextOf(newUserId()), contextOf(newUserId())]
  const { id } = await asset(ada, 'castle', 'public')
  const row = () => ada.db.read(sql`SELECT revision, updated_at FROM game_assets WHERE id = ${id}`)
  const entry = () =>
    ada.databases.catalogue.send([sql`SELECT name, favorites FROM catalogue_entries WHERE id = ${id}`])
  const before = await row()
  await runJobIn(0)
  expect(await entry()).toEqual([[{ name: 'castle', favorites: 0 }]])
  await setFavorite(bob, id)
  await recount()
  expect(await row()).toEqual(before)
  expect([await entry(), await countOf('catalogue_marks')]).toEqual([[[{ name: 'castle', favorites: 1 }]], 0])
  // The same number again writes no entry.
  await ada.databases.catalogue.send([sql`UPDATE catalogue_entries SET name = 'kept' WHERE id = ${id}`])
  await deleteFavorite(bob, id)
  await setFavorite(bob, id)
  await recount()
  expect([await shownFavorites(id), await entry()]).toEqual([
    { favorites: 1, recounts: 2 },
    [[{ name: 'kept', favorites: 1 }]],
  ])
})

it('follows the erasure of a user, and an asset that is gone ends its recount', async () => {
  const [ada, bob] = [contextOf(newUserId()), contextOf(newUserId())]
  const [kept, gone] = [await asset(ada, 'kept', 'public'), await asset(ada, 'gone', 'public')]
  for (const { id } of [kept, gone]) for (const user of [ada, bob]) await setFavorite(user, id)
  await recount()
  await deleteAsset(ada, gone.id, { permanent: true })
  await eraseUser(ada, bob.user_id)
  await runJobIn(0.01)
  expect(await shownFavorites(kept.id)).toMatchObject({ favorites: 1 })
  expect(await shownFavorites(gone.id)).toBeNull()
  expect(await dueRecounts()).toEqual([])
  expect(await countOf('favorites WHERE user_id = ?', bob.user_id)).toBe(0)
  await expectSound(ada.user_id)
})

it('removes the favorites of a purged asset, which nobody could take back, and makes room for others', async () => {
  const [ada, eve] = [contextOf(newUserId()), contextOf(newUserId())]
  const bob = contextOf(newUserId(), {}, { MAX_FAVORITES: 2 })
  const { id: kept } = await asset(ada, 'kept', 'public')
  const { id: gone } = await asset(ada, 'gone', 'public')
  const { id: next } = await asset(ada, 'next', 'public')
  for (const id of [kept, gone]) await setFavorite(bob, id)
  await recount()
  await deleteAsset(ada, gone)
  await recount()
  await expect(setFavorite(bob, next), 'the asset may be restored').rejects.toThrow('LIMIT_REACHED')
  await restoreAsset(ada, gone, {})
  expect(await listed(bob)).toEqual([gone, kept])
  await deleteAsset(ada, gone, { permanent: true })
  await setFavorite(eve, kept)
  // As a request does that found the asset before.
  await homeOf(eve.user_id)
    .prepare(
      'INSERT INTO favorites (user_id, asset_id, id, created_at) SELECT user_id, ?, id || 1, created_at FROM favorites WHERE user_id = ?',
    )
    .bind(gone, eve.user_id)
    .run()
  await recount()
  await setFavorite(bob, next)
  expect([await favoritesOf(bob), await favoritesOf(eve)]).toEqual([[kept, next], [kept]])
  for (const table of ['favorites', 'favorite_counts', 'favorite_recounts'])
    expect(await countOf(`${table} WHERE asset_id = ?`, gone), table).toBe(0)
  await expectSound(ada.user_id, bob.user_id, eve.user_id)
})

it('recounts many assets in steps of bounded cost, and an asset that everybody likes in one', async () => {
  const ada = contextOf(newUserId())
  const { id } = await asset(ada, 'castle', 'public')
  const gone = newId(ada.user_id)
  const log = vi.spyOn(console, 'error')
  const database = everyDatabase[0] ?? env.DB
  await database
    .prepare(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
      INSERT INTO favorites (user_id, asset_id, id, created_at)
      SELECT 'fan ' || i, iif(i % 2 = 0, ?1, substr(?2, 1, 31) || printf('%05x', i)), 'id ' || i, 1 FROM n
      UNION ALL SELECT 'fan ' || i, ?2, 'of one that is purged ' || i, 1 FROM n`,
    )
    .bind(id, gone)
    .run()
  await runJobIn(DUE)
  expect(await shownFavorites(id)).toEqual({ favorites: 1_000, recounts: 1 })
  expect(await countOf("favorites WHERE user_id LIKE 'fan %'"), 'those of purged assets have gone').toBe(
    1_000,
  )
  expect(await dueRecounts()).toEqual([])
  await expectSound(ada.user_id)
  expect(log, 'no step cost more than its task declares').not.toHaveBeenCalled()
  await database.exec('DELETE FROM favorites')
  await recount()
  expect(await shownFavorites(id)).toMatchObject({ favorites: 0 })
  expect(await countOf('favorite_counts WHERE asset_id = ?', id)).toBe(0)
})

it('never replaces a number by an older one, when two jobs count an asset at a time', async () => {
  const [ada, bob, eve] = [contextOf(firstUserId()), contextOf(firstUserId()), contextOf(firstUserId())]
  const { id } = await asset(ada, 'castle', 'public')
  await setFavorite(bob, id)
  let once = 0
  const between = async () => {
    if (once++ > 0) return
    await setFavorite(eve, id)
    await makeDue()
    await recountFavorites(step(DUE))
    expect(await shownFavorites(id)).toMatchObject({ favorites: 2 })
  }
  await recountFavorites(step(DUE, databasesOver(beforeUpdates(between))))
  expect(once).toBe(1)
  expect(await shownFavorites(id)).toMatchObject({ favorites: 2 })
})

it('counts again what changes while it counts', async () => {
  const [ada, bob, eve] = [contextOf(firstUserId()), contextOf(firstUserId()), contextOf(firstUserId())]
  const { id } = await asset(ada, 'castle', 'public')
  await setFavorite(bob, id)
  const ctx = step(DUE, databasesOver(beforeUpdates(() => setFavorite(eve, id))))
  await recountFavorites(ctx)
  expect(await shownFavorites(id)).toMatchObject({ favorites: 1 })
  expect(await dueRecounts()).toEqual([id])
  expect(await recountFavorites(ctx), 'not at once').toBe(0)
  expect(ctx.next_at).toBe(Math.floor(ctx.now_ms / 1_000) + 45)
  await recount(2 * DUE)
  expect(await shownFavorites(id)).toMatchObject({ favorites: 2 })
})

/** The databases. Does something before each batch that changes assets. */
function beforeUpdates(act: () => Promise<void>) {
  return overEvery((database) =>
    withSessions(database, (session) => {
      let isChange = false
      return {
        prepare: (text: string) => {
          isChange ||= text.startsWith('UPDATE game_assets SET favorites')
          return session.prepare(text)
        },
        batch: async (statements: D1PreparedStatement[]) => {
          if (isChange) await act()
          isChange = false
          return session.batch(statements)
        },
      }
    }),
  )
}

/** A creator whose home is the first database. */
async function firstCreator(service: Fetch): Promise<Creator> {
  const id = firstUserId()
  return new Creator(id, await tokenFor(id), service)
}

/** When the alarm of the first database's janitor rings, in Unix seconds; undefined: never. */
async function alarm(): Promise<number | undefined> {
  const time = await runInDurableObject(env.JANITOR.getByName('janitor'), (_, state) =>
    state.storage.getAlarm(),
  )
  return time === null ? undefined : time / 1_000
}

const now = () => Date.now() / 1_000

it('is asked for by the first change of an asset’s favorites, and by none after it until the job has run', async () => {
  const asked: string[] = []
  const janitors = overridden(env.JANITOR, {
    getByName: (name: string) => {
      asked.push(name)
      return env.JANITOR.getByName(name)
    },
  })
  const service = serviceWith({ JANITOR: janitors })
  const [ada, bob] = [await firstCreator(service), await firstCreator(service)]
  const castle = await ada.emptyAsset('castle', { visibility: 'public' })
  await makeDue()
  // An earlier file of the runtime may have left an alarm set.
  while (await runDurableObjectAlarm(env.JANITOR.getByName('janitor'))) {}
  await runEach(0)
  const began = now()
  for (const user of [ada, bob, bob]) expect((await user.favor(castle)).status).toBe(204)
  for (let times = 0; times < 2; times++) expect((await bob.unfavor(castle)).status).toBe(204)
  expect(asked).toEqual(['janitor'])
  await vi.waitFor(async () => expect(await alarm()).toBeGreaterThan(began + 40))
  expect(await alarm()).toBeLessThanOrEqual(now() + 47)
  expect((await ada.favor(await ada.emptyAsset('forest'))).status).toBe(204)
  expect(asked).toEqual(['janitor', 'janitor'])
})

it('has the janitor come back when the next recount is due, and not before', async () => {
  const [ada, bob] = [contextOf(firstUserId()), contextOf(firstUserId())]
  const { id } = await asset(ada, 'castle', 'public')
  const janitor = env.JANITOR.getByName('janitor')
  await makeDue()
  while (await runDurableObjectAlarm(janitor)) {}
  expect(await alarm()).toBeUndefined()
  const began = now()
  await setFavorite(bob, id)
  await janitor.wake('DB')
  expect(await alarm()).toBeGreaterThan(began + 40)
  expect(await shownFavorites(id)).toMatchObject({ favorites: 0 })
  await makeDue()
  expect(await runDurableObjectAlarm(janitor)).toBe(true)
  expect(await shownFavorites(id)).toMatchObject({ favorites: 1 })
  expect(await alarm()).toBeUndefined()
})

it('is not asked for where the job is off', async () => {
  const bob = await signUpCreator('bob', serviceWith({ JOB: 'off' }))
  const asset = await bob.emptyAsset('castle')
  expect((await bob.favor(asset)).status).toBe(204)
  expect(await dueRecounts()).toEqual([asset.id])
  expect(await alarm()).toBeUndefined()
})
