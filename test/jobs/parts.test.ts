import { beforeEach, expect, it } from 'vitest'
import { type Creator, signUpCreator } from '../support/creator.ts'
import { homeOf, startOver } from '../support/databases.ts'
import { expectSound } from '../support/invariants.ts'
import { runJobIn } from '../support/objects.ts'
import { reconcile } from '../support/reconciling.ts'
import { operator, type User } from '../support/user.ts'

const MIB = 2 ** 20

beforeEach(startOver)

const breakdownOf = async (user: User) => (await user.get('/quota/breakdown')).body

/** Makes a user as old as one whom the migration found: nothing has been counted. */
async function makeOld({ id }: User): Promise<void> {
  for (const statement of [
    'UPDATE usage SET parts = NULL WHERE user_id = ?',
    'DELETE FROM large_versions WHERE owner_id = ?',
  ])
    await homeOf(id).prepare(statement).bind(id).run()
}

/** A user with something of everything, and with what is shared in several ways. */
async function furnished(): Promise<{ ada: Creator; asset: { id: string } }> {
  const ada = await signUpCreator('ada')
  await ada.picture()
  await ada.file('large', 'x'.repeat(MIB))
  await ada.delete(await ada.file('trashed', 'abc'))
  await ada.upload({ size_bytes: 50 })
  const asset = await ada.previewed(await ada.asset('asset', { visibility: 'public' }, 'x'.repeat(MIB)))
  await ada.version(asset, 'y'.repeat(MIB + 1))
  await ada.rollBack(asset, { from_version: 1 })
  await ada.branched(asset)
  return { ada, asset }
}

it('counts users who are older than the parts, once; until then their breakdown is unavailable', async () => {
  const [{ ada }, bob] = [await furnished(), await signUpCreator('bob')]
  await bob.file('file', 'abc')
  const before = [await breakdownOf(ada), await breakdownOf(bob)]
  await makeOld(ada)
  await makeOld(bob)
  const unavailable = await ada.get('/quota/breakdown')
  expect(unavailable).toBeProblem(503, 'UNAVAILABLE')
  expect(unavailable.headers.get('Retry-After')).toMatch(/^\d+$/)
  expect((await reconcile()).found).toEqual([])
  expect(await runJobIn(0)).toMatchObject({ parts_counted: 2 })
  expect([await breakdownOf(ada), await breakdownOf(bob)]).toEqual(before)
  expect((await reconcile()).found).toEqual([])
  await expectSound(ada.id, bob.id)
  expect(await runJobIn(0)).not.toHaveProperty('parts_counted')
})

it('counts what an old user does before the job has counted', async () => {
  const { ada, asset } = await furnished()
  await makeOld(ada)
  await ada.file('another', 'x'.repeat(MIB + 2))
  await ada.rollBack(asset, { from_version: 2 })
  await ada.deleteVersion(asset, 3)
  await ada.version(asset, 'z'.repeat(MIB + 3))
  await ada.deletePreview(asset)
  await ada.request('DELETE', '/trash')
  await runJobIn(0)
  await expectSound(ada.id)
  expect(await breakdownOf(ada)).toMatchObject({
    largest: [MIB + 3, MIB + 2, MIB + 1, MIB, MIB, MIB].map((bytes) => ({ bytes })),
  })
})

it('leaves alone what a reconciliation counts of an old user, and the other way round', async () => {
  const { ada } = await furnished()
  const before = await breakdownOf(ada)
  await makeOld(ada)
  await homeOf(ada.id).prepare('UPDATE usage SET items = 99 WHERE user_id = ?').bind(ada.id).run()
  expect((await reconcile({ repair: true })).found).toMatchObject([{ id: ada.id }])
  expect(await ada.get('/quota/breakdown')).toBeProblem(503, 'UNAVAILABLE')
  await runJobIn(0)
  expect(await breakdownOf(ada)).toEqual(before)
})

it('counts a user who is being erased, and the erasure removes the row', async () => {
  const { ada } = await furnished()
  await makeOld(ada)
  const eraser = await operator('users:erase')
  expect((await eraser.request('DELETE', `/users/${ada.id}`)).status).toBe(202)
  for (const days of [0, 1, 40]) await runJobIn(days)
  const rows = await homeOf(ada.id).prepare('SELECT owner_id FROM large_versions').all()
  expect(rows.results).toEqual([])
})

it('counts however many users are old', async () => {
  const home = homeOf((await signUpCreator('ada')).id)
  await home
    .prepare(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 401)
      INSERT INTO usage (user_id, default_limit_bytes, max_items, max_assets, max_public_assets, max_versions, max_open_uploads,
        max_ended_uploads, max_idempotency_keys, partition) SELECT 'old ' || i, 1, 1, 1, 1, 1, 1, 1, 1, 'abc' FROM n`,
    )
    .run()
  expect(await runJobIn(0)).toMatchObject({ parts_counted: 401 })
  expect(await home.prepare('SELECT user_id FROM usage WHERE parts IS NULL').all()).toMatchObject({
    results: [],
  })
})
