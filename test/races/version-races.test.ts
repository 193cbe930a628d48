import { env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import type { Branch } from '../../src/features/assets/branch.ts'
import { branchAsset } from '../../src/features/assets/branch.ts'
import { deleteAsset } from '../../src/features/assets/delete.ts'
import { deleteVersion } from '../../src/features/assets/delete-version.ts'
import { listVersions } from '../../src/features/assets/read.ts'
import { rollBack } from '../../src/features/assets/rollback.ts'
import { completeUpload } from '../../src/features/uploads/complete.ts'
import { eraseUser } from '../../src/operators/erasure/erase.ts'
import type { RequestContext } from '../../src/platform/context.ts'
import { partitionOf } from '../../src/platform/db/id.ts'
import { asset, newVersion, version } from '../support/acts.ts'
import { arrive } from '../support/content.ts'
import { contextOf } from '../support/context.ts'
import { countOf, databaseOf } from '../support/databases.ts'
import { newUserId } from '../support/ids.ts'
import { expectInPlace, expectSound } from '../support/invariants.ts'
import { expectRecordsAndObjectsAgree, runEach, runJobIn } from '../support/objects.ts'
import { isBefore, type Outcome, race, rounds, tally } from '../support/race.ts'

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
  seed: number
}

/** Fails unless each version of an asset has its content. */
async function expectContent({ owner, id, seed }: Owned): Promise<void> {
  const { rows } = await listVersions(owner, id, { limit: 100, cursor: undefined })
  for (const { version, object_key } of rows)
    expect(
      await env.BUCKET.head(object_key),
      `seed ${seed}: version ${version} has no content`,
    ).not.toBeNull()
}

const revisionOf = async (id: string) =>
  (await databaseOf(id)
    .prepare('SELECT revision FROM game_assets WHERE id = ?')
    .bind(id)
    .first('revision')) as number

/** A user of the same partition as another. */
function neighbourOf({ user_id }: RequestContext): RequestContext {
  for (;;) {
    const id = crypto.randomUUID()
    if (partitionOf(id) === partitionOf(user_id)) return contextOf(id)
  }
}

