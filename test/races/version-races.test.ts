import { env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { branchAsset } from '../../src/features/assets/branch.ts'
import { deleteAsset } from '../../src/features/assets/delete.ts'
import { deleteVersion } from '../../src/features/assets/delete-version.ts'
import type { Branch } from '../../src/features/assets/insert-branch.ts'
import { listVersions } from '../../src/features/assets/read.ts'
import { rollBack } from '../../src/features/assets/rollback.ts'
import { eraseUser } from '../../src/operators/erasure/erase.ts'
import type { RequestContext } from '../../src/platform/context.ts'
import { asset, version } from '../support/acts.ts'
import { contextOf } from '../support/context.ts'
import { countOf } from '../support/databases.ts'
import { newUserId } from '../support/ids.ts'
import { expectInPlace, expectSound } from '../support/invariants.ts'
import { expectAgreedIn, expectRecordsAndObjectsAgree, runEach, runJobIn } from '../support/objects.ts'
import { type Outcome, rounds, tally } from '../support/race.ts'
import { neighbourOf } from './rows.ts'

/** Ada and an asset of hers with as many versions, each with content of its own. */
async function withVersions(count: number, visibility: 'public' | 'private' = 'public') {
  const ada = contextOf(newUserId())
  const { id } = await asset(ada, 'castle', visibility)
  for (let made = 1; made < count; made++) await version(ada, id)
  return { ada, id, again: () => contextOf(ada.user_id) }
}

/** The numbers of an asset's versions, newest first. */
async function numbersOf(owner: RequestContext, id: string): Promise<number[]> {
  const { rows } = await listVersions(owner, id, { limit: 100, cursor: undefined })
  return rows.map((row) => row.version)
}

/** An asset, and the round that it was made in. */
interface Owned {
  owner: RequestContext
  id: string
}

/** Fails unless each version of an asset has its content. */
async function expectContent({ owner, id }: Owned): Promise<void> {
  const { rows } = await listVersions(owner, id, { limit: 100, cursor: undefined })
  for (const { version, object_key } of rows)
    expect(await env.BUCKET.head(object_key), `version ${version} has no content`).not.toBeNull()
}

describe('the deletion of a version', () => {
  it.each([
    ['its own user', (ada: RequestContext) => contextOf(ada.user_id)],
    ['a user of the same partition', neighbourOf],
    ['a user of another partition', () => contextOf(newUserId())],
  ])('against a branch of it by %s: the branch keeps its content, or is refused', async (_, brancher) => {
    const branches: Owned[] = []
    await rounds(async (round) => {
      const { ada, id, again } = await withVersions(2)
      const by = brancher(ada)
      const [deleted, branched] = await round.race<unknown>([
        () => deleteVersion(again(), id, 1),
        () => branchAsset(by, id, { name: 'branch', from_version: 1 }),
        () => runEach(round.seed % 2 === 1 ? 4 : 0),
      ])
      expect(deleted?.code).toBeUndefined()
      if (round.isBefore(deleted, branched)) expect(branched?.code).toBe('VERSION_NOT_FOUND')
      const { answer, code } = branched as Outcome<Branch>
      if (round.fork('it is refused', code !== undefined)) expect(code).toBe('VERSION_NOT_FOUND')
      else if (answer) branches.push({ owner: by, id: answer.asset.id })
      expect(await numbersOf(again(), id)).toEqual([2])
      await expectInPlace()
      await expectSound(ada.user_id, by.user_id)
    })
    for (const days of [4, 8]) {
      await runJobIn(days)
      for (const branch of branches) await expectContent(branch)
    }
    await expectRecordsAndObjectsAgree()
  })

  it('against a branch of the latest version, which it is not any more, takes nothing from the branch', async () => {
    await rounds({ settle: () => runEach(4) }, async (round) => {
      const { ada, id, again } = await withVersions(1)
      const bob = contextOf(newUserId())
      const [, branched] = await round.race<unknown>([
        async () => {
          await version(again(), id)
          await deleteVersion(again(), id, 1)
        },
        () => branchAsset(bob, id, { name: 'branch' }),
        () => runEach(round.seed % 2 === 1 ? 4 : 0),
      ])
      expect(branched?.code).toBeUndefined()
      const { answer } = branched as Outcome<Branch>
      round.later(async () => {
        await expectContent({ owner: bob, id: answer?.asset.id ?? '' })
        await expectInPlace()
        await expectSound(ada.user_id, bob.user_id)
      })
    })
  })

  it('against a rollback to it: the new version has its content, or there is none', async () => {
    await rounds({ settle: () => runEach(4) }, async (round) => {
      const { ada, id, again } = await withVersions(2)
      const [deleted, rolledBack] = await round.race<unknown>([
        () => deleteVersion(again(), id, 1),
        () => rollBack(again(), id, { from_version: 1 }),
        () => runEach(round.seed % 2 === 1 ? 4 : 0),
      ])
      expect(deleted?.code).toBeUndefined()
      const expected = round.fork('it is refused', rolledBack?.code !== undefined) ? [2] : [3, 2]
      expect([undefined, 'VERSION_NOT_FOUND']).toContain(rolledBack?.code)
      expect(await numbersOf(again(), id)).toEqual(expected)
      round.later(async () => {
        await expectContent({ owner: again(), id })
        await expectSound(ada.user_id)
      })
    })
    await expectAgreedIn(8)
  })

  it.each<[string, (owner: RequestContext, id: string) => Promise<unknown>]>([
    ['deletion', deleteAsset],
    ['permanent deletion', (owner, id) => deleteAsset(owner, id, { permanent: true })],
    ['erasure', (owner) => eraseUser(owner, owner.user_id)],
  ])('against the %s of its asset releases each byte once, and leaves nothing', async (name, end) => {
    const gone: Owned[] = []
    await rounds({ variants: 2 }, async (round) => {
      // A grace keeps the content, and the purge keeps `kept_until`.
      const limits = round.variant === 0 ? { CONTENT_GRACE_DAYS: 2 } : {}
      const { ada, id, again } = await withVersions(3)
      await rollBack(ada, id, { from_version: 1 })
      const [ended, ...deleted] = await round.race<unknown>([
        () => end(contextOf(ada.user_id, {}, limits), id),
        () => deleteVersion(contextOf(ada.user_id, {}, limits), id, 1),
        () => deleteVersion(contextOf(ada.user_id, {}, limits), id, 2),
        () => runEach(round.seed % 2 === 1 ? 4 : 0),
      ])
      expect(ended?.code).toBeUndefined()
      for (const one of deleted.slice(0, 2)) expect([undefined, 'ASSET_NOT_FOUND']).toContain(one?.code)
      await expectSound(ada.user_id)
      if (name === 'deletion') await deleteAsset(again(), id, { permanent: true })
      gone.push({ owner: ada, id })
    })
    await runJobIn(8)
    await runJobIn(16)
    for (const { id } of gone) expect(await countOf('asset_versions WHERE asset_id = ?', id)).toBe(0)
    await expectSound(...gone.map(({ owner }) => owner.user_id))
    await expectRecordsAndObjectsAgree()
  })

  it('of all old versions, while the job collects, leaves the content of the current one and of branches', async () => {
    await rounds({ settle: () => runEach(4) }, async (round) => {
      const { ada, id, again } = await withVersions(5)
      await rollBack(ada, id, { from_version: 2 })
      const bob = contextOf(newUserId())
      const branch = await branchAsset(bob, id, { name: 'branch', from_version: 3 })
      const outcomes = await round.race<unknown>([
        ...[1, 2, 3, 4, 5].map((number) => () => deleteVersion(again(), id, number)),
        () => runEach(4),
        () => runEach(4),
      ])
      expect(tally(outcomes)).toBe('7 ok')
      expect(await numbersOf(again(), id)).toEqual([6])
      round.later(async () => {
        await expectContent({ owner: again(), id })
        await expectContent({ owner: bob, id: branch.asset.id })
        await expectInPlace()
        await expectSound(ada.user_id, bob.user_id)
      })
    })
    await expectAgreedIn(8)
  })
})
