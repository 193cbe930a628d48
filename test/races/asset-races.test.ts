import { env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { branchAsset } from '../../src/features/assets/branch.ts'
import { createAsset } from '../../src/features/assets/create.ts'
import { deleteAsset } from '../../src/features/assets/delete.ts'
import { editAsset } from '../../src/features/assets/edit.ts'
import type { Branch } from '../../src/features/assets/insert-branch.ts'
import { readVersion } from '../../src/features/assets/read.ts'
import { completeUpload } from '../../src/features/uploads/complete.ts'
import { blockAsset } from '../../src/operators/moderation/block.ts'
import type { RequestContext } from '../../src/platform/context.ts'
import { asset, completeAtOnce, newAsset, newVersion, version } from '../support/acts.ts'
import { arrive } from '../support/content.ts'
import { contextOf } from '../support/context.ts'
import { countOf, databaseOf } from '../support/databases.ts'
import { newUserId } from '../support/ids.ts'
import { expectSound } from '../support/invariants.ts'
import { expectAgreedIn, runEach, runJobIn } from '../support/objects.ts'
import { chances, type Outcome, type Round, rounds, tally } from '../support/race.ts'

const create = (work: RequestContext, name: string) =>
  createAsset(work, { name, type: 'world', visibility: 'private' })

/** The numbers of an asset's versions, in order. */
async function numbersOf(id: string): Promise<number[]> {
  const { results } = await databaseOf(id)
    .prepare('SELECT version FROM asset_versions WHERE asset_id = ? ORDER BY version')
    .bind(id)
    .all<{ version: number }>()
  return results.map(({ version }) => version)
}

/** How many live assets of a name a user has. */
function countNamed(user_id: string, name: string): Promise<number> {
  return countOf('game_assets WHERE owner_id = ? AND name = ? AND deleted_at IS NULL', user_id, name)
}

describe('versions', () => {
  it('are numbered 1 to 20, each once, when 20 uploads complete at once', async () => {
    await chances(async (round) => {
      const work = contextOf(newUserId())
      const { id } = await create(work, 'asset')
      const uploads = await Promise.all(Array.from({ length: 20 }, () => newVersion(work, id)))
      await Promise.all(uploads.map(({ upload }) => arrive(upload.id)))
      const outcomes = await completeAtOnce(round, work, uploads)
      expect(tally(outcomes)).toBe('20 ok')
      const numbers = Array.from({ length: 20 }, (_, i) => i + 1)
      expect(outcomes.map(({ answer }) => answer?.version?.version).sort((a = 0, b = 0) => a - b)).toEqual(
        numbers,
      )
      expect(await numbersOf(id)).toEqual(numbers)
      await expectSound(work.user_id)
    })
  })
})

describe('a name', () => {
  it('goes to one of two completions, a creation and a branch; the upload that lost completes with another', async () => {
    await rounds(async (round) => {
      const work = contextOf(newUserId())
      const source = await asset(work, 'source')
      const uploads = await Promise.all([newAsset(work, 'castle'), newAsset(work, 'castle')])
      await Promise.all(uploads.map(({ upload }) => arrive(upload.id)))
      const outcomes = await round.race<unknown>([
        ...uploads.map(
          ({ upload }) =>
            () =>
              completeUpload(work, upload.id),
        ),
        () => create(work, 'castle'),
        () => branchAsset(work, source.id, { name: 'castle' }),
      ])
      expect(tally(outcomes)).toBe('1 ok, 3 DUPLICATE_ASSET_NAME')
      expect(await countNamed(work.user_id, 'castle')).toBe(1)
      for (const [i, { upload }] of uploads.entries()) {
        const { asset, version } = await completeUpload(work, upload.id, { name: `castle ${i}` })
        expect(asset?.name).toBe(outcomes[i]?.code ? `castle ${i}` : 'castle')
        expect(version?.version).toBe(1)
      }
      await expectSound(work.user_id)
    })
  })

  it('never passes the limit of assets by creations, branches and completions that each would fit', async () => {
    await rounds(async (round) => {
      const work = contextOf(newUserId(), {}, { MAX_ASSETS: 3 })
      const source = await asset(work, 'source')
      const { upload } = await newAsset(work, 'uploaded')
      await arrive(upload.id)
      const outcomes = await round.race<unknown>([
        () => create(work, 'a'),
        () => create(work, 'b'),
        () => branchAsset(work, source.id, { name: 'c' }),
        () => completeUpload(work, upload.id),
      ])
      expect(tally(outcomes)).toBe('2 LIMIT_REACHED, 2 ok')
      await expectSound(work.user_id)
    })
  })
})

/** What a branch came to: either one whose content can be read, or a clean refusal. */
async function expectReadableOrRefused(
  round: Round,
  work: RequestContext,
  branched: Outcome<Branch> | undefined,
): Promise<void> {
  const left = await countOf('game_assets WHERE owner_id = ?', work.user_id)
  if (round.fork('it is refused', branched?.code !== undefined))
    expect(branched?.code).toBe('ASSET_NOT_FOUND')
  else if (branched?.answer) {
    const { version } = await readVersion(work, branched.answer.asset.id, 1)
    expect(await env.BUCKET.head(version.object_key), 'a version without content').not.toBeNull()
  }
  expect(left).toBe(branched?.answer ? 1 : 0)
  await expectSound(work.user_id)
}

describe('a branch', () => {
  const ends: Record<string, (owner: RequestContext, id: string) => Promise<unknown>> = {
    'the deletion of its source': deleteAsset,
    'the purge of its source': (owner, id) => deleteAsset(owner, id, { permanent: true }),
    'a change of its source to private': (owner, id) => editAsset(owner, id, { visibility: 'private' }),
    'a block of its source': (owner, id) => blockAsset(owner, id),
  }
  it.each(Object.entries(ends))(
    'against %s has content that can be read, or is refused',
    async (name, end) => {
      await rounds({ settle: () => runEach(40) }, async (round) => {
        const [ada, bob] = [contextOf(newUserId()), contextOf(newUserId())]
        const source = await asset(ada, 'source', 'public')
        await version(ada, source.id)
        const [branched, ended] = await round.race<unknown>([
          () => branchAsset(bob, source.id, { name: 'branch', from_version: 1 + (round.seed % 2) }),
          () => end(ada, source.id),
          () => runEach(round.seed % 2 === 1 ? 40 : 0),
        ])
        expect(ended?.code).toBeUndefined()
        const outcome = branched as Outcome<Branch> | undefined
        await expectReadableOrRefused(round, bob, outcome)
        if (round.isBefore(ended, branched)) expect(branched?.code).toBe('ASSET_NOT_FOUND')
        round.later(async () => {
          await expectReadableOrRefused(round, bob, outcome)
          if (/deletion|purge/.test(name))
            await expect(readVersion(ada, source.id, 1)).rejects.toThrow('ASSET_NOT_FOUND')
          await expectSound(ada.user_id)
        })
      })
      await expectAgreedIn(40)
    },
  )

  it('keeps its content through the purge of the source, and of all other branches, by owners at once', async () => {
    await rounds(async (round) => {
      const [ada, bob, eve] = [contextOf(newUserId()), contextOf(newUserId()), contextOf(newUserId())]
      const source = await asset(ada, 'source', 'public')
      const kept = await branchAsset(bob, source.id, { name: 'kept' })
      const gone = await branchAsset(eve, source.id, { name: 'gone' })
      await round.race<unknown>([
        () => deleteAsset(ada, source.id, { permanent: true }),
        () => deleteAsset(eve, gone.asset.id, { permanent: true }),
        () => runEach(3),
      ])
      await runEach(3)
      const { version } = await readVersion(bob, kept.asset.id, 1)
      expect(await env.BUCKET.head(version.object_key)).not.toBeNull()
      await deleteAsset(bob, kept.asset.id, { permanent: true })
      await runJobIn(3)
      expect(await env.BUCKET.head(version.object_key)).toBeNull()
      await expectSound(ada.user_id, bob.user_id, eve.user_id)
    })
  })
})
