import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { branchAsset } from '../../src/features/assets/branch.ts'
import { deleteAsset } from '../../src/features/assets/delete.ts'
import { revokeShare } from '../../src/features/shares/revoke.ts'
import { asset, file, there } from '../support/acts.ts'
import { restore, snapshotOf } from '../support/back-in-time.ts'
import { workOf } from '../support/context.ts'
import { everywhere, homeOf } from '../support/databases.ts'
import { share } from '../support/erasing.ts'
import { newUserId } from '../support/ids.ts'
import { expectInPlace } from '../support/invariants.ts'
import { runJobIn } from '../support/objects.ts'
import { counted, reconcile } from '../support/reconciling.ts'

it('puts markers and hints back that one database lacks after another was restored', async () => {
  // Two in a row are in different databases.
  const [ada, bob, eve] = [workOf(newUserId()), workOf(newUserId()), workOf(newUserId())]
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
