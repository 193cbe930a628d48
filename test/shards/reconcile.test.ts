import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { branchAsset } from '../../src/features/assets/branch.ts'
import { deleteAsset } from '../../src/features/assets/delete.ts'
import { revokeShare } from '../../src/features/shares/revoke.ts'
import { reconcilePage } from '../../src/operators/reconcile/reconcile.ts'
import { partitionOf } from '../../src/platform/db/id.ts'
import { asset, file, there } from '../support/acts.ts'
import { restore, snapshotOf } from '../support/back-in-time.ts'
import { contextOf } from '../support/context.ts'
import { databaseNames, everywhere, homeOf } from '../support/databases.ts'
import { share } from '../support/erasing.ts'
import { newUserId, newUserIdIn } from '../support/ids.ts'
import { expectInPlace } from '../support/invariants.ts'
import { runJobIn } from '../support/objects.ts'
import { counted, reconcile } from '../support/reconciling.ts'

it('puts back the markers and hints that are missing after one database was restored', async () => {
  // Two in a row are in different databases.
  const [ada, bob, eve] = [contextOf(newUserId()), contextOf(newUserId()), contextOf(newUserId())]
  const castle = await asset(ada, 'castle', 'public')
  const branch = await branchAsset(bob, castle.id, { name: 'branch' })
  const shared = await share(bob, (await file(bob)).id, eve)
  const [content] = await everywhere<{ object_key: string }>(
    'SELECT object_key FROM asset_versions WHERE asset_id = ?',
    branch.asset.id,
  )
  const { object_key } = there(content)
  await runJobIn(0)
  const before = await snapshotOf(homeOf(bob.user_id))

  await deleteAsset(bob, branch.asset.id, { permanent: true })
  await revokeShare(bob, shared.id)
  for (const days of [1, 32, 34]) await runJobIn(days)
  expect(await env.BUCKET.head(`refs/${object_key}/${branch.asset.id}`)).toBeNull()
  await restore(homeOf(bob.user_id), before)

  const told = counted((await reconcile()).found)
  expect(told).toMatchObject({ marker_is_missing: 1 })
  expect(told.hint_is_missing).toBeGreaterThanOrEqual(2)
  await reconcile({ repair: true })
  const left = counted((await reconcile()).found)
  expect(left).not.toHaveProperty('marker_is_missing')
  expect(left).not.toHaveProperty('hint_is_missing')
  await expectInPlace()

  await deleteAsset(ada, castle.id, { permanent: true })
  for (const days of [36, 38]) await runJobIn(days)
  expect(await env.BUCKET.head(object_key), 'content that a branch shares').not.toBeNull()
})

it('is refused while the partition of a grantee is being moved between other databases', async () => {
  const [first, second, third] = databaseNames.slice(0, 3).map((name) => contextOf(newUserIdIn(name)))
  const [owner, grantee, target] = [there(first), there(second), there(third)]
  await share(owner, (await file(owner)).id, grantee)
  const partition = partitionOf(grantee.user_id)
  const setState = (state: string, moved_to: string | null) =>
    homeOf(grantee.user_id)
      .prepare('UPDATE partitions SET state = ?2, moved_to = ?3 WHERE partition = ?1')
      .bind(partition, state, moved_to)
      .run()
  const request = { database: owner.db.name, stage: 'share_hints', after: '', repair: true } as const
  const compare = () => reconcilePage(contextOf(newUserId()), { ...request, accept_missing: false })

  await setState('frozen', target.db.name)
  await expect(compare()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  await setState('open', null)
  expect(await compare()).toMatchObject({ found: [] })
})
