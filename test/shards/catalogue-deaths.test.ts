import { describe, expect, it } from 'vitest'
import { createAsset } from '../../src/features/assets/create.ts'
import { deleteAsset } from '../../src/features/assets/delete.ts'
import { editAsset } from '../../src/features/assets/edit.ts'
import { applyMarks } from '../../src/features/catalogue/tasks.ts'
import { rebuildPart } from '../../src/operators/catalogue/rebuild.ts'
import { eraseUser } from '../../src/operators/erasure/erase.ts'
import { blockAsset } from '../../src/operators/moderation/block.ts'
import type { RequestContext } from '../../src/platform/context.ts'
import { catalogueFaults, expectCatalogue, expectCatalogueDone } from '../support/catalogue.ts'
import { contextOf, databasesOver } from '../support/context.ts'
import { databaseNames } from '../support/databases.ts'
import { newUserId } from '../support/ids.ts'
import { died, dieEverywhere } from '../support/mortal.ts'
import { runJobIn } from '../support/objects.ts'

/** A user with a public and a private asset. */
async function scene() {
  const work = contextOf(newUserId())
  const make = (name: string, visibility: 'public' | 'private') =>
    createAsset(work, { name, type: 'world', visibility })
  return { work, shown: await make('shown', 'public'), hidden: await make('hidden', 'private') }
}

type Scene = Awaited<ReturnType<typeof scene>>

type Acts = Record<string, (work: RequestContext, scene: Scene) => Promise<unknown>>

/** What writes entries, by a Worker that may be killed. */
const acts: Acts = {
  'a publication': (work, { hidden }) => editAsset(work, hidden.id, { visibility: 'public' }),
  'an unpublication': (work, { shown }) => editAsset(work, shown.id, { visibility: 'private' }),
  'an erasure': (work, { work: { user_id } }) => eraseUser(work, user_id),
  'the applying of marks': async (work) => {
    for (const name of databaseNames) await applyMarks(work, name)
  },
}

/** What writes entries in the same way as one of them. */
const others: Acts = {
  'an edit': (work, { shown }) => editAsset(work, shown.id, { name: 'another', tags: ['maze'] }),
  'the creation of a public asset': (work) =>
    createAsset(work, { name: 'new', type: 'world', visibility: 'public' }),
  'a deletion': (work, { shown }) => deleteAsset(work, shown.id),
  'a deletion for good': (work, { shown }) => deleteAsset(work, shown.id, { permanent: true }),
  'a block': (work, { shown }) => blockAsset(work, shown.id),
  'a rebuild': async (work) => {
    for (const database of databaseNames) await rebuildPart(work, { of: 'assets', database })
    await rebuildPart(work, { of: 'entries', database: 'DB' })
  },
}

describe('a Worker that is killed at any of its calls leaves a catalogue that the marks put right', () => {
  it.each(Object.entries(acts))('after %s', isPutRight)
  it.each(Object.entries(others))('after %s', { tags: 'release' }, isPutRight)

  async function isPutRight(name: string, act: Acts[string]) {
    const deaths = await dieEverywhere(async (dying) => {
      const made = await scene()
      const work = dying(made.work)
      // What goes on after the answer is cut off, too.
      const later: Promise<unknown>[] = []
      work.afterwards = (more) => void later.push(more(work).catch(() => {}))
      const isDead = await died(act(work, made))
      await Promise.all(later)
      await expectCatalogue()
      for (const one of databaseNames)
        while ((await applyMarks({ databases: databasesOver(), now_ms: Date.now() }, one)) > 0);
      expect(await catalogueFaults(), `${name}, after the marks`).toEqual([])
      return isDead
    })
    expect(deaths).toBeGreaterThan(1)
    await runJobIn(1 / 12)
    await expectCatalogueDone()
  }
})
