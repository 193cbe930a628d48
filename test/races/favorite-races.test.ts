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

it('has an asset or has it not, when it is added and taken back at a time, as the last of the two says', async () => {
  await rounds(
    async (round) => {
      const { bob, first, second } = await scene()
      await setFavorite(bob, second)
      if (round.variant === 0) await setFavorite(bob, first)
      const [added, removed, looked] = await round.race<unknown>([
        () => setFavorite(bob, first),
        () => deleteFavorite(bob, first),
        () => listed(bob),
      ])
      expect([added?.code, removed?.code, looked?.code]).toEqual([undefined, undefined, undefined])
      const left = await listed(bob)
      if (round.isBefore(added, removed)) expect(left).toEqual([second])
      if (round.isBefore(removed, added)) expect(left).toEqual([first, second])
      await expectCounted([first, second], bob)
    },
    { variants: 2 },
  )
})

it('lets no more than MAX_FAVORITES in, and a place that is free is taken once', async () => {
  await rounds(
    async (round) => {
      const { ada, bob, first, second } = await scene({ MAX_FAVORITES: 1 })
      const outcomes = await round.race<unknown>([
        () => setFavorite(bob, first),
        () => setFavorite(bob, second),
        ...(round.variant === 0 ? [() => deleteFavorite(bob, first)] : []),
      ])
      const left = await favoritesOf(bob)
      expect(left.length).toBeLessThanOrEqual(1)
      for (const { code } of outcomes) expect([undefined, 'LIMIT_REACHED']).toContain(code)
      if (round.variant === 1) expect(tally(outcomes)).toBe('1 LIMIT_REACHED, 1 ok')
      await expectCounted([first, second], ada, bob)
    },
    { variants: 2 },
  )
})

it('shows no favorite that is deleted, and a deleted asset has no new favorites', async () => {
  await rounds(
    async (round) => {
      const { ada, bob, eve, first } = await scene()
      await setFavorite(eve, first)
      const [added, deleted] = await round.race<unknown>([
        () => setFavorite(bob, first),
        () => deleteAsset(ada, first, { permanent: round.variant === 0 }),
        () => deleteFavorite(eve, first),
      ])
      expect(deleted?.code).toBeUndefined()
      expect([undefined, 'ASSET_NOT_FOUND']).toContain(added?.code)
      if (round.isBefore(deleted, added)) expect(added?.code).toBe('ASSET_NOT_FOUND')
      expect([await listed(bob), await listed(eve)]).toEqual([[], []])
      if (round.fork('it is refused', added?.code !== undefined))
      await expect(deleteFavorite(bob, first)).rejects.toThrow('ASSET_NOT_FOUND')
    else await deleteFavorite(bob, first)
    await expectCounted([first], ada, bob, eve)
    },
    { variants: 2 },
  )
})

it('leaves nothing of an erased user’s favorites, and all that the user adds afterwards', async () => {
  await rounds(
    async (round) => {
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
    },
    { settle: removed },
  )
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
