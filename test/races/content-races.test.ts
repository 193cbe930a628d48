import { env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { deleteFile } from '../../src/features/files/delete.ts'
import { purgeFile } from '../../src/features/trash/purge.ts'
import { fileAtOnce, replaceAtOnce } from '../support/acts.ts'
import { contextOf } from '../support/context.ts'
import { newUserId } from '../support/ids.ts'
import { expectSound } from '../support/invariants.ts'
import { expectAgreedIn, runEach } from '../support/objects.ts'
import { chances, rounds, tally } from '../support/race.ts'
import { noting } from './noting.ts'
import { contentOf, queuedAmong, usedBytes } from './rows.ts'

const LIMIT = 1_000

const isThere = async (key: string) => (await env.BUCKET.head(key)) !== null
const there = async (keys: string[]) => {
  const found = await Promise.all(keys.map(isThere))
  return keys.filter((_, index) => found[index]).sort()
}

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
      expect(await queuedAmong(id, put)).toEqual(put.filter((key) => key !== last).sort())
      await expectSound(work.user_id)
    })
  })

  it('is there, or refused, when the file is deleted, whether for good or not', async () => {
    await rounds({ variants: 2 }, async (round) => {
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
    })
    await expectAgreedIn(2)
  })
})
