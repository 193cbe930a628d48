import { beforeEach, describe, expect, it } from 'vitest'
import { createAsset } from '../../src/features/assets/create.ts'
import { deleteAsset } from '../../src/features/assets/delete.ts'
import { editAsset } from '../../src/features/assets/edit.ts'
import { readCatalogue, rebuildPart } from '../../src/operators/catalogue/rebuild.ts'
import { blockAsset, unblockAsset } from '../../src/operators/moderation/block.ts'
import type { RequestContext } from '../../src/platform/context.ts'
import { now } from '../support/back-in-time.ts'
import { catalogueFaults, expectCatalogue, expectCatalogueDone, shownIds } from '../support/catalogue.ts'
import { contextOf } from '../support/context.ts'
import { databaseNames, startOver } from '../support/databases.ts'
import { newUserId } from '../support/ids.ts'
import { runJobIn } from '../support/objects.ts'
import { counted, reconcile } from '../support/reconciling.ts'

beforeEach(async () => {
  await startOver()
})

const create = (work: RequestContext, name: string) =>
  createAsset(work, { name, type: 'world', visibility: 'public' })

/** Assets whose databases have gone back to before their last changes, while the catalogue has not. */
async function story() {
  const users = databaseNames.map(() => contextOf(newUserId()))
  const assets = await Promise.all(
    users.map(async (work) => ({
      work,
      edited: await create(work, 'edited'),
      hidden: await create(work, 'hidden'),
      blocked: await create(work, 'blocked'),
      purged: await create(work, 'purged'),
    })),
  )
  for (const { work, hidden } of assets) await editAsset(work, hidden.id, { listed: false })
  for (const { blocked } of assets) await blockAsset(contextOf('operator'), blocked.id)
  await runJobIn(0)
  const back = await now()
  const later: string[] = []
  for (const { work, edited, hidden, blocked, purged } of assets) {
    for (const name of ['edited once', 'edited twice']) await editAsset(work, edited.id, { name })
    await editAsset(work, hidden.id, { listed: true })
    await unblockAsset(contextOf('operator'), blocked.id)
    await deleteAsset(work, purged.id, { permanent: true })
    later.push((await create(work, 'later')).id)
  }
  await runJobIn(0)
  await back()
  return { assets, later }
}

/** How many assets of each user differ: the edited, the hidden, the blocked, the purged and the later one. */
const DIFFERENT = 5 * databaseNames.length

/** As `npm run catalogue -- rebuild`. */
async function rebuild(): Promise<void> {
  const ctx = contextOf('operator')
  for (const of of ['assets', 'entries'] as const)
    for (const database of of === 'assets' ? databaseNames : databaseNames.slice(0, 1))
      for (let after: string | null = null, isDone = false; !isDone; ) {
        const { next } = await rebuildPart(ctx, { of, database, after })
        after = next
        isDone = next === null
      }
  while ((await readCatalogue(ctx)).marks.some(({ waiting }) => waiting > 0))
    for (const database of databaseNames) await rebuildPart(ctx, { of: 'marks', database })
}

describe('the catalogue, when the databases of its assets have gone back in time', () => {
  it('is put right by the job', () => isPutRightBy(() => runJobIn(0)))

  it('is put right by npm run catalogue -- rebuild', { tags: 'release' }, () => isPutRightBy(rebuild))

  it('is put right by npm run reconcile, and then the job', { tags: 'release' }, () =>
    isPutRightBy(async () => {
      const dry = await reconcile()
      // Both stages may find an asset.
      const differing = dry.found.filter(({ problem }) => problem === 'entry_differs')
      expect(new Set(differing.map(({ id }) => id)).size).toBe(DIFFERENT)
      expect(await catalogueFaults(), 'a dry run').toHaveLength(DIFFERENT)
      expect(counted((await reconcile({ repair: true })).found)).toMatchObject({ entry_differs: DIFFERENT })
      await runJobIn(0)
      expect(counted((await reconcile()).found)).not.toHaveProperty('entry_differs')
    }),
  )

  async function isPutRightBy(repair: () => Promise<unknown>) {
    const { assets, later } = await story()
    expect(await catalogueFaults()).toHaveLength(DIFFERENT)
    await repair()
    await expectCatalogueDone()
    expect(await shownIds(later)).toEqual([])
    expect(await shownIds(assets.map(({ edited }) => edited.id))).toHaveLength(assets.length)
  }

  it('still takes out at once what is unpublished, before anything is put right', async () => {
    const { assets } = await story()
    for (const { work, edited, hidden } of assets) {
      await editAsset(work, edited.id, { visibility: 'private' })
      expect(await shownIds([edited.id])).toEqual([])
      await deleteAsset(work, hidden.id)
    }
    await runJobIn(0)
    await expectCatalogue()
  })
})
