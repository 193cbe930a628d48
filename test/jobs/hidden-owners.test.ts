import { expect, it } from 'vitest'
import { hideOwner } from '../../src/features/catalogue/hidden-owners.ts'
import { asset } from '../support/acts.ts'
import { expectCatalogueDone, shownIds } from '../support/catalogue.ts'
import { contextOf } from '../support/context.ts'
import { countOf } from '../support/databases.ts'
import { newUserId } from '../support/ids.ts'
import { runJobIn } from '../support/objects.ts'
import { seedAssets, seededAsset } from '../support/seed.ts'

/** The days after which the job looks at an owner who is hidden now. */
const LOOK = 11 / (24 * 60)
/** More assets than one look compares. */
const MANY = 250

it('shows an owner again whose erasure was refused after the owner was hidden, however many assets the owner has', async () => {
  const owner = contextOf(newUserId())
  await seedAssets({ owner_id: owner.user_id, prefix: 'many', from: 1, to: MANY })
  const { id } = await asset(owner, 'castle', 'public')
  const ids = [id, ...[1, MANY].map((number) => seededAsset(owner.user_id, 'many', number))]
  expect(new Set(await shownIds(ids))).toEqual(new Set(ids))
  await hideOwner(owner, owner.user_id, Math.floor(Date.now() / 1_000) + 60)
  expect(await shownIds(ids)).toEqual([])
  await runJobIn(LOOK / 2)
  expect(await shownIds(ids), 'an erasure may still be under way').toEqual([])
  await runJobIn(LOOK)
  expect(new Set(await shownIds(ids))).toEqual(new Set(ids))
  expect(await countOf('catalogue_hidden_owners')).toBe(0)
  await expectCatalogueDone()
})

it('hides no less when an isolate repeats the erasure whose clock is behind', async () => {
  const owner = contextOf(newUserId())
  const { id, created_at } = await asset(owner, 'castle', 'public')
  for (const until of [created_at + 60, created_at - 1]) await hideOwner(owner, owner.user_id, until)
  expect(await shownIds([id])).toEqual([])
})
