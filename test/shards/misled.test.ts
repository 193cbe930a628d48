import { describe, expect, it } from 'vitest'
import { branchAsset } from '../../src/features/assets/branch.ts'
import { deleteAsset } from '../../src/features/assets/delete.ts'
import { listBranches } from '../../src/features/assets/list.ts'
import { restoreAsset } from '../../src/features/assets/restore.ts'
import type { RequestContext } from '../../src/platform/context.ts'
import { partitionOf } from '../../src/platform/db/id.ts'
import { asset, file } from '../support/acts.ts'
import { contextOf } from '../support/context.ts'
import { databaseNames, everywhere } from '../support/databases.ts'
import { share } from '../support/erasing.ts'
import { newUserIdIn } from '../support/ids.ts'
import { expectInPlace } from '../support/invariants.ts'
import { listed, unlearned } from '../support/sharing.ts'

const [home = '', other = ''] = databaseNames

/** A user's request in an isolate that takes another user to be in a database, where that user's partition is not. */
function misled(user_id: string, about: string, name: string): RequestContext {
  const databases = unlearned()
  databases.remember(partitionOf(user_id), home)
  databases.remember(partitionOf(about), name)
  return contextOf(user_id, { databases })
}

async function branchesOf(source_id: string, viewer: string): Promise<string[]> {
  const { rows } = await listBranches(contextOf(viewer), source_id, { limit: 50, cursor: undefined })
  return rows.map(({ id }) => id)
}

describe.each([
  { thought: 'the same database', is: other, name: home },
  { thought: 'another database', is: home, name: other },
])('a Worker that takes the other user to be in $thought, which is wrong,', ({ is, name }) => {
  it('writes the hint of a share where the grantee is', async () => {
    const [owner, grantee] = [contextOf(newUserIdIn(home)), contextOf(newUserIdIn(is))]
    const { id } = await file(owner)
    const made = await share(misled(owner.user_id, grantee.user_id, name), id, grantee)
    await expectInPlace()
    expect(await listed(contextOf(grantee.user_id))).toEqual([made.id])
  })

  it('writes the hint of a branch where the source is', async () => {
    const [owner, user_id] = [contextOf(newUserIdIn(is)), newUserIdIn(home)]
    const source = await asset(owner, 'source', 'public')
    const { asset: made } = await branchAsset(misled(user_id, owner.user_id, name), source.id, {
      name: 'branch',
    })
    await expectInPlace()
    expect(await branchesOf(source.id, user_id)).toEqual([made.id])
    await deleteAsset(contextOf(user_id), made.id)
    await everywhere('DELETE FROM branch_hints WHERE source_id = ?', source.id)
    await restoreAsset(misled(user_id, owner.user_id, name), made.id, {})
    await expectInPlace()
    expect(await branchesOf(source.id, user_id)).toEqual([made.id])
  })
})
