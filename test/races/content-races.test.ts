import { env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { deleteFile } from '../../src/features/files/delete.ts'
import { purgeFile } from '../../src/features/trash/purge.ts'
import { completeUpload } from '../../src/features/uploads/complete.ts'
import type { RequestContext } from '../../src/platform/context.ts'
import { file, fileAtOnce, replaceAtOnce, replacement } from '../support/acts.ts'
import { arrive } from '../support/content.ts'
import { contextOf } from '../support/context.ts'
import { databaseOf, homeOf } from '../support/databases.ts'
import { newUserId } from '../support/ids.ts'
import { expectSound } from '../support/invariants.ts'
import { noting } from '../support/noting.ts'
import { expectAgreedIn, runEach } from '../support/objects.ts'
import { chances, rounds, tally } from '../support/race.ts'

const LIMIT = 1_000

const isThere = async (key: string) => (await env.BUCKET.head(key)) !== null
const there = async (keys: string[]) => {
  const found = await Promise.all(keys.map(isThere))
  return keys.filter((_, index) => found[index]).sort()
}

const contentOf = (id: string) =>
  databaseOf(id)
    .prepare('SELECT object_key FROM files WHERE id = ?')
    .bind(id)
    .first<string | null>('object_key')

const usedBytes = ({ user_id }: RequestContext) =>
  homeOf(user_id)
    .prepare('SELECT used_bytes FROM usage WHERE user_id = ?')
    .bind(user_id)
    .first<number>('used_bytes')

describe('content in one request', () => {
  it('never passes a nearly full quota: what fits is there, and nothing of what was refused', async () => {
    await chances(async (round) => {
      const { work, put } = noting(contextOf(newUserId(), {}, { DEFAULT_QUOTA_BYTES: LIMIT }))
      await fileAtOnce(work, 700)
      const outcomes = await round.race(Array.from({ length: 8 }, () => () => fileAtOnce(work, 100)))
      expect(tally(outcomes)).toBe('3 ok, 5 QUOTA_EXCEEDED')
      expect(put).toHaveLength(9)
      const made = outcomes.flatMap(({ answer }) => answer?.object_key ?? [])
      expect(await there(put.slice(1))).toEqual(made.sort())
      expect(await usedBytes(work)).toBe(LIMIT)
      await expectSound(work.user_id)
    })
  })

  it('never passes it by replacing: the bytes that each frees are taken once', async () => {
    await chances(async (round) => {
      const work = contextOf(newUserId(), {}, { DEFAULT_QUOTA_BYTES: LIMIT })
      const files = await Promise.all(Array.from({ length: 4 }, () => fileAtOnce(work, 200)))
      const outcomes = await round.race(
        files.map(
          ({ id }) =>
            () =>
              replaceAtOnce(work, id, 300),
        ),
      )
      expect(tally(outcomes)).toBe('2 QUOTA_EXCEEDED, 2 ok')
      expect(await usedBytes(work)).toBe(LIMIT)
      await expectSound(work.user_id)
    })
  })
})

describe('a replacement in one request', () => {
  it('wins alone over others that expect the same revision', async () => {
    await chances(async (round) => {
      const { work, put } = noting(contextOf(newUserId()))
      const { id, revision } = await fileAtOnce(work)
      const outcomes = await round.race(
        Array.from({ length: 6 }, (_, index) => () => replaceAtOnce(work, id, 4 + index, [revision])),
      )
      expect(tally(outcomes)).toBe('1 ok, 5 PRECONDITION_FAILED')
      const [won] = outcomes.flatMap(({ answer }) => answer ?? [])
      expect(await there(put.slice(1))).toEqual([won?.object_key])
      expect(await usedBytes(work)).toBe(won?.size_bytes)
      await expectSound(work.user_id)
    })
  })

  it('and one after the other without: each content that is replaced is queued once', async () => {
    await chances(async (round) => {
      const { work, put } = noting(contextOf(newUserId()))
      const { id } = await fileAtOnce(work)
      const outcomes = await round.race(
        Array.from({ length: 4 }, (_, index) => () => replaceAtOnce(work, id, 4 + index)),
      )
      expect(tally(outcomes)).toBe('4 ok')
      expect(outcomes.map(({ answer }) => answer?.revision).sort()).toEqual([2, 3, 4, 5])
      const last = await contentOf(id)
      const { results } = await databaseOf(id)
        .prepare('SELECT object_key FROM garbage WHERE object_key IN (SELECT value FROM json_each(?))')
        .bind(JSON.stringify(put))
        .all<{ object_key: string }>()
      const queued = results.map(({ object_key }) => object_key)
      expect(queued.sort()).toEqual(put.filter((key) => key !== last).sort())
      await expectSound(work.user_id)
    })
  })

  it('is there, or refused, when the file is deleted, whether for good or not', async () => {
    await rounds(
      async (round) => {
        const { work, put } = noting(contextOf(newUserId()))
        const { id } = await fileAtOnce(work)
        const [replaced, deleted] = await round.race<unknown>([
          () => replaceAtOnce(work, id, 5),
          async () => {
            await deleteFile(work, id)
            if (round.variant === 0) await purgeFile(work, id)
          },
          () => runEach(0),
        ])
        expect(deleted?.code).toBeUndefined()
        expect([undefined, 'FILE_NOT_FOUND']).toContain(replaced?.code)
        if (round.fork('it is refused', replaced?.code !== undefined))
          expect(await isThere(put[1] ?? '')).toBe(false)
        await expectSound(work.user_id)
      },
      { variants: 2 },
    )
    await expectAgreedIn(2)
  })

  it('and an upload that replaces the same content come to one of the two, whichever was last', async () => {
    await rounds(async (round) => {
      const work = contextOf(newUserId())
      const { id } = await file(work)
      const { upload } = await replacement(work, id, null, 7)
      await arrive(upload.id, 7)
      const [replaced, completed] = await round.race<unknown>([
        () => replaceAtOnce(work, id, 5),
        () => completeUpload(work, upload.id),
      ])
      expect([replaced?.code, completed?.code]).toEqual([undefined, undefined])
      expect([5, 7]).toContain(await usedBytes(work))
      await expectSound(work.user_id)
    })
    await expectAgreedIn(4)
  })
})
