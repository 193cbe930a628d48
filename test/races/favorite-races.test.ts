import { expect, it } from 'vitest'
import { deleteAsset } from '../../src/features/assets/delete.ts'
import { listFavorites } from '../../src/features/favorites/list.ts'
import { deleteFavorite, setFavorite } from '../../src/features/favorites/set.ts'
import { eraseUser } from '../../src/operators/erasure/erase.ts'
import type { RequestContext } from '../../src/platform/context.ts'
import { asset } from '../support/acts.ts'
import { contextOf } from '../support/context.ts'
import {
  dueRecounts,
  favoritesOf,
  makeDue,
  recount,
  shownFavorites,
  usersWith,
} from '../support/favorites.ts'
import { newUserId } from '../support/ids.ts'
import { expectSound } from '../support/invariants.ts'
import { runEach, runJobIn } from '../support/objects.ts'
import { isBefore, race, rounds, tally } from '../support/race.ts'

/** Ada with two public assets, and Bob and Eve, who like them. */
async function scene(limits: { MAX_FAVORITES?: number } = {}) {
  const [ada, bob, eve] = [contextOf(newUserId()), contextOf(newUserId(), {}, limits), contextOf(newUserId())]
  const [first, second] = [await asset(ada, 'first', 'public'), await asset(ada, 'second', 'public')]
  return { ada, bob, eve, first: first.id, second: second.id }
}

const listed = async (ctx: RequestContext) =>
  (await listFavorites(ctx, { limit: 100 })).rows.map(({ id }) => id)

/** Fails unless every counter equals a recount, also those that the job makes. */
async function expectCounted(seed: number, assets: string[], ...users: RequestContext[]): Promise<void> {
  await makeDue()
  await recount()
  for (const id of assets) {
    const shown = await shownFavorites(id)
    if (shown) expect(shown.favorites, `seed ${seed}`).toBe(await usersWith(id))
  }
  expect(await dueRecounts(), `seed ${seed}`).toEqual([])
  await expectSound(...users.map(({ user_id }) => user_id))
}

it('adds an asset once, however often at a time, and counts each user once', async () => {
  await rounds(async (seed) => {
    const { ada, bob, eve, first } = await scene()
    const added = await race(seed, [
      () => setFavorite(bob, first),
      () => setFavorite(eve, first),
      () => setFavorite(bob, first),
      () => setFavorite(ada, first),
    ])
    expect(tally(added), `seed ${seed}`).toBe('4 ok')
    expect(await favoritesOf(bob)).toEqual([first])
    expect(await usersWith(first)).toBe(3)
    await expectCounted(seed, [first], ada, bob, eve)
  })
})

it('has an asset or has it not, when it is added and taken back at a time, as the last of the two says', async () => {
  await rounds(async (seed) => {
    const { bob, first, second } = await scene()
    await setFavorite(bob, second)
    if (seed % 2 === 0) await setFavorite(bob, first)
    const [added, removed, looked] = await race<unknown>(seed, [
      () => setFavorite(bob, first),
      () => deleteFavorite(bob, first),
      () => listed(bob),
    ])
    expect([added?.code, removed?.code, looked?.code], `seed ${seed}`).toEqual([
      undefined,
      undefined,
      undefined,
    ])
    const left = await listed(bob)
    if (isBefore(added, removed)) expect(left, `seed ${seed}`).toEqual([second])
    if (isBefore(removed, added)) expect(left, `seed ${seed}`).toEqual([first, second])
    await expectCounted(seed, [first, second], bob)
  })
})

it('lets no more than MAX_FAVORITES in, and a place that is free is taken once', async () => {
  await rounds(async (seed) => {
    const { ada, bob, first, second } = await scene({ MAX_FAVORITES: 1 })
    const outcomes = await race<unknown>(seed, [
      () => setFavorite(bob, first),
      () => setFavorite(bob, second),
      ...(seed % 2 === 0 ? [() => deleteFavorite(bob, first)] : []),
    ])
    const left = await favoritesOf(bob)
    expect(left.length, `seed ${seed}`).toBeLessThanOrEqual(1)
    for (const { code } of outcomes) expect([undefined, 'LIMIT_REACHED'], `seed ${seed}`).toContain(code)
    if (seed % 2 === 1) expect(tally(outcomes), `seed ${seed}`).toBe('1 LIMIT_REACHED, 1 ok')
    await expectCounted(seed, [first, second], ada, bob)
  })
})

it('shows no favorite that is deleted, and a deleted asset has no new favorites', async () => {
  await rounds(async (seed) => {
    const { ada, bob, eve, first } = await scene()
    await setFavorite(eve, first)
    const [added, deleted] = await race<unknown>(seed, [
      () => setFavorite(bob, first),
      () => deleteAsset(ada, first, { permanent: seed % 2 === 0 }),
      () => deleteFavorite(eve, first),
    ])
    expect(deleted?.code, `seed ${seed}`).toBeUndefined()
    expect([undefined, 'ASSET_NOT_FOUND'], `seed ${seed}`).toContain(added?.code)
    if (isBefore(deleted, added)) expect(added?.code, `seed ${seed}`).toBe('ASSET_NOT_FOUND')
    expect([await listed(bob), await listed(eve)], `seed ${seed}`).toEqual([[], []])
    if (!added?.code) await deleteFavorite(bob, first)
    else await expect(deleteFavorite(bob, first)).rejects.toThrow('ASSET_NOT_FOUND')
    await expectCounted(seed, [first], ada, bob, eve)
  })
})

it('leaves nothing of an erased user’s favorites, and all that the user adds afterwards', async () => {
  const after: { seed: number; bob: RequestContext; first: string; second: string }[] = []
  await rounds(async (seed) => {
    const { ada, bob, first, second } = await scene()
    await setFavorite(bob, first)
    const [added, erased] = await race<unknown>(seed, [
      () => setFavorite(bob, second),
      () => eraseUser(ada, bob.user_id),
      () => setFavorite(bob, first),
      () => deleteFavorite(bob, first),
    ])
    expect([added?.code, erased?.code], `seed ${seed}`).toEqual([undefined, undefined])
    const left = await listed(bob)
    if (isBefore(added, erased)) expect(left, `seed ${seed}`).not.toContain(second)
    if (isBefore(erased, added)) expect(left, `seed ${seed}`).toContain(second)
    for (const id of [first, second]) await setFavorite(bob, id)
    expect(new Set(await listed(bob)), `seed ${seed}`).toEqual(new Set([first, second]))
    after.push({ seed, bob, first, second })
  })
  for (const days of [0, 0.01, 0.02]) await runJobIn(days)
  for (const { seed, bob, first, second } of after) {
    expect(new Set(await listed(bob)), `seed ${seed}`).toEqual(new Set([first, second]))
    await expectSound(bob.user_id)
    for (const id of [first, second]) expect((await shownFavorites(id))?.favorites, `seed ${seed}`).toBe(1)
  }
})

it('shows the number of users in the end, whenever jobs count', async () => {
  await rounds(async (seed) => {
    const { ada, bob, eve, first } = await scene()
    await setFavorite(bob, first)
    await makeDue()
    const outcomes = await race<unknown>(seed, [
      () => runEach(0),
      () => setFavorite(eve, first),
      () => runEach(0),
      () => deleteFavorite(bob, first),
      () => runEach(0),
    ])
    expect(tally(outcomes), `seed ${seed}`).toBe('5 ok')
    await expectCounted(seed, [first], ada, bob, eve)
  })
})
