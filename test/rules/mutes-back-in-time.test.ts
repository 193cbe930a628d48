import { expect, it } from 'vitest'
import { muteUser, unmuteUser } from '../../src/features/mutes/set.ts'
import { eraseUser } from '../../src/operators/erasure/erase.ts'
import { restore, snapshotOf } from '../support/back-in-time.ts'
import { contextOf } from '../support/context.ts'
import { everyDatabase } from '../support/databases.ts'
import { newUserId } from '../support/ids.ts'
import { copyOf, expectCopied, mutedBy, mutesNaming } from '../support/muting.ts'
import { runJobIn } from '../support/objects.ts'
import { reconcile } from '../support/reconciling.ts'

const found = async (repair = false) =>
  (await reconcile({ repair })).found.map(({ problem, id, is_repaired }) => ({ problem, id, is_repaired }))

it('the comparison finds a copy that differs after going back, and a repair has the job copy the list', async () => {
  const [ada, bob] = [contextOf(newUserId()), contextOf(newUserId())]
  await muteUser(ada, bob.user_id)
  await runJobIn(0.01)
  const kept = await Promise.all(everyDatabase.map(snapshotOf))
  await unmuteUser(ada, bob.user_id)
  await muteUser(ada, 'eve')
  await runJobIn(0.01)
  for (const [index, database] of everyDatabase.entries()) await restore(database, kept[index] ?? new Map())
  expect([await mutedBy(ada), await copyOf(ada)]).toEqual([[bob.user_id], ['eve']])
  const wrong = { problem: 'mutes_differ', id: ada.user_id }
  expect(await found()).toEqual([{ ...wrong, is_repaired: false }])
  expect(await found(true)).toEqual([{ ...wrong, is_repaired: true }])
  expect(await found(), 'a copy that is due does not count').toEqual([])
  await runJobIn(0)
  expect(await expectCopied(ada)).toEqual([bob.user_id])
  expect(await found()).toEqual([])
  // A change after going back holds at once.
  await unmuteUser(ada, bob.user_id)
  expect(await expectCopied(ada)).toEqual([])
})

it('the comparison finds an erased user who is muted again after going back, and a repair removes the id', async () => {
  const [ada, bob] = [contextOf(newUserId()), contextOf(newUserId())]
  await muteUser(ada, bob.user_id)
  await muteUser(ada, 'eve')
  await runJobIn(0.01)
  const kept = await Promise.all(everyDatabase.map(snapshotOf))
  await eraseUser(bob, bob.user_id)
  for (const days of [0.01, 0.02]) await runJobIn(days)
  expect(await mutesNaming(bob)).toBe(0)
  for (const [index, database] of everyDatabase.entries()) await restore(database, kept[index] ?? new Map())
  expect(await mutesNaming(bob)).toBe(1)
  const back = { problem: 'erased_user_is_back', id: bob.user_id, is_repaired: true }
  expect((await found(true)).filter(({ id }) => id === bob.user_id)).toEqual([back])
  expect(await mutesNaming(bob)).toBe(0)
  await runJobIn(0.01)
  expect(await expectCopied(ada)).toEqual(['eve'])
  expect((await found()).filter(({ id }) => id === bob.user_id)).toEqual([])
})
