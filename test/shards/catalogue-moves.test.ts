import { beforeEach, describe, expect, it } from 'vitest'
import { createAsset } from '../../src/features/assets/create.ts'
import { editAsset } from '../../src/features/assets/edit.ts'
import { applyMarks } from '../../src/features/catalogue/tasks.ts'
import type { RequestContext } from '../../src/platform/context.ts'
import { partitionOf } from '../../src/platform/db/id.ts'
import { catalogueFaults, expectCatalogueDone, shownIds } from '../support/catalogue.ts'
import { contextOf, databasesOver } from '../support/context.ts'
import { countOf, databaseNames, everyDatabase, startOver } from '../support/databases.ts'
import { newUserIdIn } from '../support/ids.ts'
import { moveAll } from '../support/moving.ts'
import { runJobIn } from '../support/objects.ts'

beforeEach(async () => {
  await startOver()
})

const [first = 'DB', second = 'DB_1'] = databaseNames

const move = ({ user_id }: RequestContext, target: string) =>
  moveAll({ first: partitionOf(user_id), last: partitionOf(user_id) }, target)

const apply = (name: string) => applyMarks({ databases: databasesOver(), now_ms: Date.now() }, name)

const marksIn = async (name: string) =>
  (await everyDatabase[databaseNames.indexOf(name)]
    ?.prepare('SELECT count(*) AS count FROM catalogue_marks')
    .first<number>('count')) ?? 0

describe('marks of assets whose partition moves', () => {
  it('move with it, and are applied where it is', async () => {
    const work = contextOf(newUserIdIn(second))
    // Nothing is done after the answer, so the mark stays.
    const { id } = await createAsset(work, { name: 'castle', type: 'world', visibility: 'public' })
    expect([await marksIn(first), await marksIn(second)]).toEqual([0, 1])
    await move(work, first)
    expect([await marksIn(first), await marksIn(second)]).toEqual([1, 0])
    expect(await apply(second)).toBe(0)
    expect(await apply(first)).toBe(1)
    const moved = contextOf(work.user_id)
    await editAsset(moved, id, { name: 'moved' })
    await editAsset(moved, id, { visibility: 'private' })
    expect(await shownIds([id])).toEqual([])
    await editAsset(moved, id, { visibility: 'public' })
    await move(work, second)
    await runJobIn(0)
    expect(await shownIds([id])).toEqual([id])
    await expectCatalogueDone()
  })

  it('are removed unapplied where the partition is not, whatever rows of a copy say', async () => {
    const work = contextOf(newUserIdIn(second))
    const { id } = await createAsset(work, { name: 'castle', type: 'world', visibility: 'public' })
    await runJobIn(0)
    const elsewhere = everyDatabase[databaseNames.indexOf(first)]
    await elsewhere
      ?.prepare(`INSERT INTO catalogue_marks (asset_id, mark) VALUES (?, 'stray')`)
      .bind(id)
      .run()
    expect(await apply(first)).toBe(1)
    expect(await shownIds([id])).toEqual([id])
    expect(await countOf('catalogue_marks')).toBe(0)
    expect(await catalogueFaults()).toEqual([])
  })
})
