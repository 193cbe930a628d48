import { expect, it } from 'vitest'
import { editAsset } from '../../src/features/assets/edit.ts'
import { applyMarks, deleteRemovedEntries } from '../../src/features/catalogue/tasks.ts'
import type { Databases } from '../../src/platform/shards/databases.ts'
import { asset } from '../support/acts.ts'
import { expectCatalogueDone } from '../support/catalogue.ts'
import { contextOf, databasesOver } from '../support/context.ts'
import { boundedTo, signUpCreator } from '../support/creator.ts'
import { catalogueDatabase, countOf, databaseOf } from '../support/databases.ts'
import { newUserId } from '../support/ids.ts'
import { overridden } from '../support/meter.ts'
import { jobIn, runJobIn } from '../support/objects.ts'

/** The databases, where something happens once, right after the first answer of the catalogue. */
function withMeanwhile(happens: () => Promise<unknown>): Databases {
  const databases = databasesOver()
  const { catalogue } = databases
  let answers = 0
  const send = async (...args: Parameters<typeof catalogue.send>) => {
    const answer = await catalogue.send(...args)
    if (++answers === 1) await happens()
    return answer
  }
  return overridden(databases, { catalogue: overridden(catalogue, { send }) })
}

it('keeps a mark that is set again while its asset is written into the catalogue', async () => {
  const ada = contextOf(newUserId())
  const { id } = await asset(ada, 'castle', 'public')
  const like = () =>
    databaseOf(id)
      .prepare('UPDATE game_assets SET favorites = favorites + 1, recounts = recounts + 1 WHERE id = ?')
      .bind(id)
      .run()
  await like()
  await applyMarks({ ...ada, databases: withMeanwhile(like) }, ada.db.name)
  expect(await countOf('catalogue_marks')).toBe(1)
  await runJobIn(0)
  await expectCatalogueDone()
})

it('keeps the row of an entry for an hour from its last removal, also when that comes while the job looks', async () => {
  const ada = contextOf(newUserId())
  const { id } = await asset(ada, 'castle', 'public')
  const edit = async (visibility: 'private' | 'public') => editAsset(ada, id, { visibility })
  await edit('private')
  const row = (sql: string) => catalogueDatabase.prepare(`${sql} WHERE id = ?`).bind(id)
  await row('UPDATE catalogue_entries SET removed_at = removed_at - 7200').run()
  const databases = withMeanwhile(async () => {
    await edit('public')
    await edit('private')
  })
  await deleteRemovedEntries({ ...jobIn(0), databases })
  expect(await row('SELECT count(*) FROM catalogue_entries').first('count(*)')).toBe(1)
})

it('mends an entry whose rating is another one than that of its asset, in all tables', async () => {
  const ada = await signUpCreator('ada')
  const asset = await ada.emptyAsset('castle', { visibility: 'public', rating: 'mature' })
  const bounded = await boundedTo(await signUpCreator('bob'), 'everyone')
  const shelf = async () => (await bounded.assets('/public?type=world&limit=100')).assets.map(({ id }) => id)
  await catalogueDatabase
    .prepare(
      `UPDATE catalogue_entries SET rating = 'everyone', facets = replace(facets, ':mature', ':everyone') WHERE id = ?`,
    )
    .bind(asset.id)
    .run()
  expect(await shelf()).toContain(asset.id)
  await runJobIn(0)
  expect(await shelf()).not.toContain(asset.id)
  await expectCatalogueDone()
})