describe('the deletion of a version', () => {
  it.each([
    ['its own user', (ada: RequestContext) => contextOf(ada.user_id)],
    ['a user of the same partition', neighbourOf],
    ['a user of another partition', () => contextOf(newUserId())],
  ])('against a branch of it by %s: the branch keeps its content, or is refused', async (_, brancher) => {
    const branches: Owned[] = []
    await rounds(async (seed) => {
      const { ada, id, again } = await withVersions(2)
      const by = brancher(ada)
      const [deleted, branched] = await race<unknown>(seed, [
        () => deleteVersion(again(), id, 1),
        () => branchAsset(by, id, { name: 'branch', from_version: 1 }),
        () => runEach(seed % 3 === 0 ? 4 : 0),
      ])
      expect(deleted?.code, `seed ${seed}`).toBeUndefined()
      if (isBefore(deleted, branched)) expect(branched?.code, `seed ${seed}`).toBe('VERSION_NOT_FOUND')
      const { answer, code } = branched as Outcome<Branch>
      if (answer) branches.push({ owner: by, id: answer.asset.id, seed })
      else expect(code, `seed ${seed}`).toBe('VERSION_NOT_FOUND')
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
    await rounds(async (seed) => {
      const { ada, id, again } = await withVersions(1)
      const bob = contextOf(newUserId())
      const [, branched] = await race<unknown>(seed, [
        async () => {
          await version(again(), id)
          await deleteVersion(again(), id, 1)
        },
        () => branchAsset(bob, id, { name: 'branch' }),
        () => runEach(seed % 3 === 0 ? 4 : 0),
      ])
      expect(branched?.code, `seed ${seed}`).toBeUndefined()
      await runEach(4)
      const { answer } = branched as Outcome<Branch>
      await expectContent({ owner: bob, id: answer?.asset.id ?? '', seed })
      await expectInPlace()
      await expectSound(ada.user_id, bob.user_id)
    })
  })

  it('against a rollback to it: the new version has its content, or there is none', async () => {
    await rounds(async (seed) => {
      const { ada, id, again } = await withVersions(2)
      const [deleted, rolledBack] = await race<unknown>(seed, [
        () => deleteVersion(again(), id, 1),
        () => rollBack(again(), id, { from_version: 1 }),
        () => runEach(seed % 3 === 0 ? 4 : 0),
      ])
      expect(deleted?.code, `seed ${seed}`).toBeUndefined()
      const expected = rolledBack?.code ? [2] : [3, 2]
      expect([undefined, 'VERSION_NOT_FOUND'], `seed ${seed}`).toContain(rolledBack?.code)
      expect(await numbersOf(again(), id), `seed ${seed}`).toEqual(expected)
      await runEach(4)
      await expectContent({ owner: again(), id, seed })
      await expectSound(ada.user_id)
    })
    await runJobIn(8)
    await expectRecordsAndObjectsAgree()
  })

  it('against a new version: what is current at that moment stays, and the numbers go on', async () => {
    await rounds(async (seed) => {
      const { ada, id, again } = await withVersions(2)
      const { upload } = await newVersion(ada, id)
      await arrive(upload.id)
      const [completed, rolledBack, ofCurrent] = await race<unknown>(seed, [
        () => completeUpload(again(), upload.id),
        () => rollBack(again(), id, { from_version: 1 }),
        () => deleteVersion(again(), id, 2),
      ])
      expect([completed?.code, rolledBack?.code], `seed ${seed}`).toEqual([undefined, undefined])
      expect([undefined, 'VERSION_IS_CURRENT'], `seed ${seed}`).toContain(ofCurrent?.code)
      expect(await numbersOf(again(), id), `seed ${seed}`).toEqual(ofCurrent?.code ? [4, 3, 2, 1] : [4, 3, 1])
      await expectContent({ owner: again(), id, seed })
      await expectSound(ada.user_id)
    })
  })

  it('against the same deletion happens once, and is one revision', async () => {
    await rounds(async (seed) => {
      const { ada, id, again } = await withVersions(2)
      const before = await revisionOf(id)
      const outcomes = await race<unknown>(
        seed,
        Array.from({ length: 5 }, () => () => deleteVersion(again(), id, 1)),
      )
      expect(tally(outcomes), `seed ${seed}`).toBe('1 ok, 4 VERSION_NOT_FOUND')
      expect(await revisionOf(id)).toBe(before + 1)
      await expectSound(ada.user_id)
    })
  })

  it('goes to one of several deletions that each expect the same revision', async () => {
    await rounds(async (seed) => {
      const { ada, id, again } = await withVersions(4)
      const expected = [await revisionOf(id)]
      const outcomes = await race<unknown>(
        seed,
        [1, 2, 3].map((number) => () => deleteVersion(again(), id, number, expected)),
      )
      expect(tally(outcomes), `seed ${seed}`).toBe('1 ok, 2 PRECONDITION_FAILED')
      expect((await numbersOf(again(), id)).length).toBe(3)
      await expectSound(ada.user_id)
    })
  })

  it.each<[string, (owner: RequestContext, id: string) => Promise<unknown>]>([
    ['deletion', deleteAsset],
    ['permanent deletion', (owner, id) => deleteAsset(owner, id, { permanent: true })],
    ['erasure', (owner) => eraseUser(owner, owner.user_id)],
  ])('against the %s of its asset releases each byte once, and leaves nothing', async (name, end) => {
    const gone: Owned[] = []
    await rounds(async (seed) => {
      // A grace keeps the content, and the purge keeps `kept_until`.
      const limits = seed % 2 === 0 ? { CONTENT_GRACE_DAYS: 2 } : {}
      const { ada, id, again } = await withVersions(3)
      await rollBack(ada, id, { from_version: 1 })
      const [ended, ...deleted] = await race<unknown>(seed, [
        () => end(contextOf(ada.user_id, {}, limits), id),
        () => deleteVersion(contextOf(ada.user_id, {}, limits), id, 1),
        () => deleteVersion(contextOf(ada.user_id, {}, limits), id, 2),
        () => runEach(seed % 3 === 0 ? 4 : 0),
      ])
      expect(ended?.code, `seed ${seed}`).toBeUndefined()
      for (const one of deleted.slice(0, 2))
        expect([undefined, 'ASSET_NOT_FOUND'], `seed ${seed}`).toContain(one?.code)
      await expectSound(ada.user_id)
      if (name === 'deletion') await deleteAsset(again(), id, { permanent: true })
      gone.push({ owner: ada, id, seed })
    })
    await runJobIn(8)
    await runJobIn(16)
    for (const { id, seed } of gone)
      expect(await countOf('asset_versions WHERE asset_id = ?', id), `seed ${seed}`).toBe(0)
    await expectSound(...gone.map(({ owner }) => owner.user_id))
    await expectRecordsAndObjectsAgree()
  })

  it('of all old versions, while the job collects, leaves the content of the current one and of branches', async () => {
    await rounds(async (seed) => {
      const { ada, id, again } = await withVersions(5)
      await rollBack(ada, id, { from_version: 2 })
      const bob = contextOf(newUserId())
      const branch = await branchAsset(bob, id, { name: 'branch', from_version: 3 })
      const outcomes = await race<unknown>(seed, [
        ...[1, 2, 3, 4, 5].map((number) => () => deleteVersion(again(), id, number)),
        () => runEach(4),
        () => runEach(4),
      ])
      expect(tally(outcomes), `seed ${seed}`).toBe('7 ok')
      expect(await numbersOf(again(), id)).toEqual([6])
      await runEach(4)
      await expectContent({ owner: again(), id, seed })
      await expectContent({ owner: bob, id: branch.asset.id, seed })
      await expectInPlace()
      await expectSound(ada.user_id, bob.user_id)
    })
    await runJobIn(8)
    await expectRecordsAndObjectsAgree()
  })

  it('and new versions never pass the limit of the asset together', async () => {
    await rounds(async (seed) => {
      const { ada, id } = await withVersions(3)
      const limited = () => contextOf(ada.user_id, {}, { MAX_VERSIONS_PER_ASSET: 3 })
      const outcomes = await race<unknown>(seed, [
        () => deleteVersion(limited(), id, 1),
        () => rollBack(limited(), id, { from_version: 3 }),
        () => rollBack(limited(), id, { from_version: 3 }),
      ])
      const made = outcomes.slice(1).filter(({ code }) => code === undefined).length
      expect(made, `seed ${seed}`).toBeLessThanOrEqual(1)
      expect((await numbersOf(limited(), id)).length, `seed ${seed}`).toBe(2 + made)
      await expectSound(ada.user_id)
    })
  })
})
