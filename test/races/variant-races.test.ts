import { env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { branchAsset } from '../../src/features/assets/branch.ts'
import { deleteVariant } from '../../src/features/assets/delete-variant.ts'
import { deleteVersion } from '../../src/features/assets/delete-version.ts'
import type { Branch } from '../../src/features/assets/insert-branch.ts'
import { readVersion } from '../../src/features/assets/read.ts'
import { rollBack } from '../../src/features/assets/rollback.ts'
import type { VersionRow } from '../../src/features/assets/row.ts'
import { variantsOf } from '../../src/features/assets/variants.ts'
import { completeUpload } from '../../src/features/uploads/complete.ts'
import { readUpload } from '../../src/features/uploads/row.ts'
import type { RequestContext } from '../../src/platform/context.ts'
import { asset, newVariant, there, variant, version } from '../support/acts.ts'
import { arrive } from '../support/content.ts'
import { contextOf } from '../support/context.ts'
import { newUserId } from '../support/ids.ts'
import { expectInPlace, expectSound } from '../support/invariants.ts'
import { expectAgreedIn, runEach, runJobIn } from '../support/objects.ts'
import { type Outcome, rounds, tally } from '../support/race.ts'
import { neighbourOf } from './rows.ts'

const IOS = { version: 1, platform: 'ios' }

/** Ada, and an asset of hers with two versions. */
async function scene() {
  const ada = contextOf(newUserId())
  const { id } = await asset(ada, 'castle', 'public')
  await version(ada, id)
  return { ada, id, again: () => contextOf(ada.user_id) }
}

/** An upload of a variant that has arrived, and its completion. */
async function arrived(ada: RequestContext, id: string, of = IOS) {
  const { upload } = await newVariant(ada, id, of)
  await arrive(upload.id)
  return { id: upload.id, complete: () => completeUpload(contextOf(ada.user_id), upload.id) }
}

const platformsOf = (row: VersionRow) => variantsOf(row).map(({ platform }) => platform)

/** Fails unless each variant of a version has its content. */
async function expectContent(owner: RequestContext, id: string, number = 1): Promise<void> {
  const { version: found } = await readVersion(contextOf(owner.user_id), id, number)
  for (const { platform, object_key } of variantsOf(found))
    expect(await env.BUCKET.head(object_key), `${platform} has no content`).not.toBeNull()
}

describe('a variant', () => {
  it('against the deletion of its version: it goes with the version, or its upload has failed', async () => {
    await rounds(async (round) => {
      const { ada, id, again } = await scene()
      const upload = await arrived(ada, id)
      const [added, deleted] = await round.race<unknown>([
        upload.complete,
        () => deleteVersion(again(), id, 1),
      ])
      expect(deleted?.code).toBeUndefined()
      if (round.isBefore(added, deleted)) expect(added?.code).toBeUndefined()
      if (round.isBefore(deleted, added)) expect(added?.code).toBe('VERSION_NOT_FOUND')
      const isRefused = round.fork('it is refused', added?.code !== undefined)
      if (isRefused) expect(added?.code).toBe('VERSION_NOT_FOUND')
      const { upload: row } = await readUpload(again(), upload.id)
      expect(row.state).toBe(isRefused ? 'failed' : 'completed')
      await expectSound(ada.user_id)
    })
    await expectAgreedIn(4)
  })

  it('against another one of its platform: one is added, and the other is refused', async () => {
    await rounds(async (round) => {
      const { ada, id, again } = await scene()
      const uploads = [await arrived(ada, id), await arrived(ada, id)]
      const outcomes = await round.race(uploads.map(({ complete }) => complete))
      expect(tally(outcomes)).toEqual('1 DUPLICATE_PLATFORM, 1 ok')
      const [one, other] = outcomes
      if (round.isBefore(one, other)) expect(other?.code).toBe('DUPLICATE_PLATFORM')
      if (round.isBefore(other, one)) expect(one?.code).toBe('DUPLICATE_PLATFORM')
      const { version: found } = await readVersion(again(), id, 1)
      expect(variantsOf(found).map(({ object_key }) => object_key)).toEqual([
        uploads[one?.code === undefined ? 0 : 1]?.id,
      ])
      await expectSound(ada.user_id)
    })
    await expectAgreedIn(4)
  })

  it('that is completed twice is added once, and is one change', async () => {
    await rounds(async (round) => {
      const { ada, id, again } = await scene()
      const upload = await arrived(ada, id)
      const revision = async () => there((await readUpload(again(), upload.id)).asset).revision
      const before = await revision()
      const outcomes = await round.race([upload.complete, upload.complete])
      expect(tally(outcomes)).toBe('2 ok')
      expect(await revision()).toBe(before + 1)
      await expectSound(ada.user_id)
    })
  })

  it('against the eighth of its version: there are never nine', async () => {
    await rounds(async (round) => {
      const { ada, id, again } = await scene()
      for (let i = 0; i < 7; i++) await variant(ada, id, { version: 1, platform: `p${i}` })
      const uploads = [await arrived(ada, id), await arrived(ada, id, { version: 1, platform: 'android' })]
      const outcomes = await round.race(uploads.map(({ complete }) => complete))
      expect(tally(outcomes)).toEqual('1 LIMIT_REACHED, 1 ok')
      round.fork('the first is added', outcomes[0]?.code === undefined)
      expect(platformsOf((await readVersion(again(), id, 1)).version)).toHaveLength(8)
      await expectSound(ada.user_id)
    })
  })

  it.each([
    ['its own user', (ada: RequestContext) => contextOf(ada.user_id)],
    ['a user of the same partition', neighbourOf],
    ['a user of another partition', () => contextOf(newUserId())],
  ])('against a branch of its version by %s: the branch has all of it or nothing', async (_, brancher) => {
    const branches: [RequestContext, string][] = []
    await rounds(async (round) => {
      const { ada, id, again } = await scene()
      await variant(ada, id, { version: 1, platform: 'android' })
      const upload = await arrived(ada, id)
      const by = brancher(ada)
      const [added, branched] = await round.race<unknown>([
        upload.complete,
        () => branchAsset(by, id, { name: 'branch', from_version: 1 }),
      ])
      expect(added?.code).toBeUndefined()
      const { answer } = branched as Outcome<Branch>
      if (!answer) throw new Error(branched?.code)
      const platforms = platformsOf(answer.version)
      if (round.isBefore(added, branched)) expect(platforms).toEqual(['android', 'ios'])
      if (round.isBefore(branched, added)) expect(platforms).toEqual(['android'])
      if (round.fork('the branch has it', platforms.length === 2))
        expect(platforms).toEqual(['android', 'ios'])
      else expect(platforms).toEqual(['android'])
      branches.push([by, answer.asset.id])
      await deleteVersion(again(), id, 1)
      await expectInPlace()
      await expectSound(ada.user_id, by.user_id)
    })
    for (const days of [4, 8]) {
      await runJobIn(days)
      for (const [by, branch] of branches) await expectContent(by, branch)
    }
    await expectAgreedIn(9)
  })

  it.each([
    ['its own user', (ada: RequestContext) => contextOf(ada.user_id)],
    ['a user of the same partition', neighbourOf],
    ['a user of another partition', () => contextOf(newUserId())],
  ])('that is deleted against a branch of its version by %s keeps its content there', async (_, brancher) => {
    const branches: [RequestContext, string][] = []
    await rounds(async (round) => {
      const { ada, id, again } = await scene()
      await variant(ada, id, { version: 1, platform: 'android' })
      await variant(ada, id, IOS)
      const by = brancher(ada)
      const [deleted, branched] = await round.race<unknown>([
        () => deleteVariant(again(), id, IOS),
        () => branchAsset(by, id, { name: 'branch', from_version: 1 }),
        () => runEach(round.seed % 2 === 1 ? 4 : 0),
      ])
      expect(deleted?.code).toBeUndefined()
      const { answer } = branched as Outcome<Branch>
      if (!answer) throw new Error(branched?.code)
      const platforms = platformsOf(answer.version)
      if (round.isBefore(deleted, branched)) expect(platforms).toEqual(['android'])
      if (round.isBefore(branched, deleted)) expect(platforms).toEqual(['android', 'ios'])
      round.fork('the branch has it', platforms.length === 2)
      branches.push([by, answer.asset.id])
      await expectInPlace()
      await expectSound(ada.user_id, by.user_id)
    })
    for (const days of [4, 8]) {
      await runJobIn(days)
      for (const [by, branch] of branches) await expectContent(by, branch)
    }
    await expectAgreedIn(9)
  })

  it('that is deleted against a rollback to its version: the rollback has it or not, and content is counted once', async () => {
    await rounds(async (round) => {
      const { ada, id, again } = await scene()
      await variant(ada, id, IOS)
      const [deleted, rolled] = await round.race<unknown>([
        () => deleteVariant(again(), id, IOS),
        () => rollBack(again(), id, { from_version: 1 }),
      ])
      expect([deleted?.code, rolled?.code]).toEqual([undefined, undefined])
      const platforms = platformsOf(
        (rolled as Outcome<VersionRow>).answer ?? (await readVersion(again(), id, 3)).version,
      )
      if (round.isBefore(deleted, rolled)) expect(platforms).toEqual([])
      if (round.isBefore(rolled, deleted)) expect(platforms).toEqual(['ios'])
      round.fork('the rollback has it', platforms.length === 1)
      await expectContent(ada, id, 3)
      await expectSound(ada.user_id)
    })
    await expectAgreedIn(4)
  })
})
