import { expect } from 'vitest'
import { branchAsset } from '../../../src/features/assets/branch.ts'
import { deleteAsset } from '../../../src/features/assets/delete.ts'
import { listBranches } from '../../../src/features/assets/list.ts'
import { restoreAsset } from '../../../src/features/assets/restore.ts'
import { ApiError, unavailable } from '../../../src/platform/errors.ts'
import { asset, file } from '../../support/acts.ts'
import { contextOf } from '../../support/context.ts'
import { everywhere } from '../../support/databases.ts'
import { share } from '../../support/erasing.ts'
import { newUserIdIn } from '../../support/ids.ts'
import { expectInPlace } from '../../support/invariants.ts'
import { atEachCall, died, dieEverywhere } from '../../support/mortal.ts'
import { listed } from '../../support/sharing.ts'

/** The names of the databases of two users. */
type Homes = readonly [string, string]

const usersIn = ([first, second]: Homes) =>
  [contextOf(newUserIdIn(first)), contextOf(newUserIdIn(second))] as const

/** Shares with Workers that die: no share is without its hint, and sharing again works. Counts deaths. */
export async function shareDying(homes: Homes): Promise<number> {
  const [owner, grantee] = usersIn(homes)
  const { id } = await file(owner)
  return dieEverywhere(async (dying) => {
    await everywhere('DELETE FROM shares WHERE grantee_id = ?', grantee.user_id)
    await everywhere('DELETE FROM share_hints WHERE grantee_id = ?', grantee.user_id)
    const killed = await died(share(dying(contextOf(owner.user_id)), id, grantee))
    await expectInPlace()
    const made = await share(contextOf(owner.user_id), id, grantee)
    expect(await listed(contextOf(grantee.user_id))).toEqual([made.id])
    return killed
  })
}

/** Branches with Workers that die: no branch is without its hint and its marker, and branching again works. Counts deaths. */
export async function branchDying(homes: Homes): Promise<number> {
  const [owner, { user_id }] = usersIn(homes)
  const source = await asset(owner, 'source', 'public')
  return dieEverywhere(async (dying) => {
    await everywhere('DELETE FROM branch_hints WHERE source_id = ?', source.id)
    const name = crypto.randomUUID()
    const killed = await died(branchAsset(dying(contextOf(user_id)), source.id, { name }))
    await expectInPlace()
    const { asset: branch } = await branchAsset(contextOf(user_id), source.id, { name: `${name} again` })
    const branches = await branchesOf(source.id, user_id)
    expect(branches).toContain(branch.id)
    for (const id of branches) await deleteAsset(contextOf(user_id), id, { permanent: true })
    return killed
  })
}

/** Restores a branch with Workers that die: it is not there without its hint, and restoring again works. Counts deaths. */
export async function restoreDying(homes: Homes): Promise<number> {
  const [owner, { user_id }] = usersIn(homes)
  const source = await asset(owner, 'source', 'public')
  const { asset: branch } = await branchAsset(contextOf(user_id), source.id, { name: 'branch' })
  return dieEverywhere(async (dying) => {
    await deleteAsset(contextOf(user_id), branch.id)
    await everywhere('DELETE FROM branch_hints WHERE source_id = ?', source.id)
    const killed = await died(restoreAsset(dying(contextOf(user_id)), branch.id, {}))
    await expectInPlace()
    await restoreAsset(contextOf(user_id), branch.id, {})
    expect(await branchesOf(source.id, user_id)).toEqual([branch.id])
    return killed
  })
}

async function branchesOf(source_id: string, viewer: string): Promise<string[]> {
  const { rows } = await listBranches(contextOf(viewer), source_id, { limit: 50, cursor: undefined })
  return rows.map(({ id }) => id)
}

/** Branches with Workers that live, but do not hear what became of one call: no version is without its marker. Counts them. */
export async function branchDeaf(homes: Homes): Promise<number> {
  const [owner, { user_id }] = usersIn(homes)
  const source = await asset(owner, 'source', 'public')
  let deaf = 0
  for (let isReached = true; isReached; deaf++) {
    let calls = 0
    const work = atEachCall(contextOf(user_id), (call) => async (...args) => {
      const answer = await call(...args)
      if (++calls === deaf + 1) throw unavailable('The answer was lost.')
      return answer
    })
    const branching = branchAsset(work, source.id, { name: crypto.randomUUID() })
    isReached = await branching.then(
      () => false,
      (error: unknown) => error instanceof ApiError && error.code === 'UNAVAILABLE',
    )
    await expectInPlace()
  }
  return deaf - 1
}
