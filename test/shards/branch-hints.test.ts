import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { branchAsset } from '../../src/features/assets/branch.ts'
import { deleteAsset } from '../../src/features/assets/delete.ts'
import { editAsset } from '../../src/features/assets/edit.ts'
import { listBranches } from '../../src/features/assets/list.ts'
import { readVersion } from '../../src/features/assets/read.ts'
import { restoreAsset } from '../../src/features/assets/restore.ts'
import type { Databases } from '../../src/platform/shards/databases.ts'
import { databasesOf } from '../../src/platform/shards/map.ts'
import { asset } from '../support/acts.ts'
import { contextOf, databasesOver } from '../support/context.ts'
import { countOf, databaseNames, databaseOf, learnLayOut, overEvery } from '../support/databases.ts'
import { newUserId, newUserIdIn } from '../support/ids.ts'
import { expectInPlace } from '../support/invariants.ts'
import { overridden } from '../support/meter.ts'
import { died, dieEverywhere } from '../support/mortal.ts'
import { runJobIn } from '../support/objects.ts'
import { Gate } from './content/gates.ts'
import { collecting, databaseNameOf, wait } from './content/tasks.ts'

const [first = '', second = ''] = databaseNames

const hintsOf = (id: string) => countOf('branch_hints WHERE source_id = ?', id)

/** The markers of the content of an asset's first version. */
async function markersOf(id: string): Promise<string[]> {
  const statement = databaseOf(id)
    .prepare('SELECT object_key FROM asset_versions WHERE asset_id = ?')
    .bind(id)
  const { objects } = await env.BUCKET.list({ prefix: `refs/${await statement.first('object_key')}/` })
  return objects.map(({ key }) => key)
}

/** The databases of an isolate that knows where every partition is. */
function knowing(): Databases {
  learnLayOut(databasesOf(env))
  return databasesOver()
}

/** The databases of an isolate that expects every partition in the first database. */
function started(): Databases {
  return databasesOver(overEvery((database) => overridden(database, {})))
}

/** Ada's asset, and its branch of bob, whose home is another database. */
async function scene() {
  const [ada, bob, carol] = [contextOf(newUserId()), contextOf(newUserId()), contextOf(newUserId())]
  const source = await asset(ada, 'source', 'public')
  const { asset: branch } = await branchAsset(bob, source.id, { name: 'branch' })
  const listed = async () => {
    const { rows } = await listBranches(contextOf(bob.user_id), source.id, { limit: 10, cursor: undefined })
    return rows.map(({ id }) => id)
  }
  return { ada, bob, carol, source, branch, listed }
}

describe('the hint to a branch in another database', () => {
  it.each([
    { isolate: 'knows where the partitions are', databases: knowing, looks: 2 },
    { isolate: 'has just started', databases: started, looks: 3 },
  ])(
    'is written before the branch, and so is the marker, wherever a Worker dies whose isolate $isolate',
    async ({ databases, looks }) => {
      const source = await asset(contextOf(newUserIdIn(first)), 'source', 'public')
      const deaths = await dieEverywhere(async (dying) => {
        const bob = contextOf(newUserIdIn(second), { databases: databases() })
        const killed = await died(branchAsset(dying(bob), source.id, { name: 'branch' }))
        await expectInPlace()
        return killed
      })
      expect(deaths, 'before all, and after each look, the marker, the hint and the branch').toBe(looks + 4)
    },
  )

  it('stays as long as the branch exists, and is removed after it', async () => {
    const { bob, source, branch, listed } = await scene()
    expect([await hintsOf(source.id), await listed()]).toEqual([1, [branch.id]])
    await runJobIn(1)
    expect([await hintsOf(source.id), await listed()]).toEqual([1, [branch.id]])
    await deleteAsset(bob, branch.id, { permanent: true })
    await runJobIn(2)
    expect(await hintsOf(source.id), 'relied upon as long as it had existed').toBe(1)
    await runJobIn(2.1)
    expect([await hintsOf(source.id), await listed()]).toEqual([0, []])
  })

  it('is written again before a deleted branch is restored', async () => {
    const { bob, source, branch, listed } = await scene()
    await deleteAsset(bob, branch.id)
    await runJobIn(1)
    expect([await hintsOf(source.id), await listed()]).toEqual([0, []])
    await restoreAsset(bob, branch.id, {})
    expect([await hintsOf(source.id), await listed()]).toEqual([1, [branch.id]])
  })

  it('is not written at a source that is being deleted permanently', async () => {
    const { ada, bob, source, branch } = await scene()
    await deleteAsset(bob, branch.id)
    await runJobIn(1)
    await deleteAsset(ada, source.id)
    await databaseOf(source.id)
      .prepare('UPDATE game_assets SET purging = 1 WHERE id = ?')
      .bind(source.id)
      .run()
    await restoreAsset(bob, branch.id, {})
    expect(await hintsOf(source.id)).toBe(0)
  })

  it('is not written again for a branch that can’t be restored', async () => {
    const { bob, carol, source, branch } = await scene()
    await deleteAsset(bob, branch.id)
    await runJobIn(1)
    const other = await asset(bob, 'branch')
    const restoring = (who: string, more = {}) => restoreAsset(contextOf(who), branch.id, more)
    for (const more of [{}, { name: 'branch' }])
      await expect(restoring(bob.user_id, more)).rejects.toMatchObject({ code: 'DUPLICATE_ASSET_NAME' })
    await expect(restoring(carol.user_id)).rejects.toMatchObject({ code: 'ASSET_NOT_FOUND' })
    expect(await hintsOf(source.id)).toBe(0)
    await deleteAsset(contextOf(bob.user_id), other.id, { permanent: true })
    await restoring(bob.user_id)
    expect(await hintsOf(source.id)).toBe(1)
    await deleteAsset(contextOf(bob.user_id), branch.id, { permanent: true })
    await expect(restoring(bob.user_id)).rejects.toMatchObject({ code: 'ASSET_NOT_FOUND' })
  })
})

