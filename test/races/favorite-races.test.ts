import { expect, it } from 'vitest'
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
import { died, dieEverywhere } from '../support/mortal.ts'
import { removed, runEach } from '../support/objects.ts'
import { chances, rounds, tally } from '../support/race.ts'

/** Ada with two public assets, and Bob and Eve, who like them. */
async function scene(limits: { MAX_FAVORITES?: number } = {}) {
  const [ada, bob, eve] = [contextOf(newUserId()), contextOf(newUserId(), {}, limits), contextOf(newUserId())]
  const [first, second] = [await asset(ada, 'first', 'public'), await asset(ada, 'second', 'public')]
  return { ada, bob, eve, first: first.id, second: second.id }
}

const listed = async (ctx: RequestContext) =>
  (await listFavorites(ctx, { limit: 100 })).rows.map(({ id }) => id)

/** Fails unless every counter equals a recount, also those that the job makes. */
async function expectCounted(assets: string[], ...users: RequestContext[]): Promise<void> {
  await makeDue()
  await recount()
  for (const id of assets) {
    const shown = await shownFavorites(id)
    if (shown) expect(shown.favorites).toBe(await usersWith(id))
  }
  expect(await dueRecounts()).toEqual([])
  await expectSound(...users.map(({ user_id }) => user_id))
}

it('adds an asset once, however often at a time, and counts each user once', async () => {
  await chances(async (round) => {
    const { ada, bob, eve, first } = await scene()
    const added = await round.race([
      () => setFavorite(bob, first),
      () => setFavorite(eve, first),
      () => setFavorite(bob, first),
      () => setFavorite(ada, first),
    ])
    expect(tally(added)).toBe('4 ok')
    expect(await favoritesOf(bob)).toEqual([first])
    expect(await usersWith(first)).toBe(3)
    await expectCounted([first], ada, bob, eve)
  })
})

it('leaves nothing of an erased user’s favorites, and all that the user adds afterwards', async () => {
  await rounds({ settle: removed }, async (round) => {
    const { ada, bob, first, second } = await scene()
    await setFavorite(bob, first)
    const [added, erased] = await round.race<unknown>([
      () => setFavorite(bob, second),
      () => eraseUser(ada, bob.user_id),
      () => setFavorite(bob, first),
      () => deleteFavorite(bob, first),
    ])
    expect([added?.code, erased?.code]).toEqual([undefined, undefined])
    const left = await listed(bob)
    if (round.isBefore(added, erased)) expect(left).not.toContain(second)
    if (round.isBefore(erased, added)) expect(left).toContain(second)
    for (const id of [first, second]) await setFavorite(bob, id)
    expect(new Set(await listed(bob))).toEqual(new Set([first, second]))
    round.later(async () => {
      expect(new Set(await listed(bob))).toEqual(new Set([first, second]))
      await expectSound(bob.user_id)
      for (const id of [first, second]) expect((await shownFavorites(id))?.favorites).toBe(1)
    })
  })
})

it('has what is added again after an erasure, whichever call its request died at', async () => {
  const favorites: [RequestContext, string][] = []
  const deaths = await dieEverywhere(async (dying) => {
    const { ada, bob, first } = await scene()
    await setFavorite(bob, first)
    const isDead = await died(eraseUser(dying(ada), bob.user_id))
    await setFavorite(bob, first)
    expect(await listed(bob)).toEqual([first])
    favorites.push([bob, first])
    return isDead
  })
  expect(deaths).toBeGreaterThan(3)
  await removed()
  for (const [bob, first] of favorites) expect(await listed(bob)).toEqual([first])
  await expectSound(...favorites.map(([bob]) => bob.user_id))
})

it('shows the number of users in the end, whenever jobs count', async () => {
  await rounds(async (round) => {
    const { ada, bob, eve, first } = await scene()
    await setFavorite(bob, first)
    await makeDue()
    const outcomes = await round.race<unknown>([
      () => runEach(0),
      () => setFavorite(eve, first),
      () => runEach(0),
      () => deleteFavorite(bob, first),
      () => runEach(0),
    ])
    expect(tally(outcomes)).toBe('5 ok')
    await expectCounted([first], ada, bob, eve)
  })
})
