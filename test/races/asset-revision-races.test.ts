import { describe, expect, it } from 'vitest'
import { createAsset } from '../../src/features/assets/create.ts'
import { deleteAsset } from '../../src/features/assets/delete.ts'
import { editAsset } from '../../src/features/assets/edit.ts'
import { rollBack } from '../../src/features/assets/rollback.ts'
import { completeUpload } from '../../src/features/uploads/complete.ts'
import { blockAsset } from '../../src/operators/moderation/block.ts'
import type { RequestContext } from '../../src/platform/context.ts'
import { asset, newVersion } from '../support/acts.ts'
import { arrive } from '../support/content.ts'
import { contextOf } from '../support/context.ts'
import { databaseOf } from '../support/databases.ts'
import { newUserId } from '../support/ids.ts'
import { expectSound } from '../support/invariants.ts'
import { chances, rounds, tally } from '../support/race.ts'

interface Row {
  revision: number
  description: string
  visibility: string
  published_at: number | null
  deleted_at: number | null
  current_version: number
}

async function rowOf(id: string): Promise<Row> {
  const row = await databaseOf(id)
    .prepare(
      'SELECT revision, description, visibility, published_at, deleted_at, current_version FROM game_assets WHERE id = ?',
    )
    .bind(id)
    .first<Row>()
  if (!row) throw new Error('no such asset')
  return row
}

const create = (work: RequestContext) =>
  createAsset(work, { name: 'castle', type: 'world', visibility: 'private' })

describe('the revision of an asset', () => {
  it('lets one of ten edits through that expect the same', async () => {
    await chances(async (round) => {
      const work = contextOf(newUserId())
      const { id, revision } = await create(work)
      const names = Array.from({ length: 10 }, (_, i) => `edit ${i}`)
      const outcomes = await round.race(
        names.map((description) => () => editAsset(work, id, { description }, [revision])),
      )
      expect(tally(outcomes)).toBe('1 ok, 9 PRECONDITION_FAILED')
      const winner = names[outcomes.findIndex(({ answer }) => answer !== undefined)]
      expect(await rowOf(id)).toMatchObject({ revision: revision + 1, description: winner })
      await expectSound(work.user_id)
    })
  })

  it('lets one of an edit, a deletion and two versions through that expect the same', async () => {
    await rounds(async (round) => {
      const work = contextOf(newUserId())
      const { id, revision } = await asset(work)
      const expected = [revision]
      const uploads = [await newVersion(work, id, 3, expected), await newVersion(work, id)]
      await Promise.all(uploads.map(({ upload }) => arrive(upload.id)))
      const [first = '', second = ''] = uploads.map(({ upload }) => upload.id)
      const outcomes = await round.race<unknown>([
        () => editAsset(work, id, { description: 'edited' }, expected),
        () => deleteAsset(work, id, {}, expected),
        () => completeUpload(work, first),
        () => completeUpload(work, second, { expected }),
      ])
      const isDeleted = outcomes[1]?.code === undefined
      const others = outcomes.map(({ code }) => code).filter((code) => code !== undefined)
      expect(others).toHaveLength(3)
      for (const code of others)
        expect(code).toBeOneOf(['PRECONDITION_FAILED', ...(isDeleted ? ['ASSET_NOT_FOUND'] : [])])
      expect(await rowOf(id)).toMatchObject({
        revision: revision + 1,
        description: outcomes[0]?.code === undefined ? 'edited' : '',
        deleted_at: isDeleted ? expect.any(Number) : null,
        current_version: outcomes[2]?.code === undefined || outcomes[3]?.code === undefined ? 2 : 1,
      })
      await expectSound(work.user_id)
    })
  })

  it('rises with each of many changes at once', async () => {
    await rounds(async (round) => {
      const work = contextOf(newUserId())
      const { id, revision } = await asset(work)
      const { upload } = await newVersion(work, id)
      await arrive(upload.id)
      const outcomes = await round.race<unknown>([
        () => editAsset(work, id, { description: 'a' }),
        () => editAsset(work, id, { tags: ['b'] }),
        () => rollBack(work, id, { from_version: 1 }),
        () => completeUpload(work, upload.id),
        () => blockAsset(work, id),
        () => blockAsset(work, id),
      ])
      expect(tally(outcomes)).toBe('6 ok')
      // The second block changes nothing.
      expect((await rowOf(id)).revision).toBe(revision + 5)
      await expectSound(work.user_id)
    })
  })
})

describe('published_at', () => {
  it('is there, and the first one, exactly while an asset is public that edits publish and hide at once', async () => {
    await rounds(async (round) => {
      const work = contextOf(newUserId())
      const before = { ...work, now_ms: work.now_ms - 3_600_000 }
      const { id } = await create(before)
      const { published_at } = await editAsset(before, id, { visibility: 'public' })
      const outcomes = await round.race(
        (['public', 'private', 'public', 'private'] as const).map(
          (visibility) => () => editAsset(work, id, { visibility }),
        ),
      )
      expect(tally(outcomes)).toBe('4 ok')
      for (const row of [await rowOf(id), ...outcomes.flatMap(({ answer }) => answer ?? [])])
        expect(row.published_at).toBe(row.visibility === 'public' ? published_at : null)
      await expectSound(work.user_id)
    })
  })
})
