import { env } from 'cloudflare:test'
import { expect, it } from 'vitest'
import { branchAsset } from '../../src/features/assets/branch.ts'
import { deleteAsset } from '../../src/features/assets/delete.ts'
import { editAsset } from '../../src/features/assets/edit.ts'
import type { Branch } from '../../src/features/assets/insert-branch.ts'
import { restoreAsset } from '../../src/features/assets/restore.ts'
import { rollBack } from '../../src/features/assets/rollback.ts'
import { blockAsset, unblockAsset } from '../../src/operators/moderation/block.ts'
import type { RequestContext } from '../../src/platform/context.ts'
import { asset, version } from '../support/acts.ts'
import { contextOf } from '../support/context.ts'
import { everywhere, homeOf } from '../support/databases.ts'
import { newUserId } from '../support/ids.ts'
import { expectInPlace, expectSound } from '../support/invariants.ts'
import { expectRecordsAndObjectsAgree, runEach, runJobIn } from '../support/objects.ts'
import { chances, race } from '../support/race.ts'
import { seeded } from '../support/seeded.ts'
import { neighbourOf } from './rows.ts'

/** How many acts are under way at once, and how often. */
const [ACTS, TURNS] = [12, 3]

/** An asset of a user's, which may be deleted. */
interface Owned {
  owner: RequestContext
  id: string
}

it('keep their content in chains of branches whose assets are deleted, purged, restored, hidden and blocked at once', async () => {
  await chances(async ({ seed }) => {
    const random = seeded(seed)
    const pick = <One>(some: readonly One[]): One => some[Math.floor(random() * some.length)] ?? expect.fail()
    const ada = contextOf(newUserId())
    const users = [ada, neighbourOf(ada), contextOf(newUserId()), contextOf(newUserId())]
    const source = await asset(ada, 'source', 'public')
    await version(ada, source.id)
    const owned: Owned[] = [{ owner: ada, id: source.id }]
    const branched: Branch[] = []
    let name = 0

    const branch =
      (owner: RequestContext, { id }: Owned) =>
      async () => {
        const made = await branchAsset(owner, id, { name: `branch ${name++}` })
        branched.push(made)
        owned.push({ owner, id: made.asset.id })
        await editAsset(owner, made.asset.id, { visibility: 'public' })
      }
    const again = ({ user_id }: RequestContext) => contextOf(user_id)
    const acts = (): (() => Promise<unknown>)[] => {
      const [{ owner, id }, by] = [pick(owned), again(pick(users))]
      return [
        branch(by, pick(owned)),
        branch(by, pick(owned)),
        () => deleteAsset(again(owner), id),
        () => deleteAsset(again(owner), id, { permanent: true }),
        () => restoreAsset(again(owner), id, {}),
        () => restoreAsset(again(owner), id, { name: pick(['one name', 'another']) }),
        () => editAsset(again(owner), id, { visibility: pick(['public', 'private'] as const) }),
        () => blockAsset(again(owner), id),
        () => unblockAsset(again(owner), id),
        () => rollBack(again(owner), id, { from_version: 1 }),
        () => runEach(pick([0, 2])),
      ]
    }
    await branch(users[2] ?? ada, owned[0] ?? expect.fail())()
    for (let turn = 0; turn < TURNS; turn++) {
      const outcomes = await race<unknown>(
        seed * TURNS + turn,
        Array.from({ length: ACTS }, () => pick(acts())),
      )
      for (const { code } of outcomes) expect(['INTERNAL', 'UNAVAILABLE']).not.toContain(code)
      await expectInPlace()
    }
    await runJobIn(2)
    for (const { asset, version } of branched) {
      const row = await homeOf(asset.owner_id)
        .prepare('SELECT 1 AS one FROM asset_versions WHERE asset_id = ?')
        .bind(asset.id)
        .first()
      if (row) expect(await env.BUCKET.head(version.object_key), 'no content').not.toBeNull()
    }
    await expectRecordsAndObjectsAgree()
    await expectSound(...users.map(({ user_id }) => user_id))
    for (const { owner, id } of owned)
      await deleteAsset(again(owner), id, { permanent: true }).catch(() => undefined)
    await runJobIn(4)
    expect(await everywhere('SELECT * FROM asset_versions')).toEqual([])
    await expectRecordsAndObjectsAgree()
    const { objects } = await env.BUCKET.list({ prefix: 'refs/' })
    expect(objects, 'markers').toEqual([])
  })
})
