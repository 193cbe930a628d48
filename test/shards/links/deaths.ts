import { describe, expect, it } from 'vitest'
import { branchAsset } from '../../../src/features/assets/branch.ts'
import { listBranches } from '../../../src/features/assets/branches.ts'
import { deleteAsset } from '../../../src/features/assets/delete.ts'
import { restoreAsset } from '../../../src/features/assets/restore.ts'
import { asset, file } from '../../support/acts.ts'
import { workOf } from '../../support/context.ts'
import { databaseNames, everywhere } from '../../support/databases.ts'
import { share } from '../../support/erasing.ts'
import { newUserIdIn } from '../../support/ids.ts'
import { expectInPlace } from '../../support/invariants.ts'
import { died, dieEverywhere } from '../../support/mortal.ts'
import { listed } from '../../support/sharing.ts'

const [home = '', other = home] = databaseNames
const isOnly = databaseNames.length === 1

/** How often a Worker dies: before and after each call, until it lives through all of them. */
interface Deaths {
  share: number
  branch: number
  restore: number
}

/** Registers the deaths of Workers that write a share, a branch or a restored branch for users of two databases. */
function proveDeaths(name: string, [first, second]: [string, string], deaths: Deaths): void {
  const scene = () => [workOf(newUserIdIn(first)), workOf(newUserIdIn(second))] as const

  describe(`a Worker that dies at any call, with users of ${name}`, () => {
    it('leaves no share without its hint, and sharing again works', async () => {
      const [owner, grantee] = scene()
      const { id } = await file(owner)
      const count = await dieEverywhere(async (dying) => {
        await everywhere('DELETE FROM shares WHERE grantee_id = ?', grantee.user_id)
        await everywhere('DELETE FROM share_hints WHERE grantee_id = ?', grantee.user_id)
        const killed = await died(share(dying(workOf(owner.user_id)), id, grantee))
        await expectInPlace()
        const made = await share(workOf(owner.user_id), id, grantee)
        expect(await listed(workOf(grantee.user_id))).toEqual([made.id])
        return killed
      })
      expect(count).toBe(deaths.share)
    })

    it('leaves no branch without its hint and its marker, and branching again works', async () => {
      const [owner, brancher] = scene()
      const source = await asset(owner, 'source', 'public')
      const count = await dieEverywhere(async (dying) => {
        await everywhere('DELETE FROM branch_hints WHERE source_id = ?', source.id)
        const name = crypto.randomUUID()
        const killed = await died(branchAsset(dying(workOf(brancher.user_id)), source.id, { name }))
        await expectInPlace()
        const { asset: branch } = await branchAsset(workOf(brancher.user_id), source.id, { name: `${name} again` })
        await expectInPlace()
        expect(await branchesOf(source.id, brancher.user_id)).toContain(branch.id)
        for (const id of await branchesOf(source.id, brancher.user_id))
          await deleteAsset(workOf(brancher.user_id), id, { permanent: true })
        return killed
      })
      expect(count).toBe(deaths.branch)
    })

    it('restores no branch without its hint, and restoring again works', async () => {
      const [owner, brancher] = scene()
      const source = await asset(owner, 'source', 'public')
      const { asset: branch } = await branchAsset(brancher, source.id, { name: 'branch' })
      const count = await dieEverywhere(async (dying) => {
        await deleteAsset(workOf(brancher.user_id), branch.id)
        await everywhere('DELETE FROM branch_hints WHERE source_id = ?', source.id)
        const killed = await died(restoreAsset(dying(workOf(brancher.user_id)), branch.id, {}))
        await expectInPlace()
        await restoreAsset(workOf(brancher.user_id), branch.id, {})
        await expectInPlace()
        expect(await branchesOf(source.id, brancher.user_id)).toEqual([branch.id])
        return killed
      })
      expect(count).toBe(deaths.restore)
    })
  })
}

async function branchesOf(source_id: string, viewer: string): Promise<string[]> {
  const { rows } = await listBranches(workOf(viewer), source_id, { limit: 50, cursor: undefined })
  return rows.map(({ id }) => id)
}

/** Registers the deaths for one database, and for two when there are several. */
export function proveEachDeath(): void {
  proveDeaths('one database', [home, home], { share: 2, branch: 6, restore: 4 })
  if (!isOnly) proveDeaths('two databases', [home, other], { share: 8, branch: 10, restore: 6 })
}