describe('the marker of a branch in another database', () => {
  it('is removed by the next step after the branch is purged, and by no walk', async () => {
    const { bob, branch } = await scene()
    const [marker = ''] = await markersOf(branch.id)
    expect(await env.BUCKET.head(marker)).not.toBeNull()
    await deleteAsset(bob, branch.id, { permanent: true })
    await wait()
    await collecting(databaseNameOf(bob.user_id)).act((work) => work)
    expect(await env.BUCKET.head(marker)).toBeNull()
  })
})

describe('the source of a branch in another database', () => {
  it('is shown to the owner of either, and to others as long as they may find the source', async () => {
    const { ada, bob, carol, source, branch } = await scene()
    await editAsset(bob, branch.id, { visibility: 'public' })
    const isVisibleTo = async (who: string) => {
      const { version } = await readVersion(contextOf(who), branch.id, 1)
      return version.is_source_visible
    }
    expect(await Promise.all([ada, bob, carol].map(({ user_id }) => isVisibleTo(user_id)))).toEqual([1, 1, 1])
    for (const change of [{ listed: false }, { visibility: 'private' }] as const) {
      await editAsset(ada, source.id, { listed: true, visibility: 'public', ...change })
      expect(await Promise.all([ada, bob, carol].map(({ user_id }) => isVisibleTo(user_id)))).toEqual([
        1, 1, 0,
      ])
    }
  })

  it.each([
    ['is hidden', { visibility: 'private' }, 'on'],
    ['is deleted', undefined, 'on'],
    ['is deleted, while the job is off, to which the marker is left,', undefined, 'off'],
  ] as const)(
    'is checked again after the marker: no branch is made of a source that %s meanwhile',
    async (_, edit, JOB) => {
      const [ada, bob] = [contextOf(newUserId()), contextOf(newUserId(), {}, { JOB })]
      const source = await asset(ada, 'source', 'public')
      learnLayOut(databasesOf(env))
      let refusal: unknown
      const beforeSecondLook = new Gate(4)
      const goOn = await beforeSecondLook.begin(() =>
        branchAsset(beforeSecondLook.through(bob), source.id, { name: 'branch' }).catch((error: unknown) => {
          refusal = error
        }),
      )
      expect(await markersOf(source.id), 'put first').toHaveLength(1)
      if (edit) await editAsset(ada, source.id, edit)
      else await deleteAsset(ada, source.id)
      await goOn()
      expect(refusal).toMatchObject({ code: 'ASSET_NOT_FOUND' })
      expect(await countOf('game_assets WHERE owner_id = ?', bob.user_id)).toBe(0)
      expect(await hintsOf(source.id)).toBe(0)
      expect(await markersOf(source.id)).toHaveLength(JOB === 'off' ? 1 : 0)
    },
  )
})
