import { env } from 'cloudflare:test'
import { expect, it } from 'vitest'
import { liftDecision } from '../../src/features/moderation/lift.ts'
import type { Target } from '../../src/features/moderation/schema.ts'
import { asset, file, there } from '../support/acts.ts'
import { restore, snapshotOf } from '../support/back-in-time.ts'
import { expectMeasuresAtRest } from '../support/cases.ts'
import { contextOf } from '../support/context.ts'
import { countOf, databaseNames, homeOf } from '../support/databases.ts'
import { caseOf, caseRow, decided, measuredRow } from '../support/deciding.ts'
import { newUserId, newUserIdIn } from '../support/ids.ts'
import { everything } from '../support/inbox.ts'
import { expectSound } from '../support/invariants.ts'
import { runJobIn } from '../support/objects.ts'
import { reconcile } from '../support/reconciling.ts'

/** What is found of measures: whose, and whether it is repaired. */
async function found(repair = false): Promise<[id: string, isRepaired: boolean][]> {
  const all = (await reconcile({ repair })).found
  return all
    .filter(({ problem }) => problem === 'measure_differs')
    .map(({ id, is_repaired }): [string, boolean] => [id, is_repaired])
    .sort()
}

const ofAsset = (id: string): Target => ({ type: 'asset', id })

/** A user of another database than the first. */
const elsewhere = () => contextOf(newUserIdIn(there(databaseNames[1])))

async function notified(user_id: string): Promise<number> {
  const { notifications } = await env.INBOX.getByName(user_id).list(everything)
  return notifications.length
}

/** Compares without a repair, with one and after it, and lets the job do what is left. */
async function repairs(ids: string[]): Promise<void> {
  const wanted = ids.toSorted()
  expect(await found()).toEqual(wanted.map((id) => [id, false]))
  expect(await found(true)).toEqual(wanted.map((id) => [id, true]))
  for (const days of [1, 1.1]) await runJobIn(days)
  expect(await found()).toEqual([])
  await expectMeasuresAtRest()
}

it('brings what was decided to things whose database was restored to before, and notifies nobody again', async () => {
  const ada = elsewhere()
  const [castle, maze, forest] = [
    await asset(ada, 'castle', 'public'),
    await asset(ada, 'maze'),
    await asset(ada, 'forest'),
  ]
  const picture = await file(ada)
  const earlier = await decided(await caseOf(ofAsset(maze.id)), 'block')
  const before = await snapshotOf(homeOf(ada.user_id))
  await decided(await caseOf(ofAsset(castle.id)), 'rate')
  await liftDecision(contextOf(newUserId()), earlier.id)
  await decided(await caseOf({ type: 'file', id: picture.id }), 'block')
  await decided(await caseOf(ofAsset(forest.id)), 'warn')
  for (const days of [0.01, 0.02]) await runJobIn(days)
  expect(await notified(ada.user_id)).toBe(4)
  await restore(homeOf(ada.user_id), before)

  await repairs([castle.id, maze.id, picture.id])
  expect(await measuredRow(castle.id)).toMatchObject({ rating_locked: 'teen' })
  expect(await measuredRow(maze.id)).toMatchObject({ blocked: 0 })
  expect(await countOf('files WHERE id = ? AND blocked = 1', picture.id)).toBe(1)
  expect(await notified(ada.user_id)).toBe(4)
  await expectSound(ada.user_id)
})

it('gives things the measures of their cases, and none where the case is gone, after the first database was restored', async () => {
  const ada = elsewhere()
  const [castle, maze, forest, ruin] = [
    await asset(ada, 'castle', 'public'),
    await asset(ada, 'maze'),
    await asset(ada, 'forest'),
    await asset(ada, 'ruin'),
  ]
  const replaced = await decided(await caseOf(ofAsset(castle.id)), 'unlist')
  const opened = await caseOf(ofAsset(ruin.id))
  await runJobIn(0.01)
  const before = await snapshotOf(env.DB)
  await decided(await caseOf(ofAsset(castle.id)), 'block', { replaces: replaced.id })
  await decided(opened, 'block')
  for (const { id } of [maze, forest]) await decided(await caseOf(ofAsset(id)), 'block')
  await restore(env.DB, before)
  // Of one a new case begins before anybody compares.
  const anew = await caseOf(ofAsset(forest.id))
  await decided(anew, 'unlist')

  await repairs([castle.id, maze.id, forest.id, ruin.id])
  expect(await measuredRow(castle.id)).toMatchObject({ blocked: 0, unlisted: 1 })
  expect(await measuredRow(forest.id)).toMatchObject({ blocked: 0, unlisted: 1 })
  for (const { id } of [maze, ruin]) expect(await measuredRow(id)).toMatchObject({ blocked: 0, unlisted: 0 })
  await expectSound(ada.user_id)
  const later = await caseOf(ofAsset(maze.id))
  await decided(later, 'block')
  expect(await caseRow(later)).toMatchObject({ sequence: 1, applied: 1 })
  expect(await measuredRow(maze.id)).toMatchObject({ blocked: 1 })
  await expectSound(ada.user_id)
})
