import { describe, expect, it } from 'vitest'
import { createAsset } from '../../src/features/assets/create.ts'
import { deleteAsset } from '../../src/features/assets/delete.ts'
import { editAsset } from '../../src/features/assets/edit.ts'
import { applyMarks } from '../../src/features/catalogue/tasks.ts'
import { rebuildPart } from '../../src/operators/catalogue/rebuild.ts'
import { eraseUser } from '../../src/operators/erasure/erase.ts'
import { blockAsset } from '../../src/operators/moderation/block.ts'
import type { RequestContext } from '../../src/platform/context.ts'
import { expectCatalogue, isShownAnywhere, shownIds } from '../support/catalogue.ts'
import { contextOf, databasesOver } from '../support/context.ts'
import { countOf, databaseNames, databaseOf, placeOf } from '../support/databases.ts'
import { newUserId } from '../support/ids.ts'
import { overridden } from '../support/meter.ts'
import { runJobIn } from '../support/objects.ts'
import { rounds, tally } from '../support/race.ts'

const QUIET = 1 / 12

/** A user with a public and a private asset, and the name of their database. */
async function scene() {
  const work = { ...contextOf(newUserId()) }
  // What follows an answer is part of the race.
  work.afterwards = (act) => void act(work)
  const make = (name: string, visibility: 'public' | 'private') =>
    createAsset(work, { name, type: 'world', visibility })
  const [shown, hidden] = [await make('shown', 'public'), await make('hidden', 'private')]
  const home = databaseNames[placeOf(work.user_id)] ?? 'DB'
  return { work, shown, hidden, home }
}

const apply = (name: string) => applyMarks({ databases: databasesOver(), now_ms: Date.now() }, name)
const rebuild = (database: string, of: 'assets' | 'entries') =>
  rebuildPart(contextOf('operator'), { of, database })

/** Marks an asset again, as a change that is not answered yet. */
const touch = (work: RequestContext, id: string) => editAsset(work, id, { name: `name ${newUserId()}` })

/** Fails unless the catalogue is as it should be, at once and after the job has applied what is left. */
async function expectRight(home: string): Promise<void> {
  await expectCatalogue()
  while ((await apply(home)) > 0);
  expect(await countOf('catalogue_marks')).toBe(0)
  await expectCatalogue()
}

describe('the catalogue, near its assets or far from them', () => {
  it('does not show what was blocked while it was being published', async () => {
    await rounds(async (round) => {
      const { work, hidden, home } = await scene()
      const outcomes = await round.race<unknown>([
        () => editAsset(work, hidden.id, { visibility: 'public' }),
        () => blockAsset(work, hidden.id),
        () => apply(home),
      ])
      expect(tally(outcomes)).toBe('3 ok')
      expect(await shownIds([hidden.id])).toEqual([])
      await expectRight(home)
    })
  })

  it('has the last edit, whoever rebuilds it meanwhile', async () => {
    await rounds(async (round) => {
      const { work, shown, home } = await scene()
      const outcomes = await round.race<unknown>([
        () => touch(work, shown.id),
        () => rebuild(home, 'assets'),
        () => touch(work, shown.id),
        () => rebuild(home, 'entries'),
      ])
      expect(tally(outcomes)).toBe('4 ok')
      expect(await shownIds([shown.id])).toEqual([shown.id])
      await expectRight(home)
    })
  })

  it('does not show what was deleted, whoever writes entries meanwhile', async () => {
    await rounds({ variants: 2 }, async (round) => {
      const { work, shown, home } = await scene()
      const outcomes = await round.race<unknown>([
        () => touch(work, shown.id).catch(() => {}),
        () => deleteAsset(work, shown.id, { permanent: round.variant === 0 }),
        () => apply(home),
        () => rebuild(home, 'assets'),
      ])
      expect(tally(outcomes)).toBe('4 ok')
      expect(await isShownAnywhere([shown.id])).toEqual([])
      await expectRight(home)
    })
  })

  it('does not show what was unlisted, whatever else was edited meanwhile', async () => {
    await rounds(async (round) => {
      const { work, shown, home } = await scene()
      const outcomes = await round.race<unknown>([
        () => touch(work, shown.id),
        () => editAsset(work, shown.id, { listed: false }),
        () => touch(work, shown.id),
        () => apply(home),
      ])
      expect(tally(outcomes)).toBe('4 ok')
      expect(await shownIds([shown.id])).toEqual([])
      await expectRight(home)
    })
  })

  it('shows nothing of an erased owner but what was made afterwards', async () => {
    await rounds(async (round) => {
      const { work, shown, hidden, home } = await scene()
      await round.race<unknown>([
        () => editAsset(work, hidden.id, { visibility: 'public' }),
        () => eraseUser(work, work.user_id),
        () => apply(home),
      ])
      expect(await isShownAnywhere([shown.id, hidden.id])).toEqual([])
      expect(await shownIds([shown.id, hidden.id])).toEqual([])
      await runJobIn(QUIET)
      expect(await shownIds([shown.id, hidden.id])).toEqual([])
      await expectRight(home)
    })
  })

  it('keeps the mark of an asset that is marked again while its mark is applied', async () => {
    const { work, shown, home } = await scene()
    const mark = (name: string) =>
      databaseOf(shown.id)
        .prepare('INSERT OR REPLACE INTO catalogue_marks (asset_id, mark) VALUES (?, ?)')
        .bind(shown.id, name)
        .run()
    await mark('first')
    const { catalogue } = work.databases
    const send: typeof catalogue.send = async (statements) => {
      await mark('second')
      return catalogue.send(statements)
    }
    const databases = overridden(work.databases, { catalogue: overridden(catalogue, { send }) })
    expect(await applyMarks({ databases, now_ms: Date.now() }, home)).toBe(0)
    expect(await countOf(`catalogue_marks WHERE mark = 'second'`)).toBe(1)
    await expectRight(home)
  })

  it('is right after two appliers and a change', async () => {
    await rounds(async (round) => {
      const { work, shown, hidden, home } = await scene()
      const outcomes = await round.race<unknown>([
        () => apply(home),
        () => editAsset(work, shown.id, { visibility: 'private' }),
        () => apply(home),
        () => editAsset(work, hidden.id, { visibility: 'public' }),
      ])
      expect(tally(outcomes)).toBe('4 ok')
      expect(await shownIds([shown.id, hidden.id])).toEqual([hidden.id])
      await expectRight(home)
    })
  })
})
