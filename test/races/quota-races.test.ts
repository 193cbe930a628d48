import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { branchAsset } from '../../src/features/assets/branch.ts'
import { createAsset } from '../../src/features/assets/create.ts'
import { deleteAsset } from '../../src/features/assets/delete.ts'
import { rollBack } from '../../src/features/assets/rollback.ts'
import { deleteFile } from '../../src/features/files/delete.ts'
import { purgeFile } from '../../src/features/trash/purge.ts'
import type { RequestContext } from '../../src/platform/context.ts'
import {
  asset,
  file,
  fileAtOnce,
  newAsset,
  newVersion,
  replaceAtOnce,
  replacement,
  upload,
} from '../support/acts.ts'
import { contextOf } from '../support/context.ts'
import { newUserId } from '../support/ids.ts'
import { expectSound } from '../support/invariants.ts'
import { chances, tally } from '../support/race.ts'

const LIMIT = 1_000
const world = { type: 'world', visibility: 'private' } as const

/** Takes as many bytes of a user's quota as it is told. */
type Take = (size_bytes: number) => Promise<unknown>

/** Everything that takes bytes, and what it needs to be there before. A new one joins here. */
const takers: Record<string, (work: RequestContext) => Promise<Take>> = {
  upload: async (work) => (size_bytes) => upload(work, null, size_bytes),
  replacement: async (work) => {
    const { id } = await file(work, null, 0)
    return (size_bytes) => replacement(work, id, null, size_bytes)
  },
  'content in one request': async (work) => (size_bytes) => fileAtOnce(work, size_bytes),
  // Each replaces a file of its own: in one file, new content takes the place of what is there.
  'replacement in one request': async (work) => async (size_bytes) => {
    const { id } = await file(work, null, 0)
    return replaceAtOnce(work, id, size_bytes)
  },
  'new asset': async (work) => (size_bytes) => newAsset(work, crypto.randomUUID(), 'private', size_bytes),
  'new version': async (work) => {
    const { id } = await createAsset(work, { ...world, name: crypto.randomUUID() })
    return (size_bytes) => newVersion(work, id, size_bytes)
  },
  branch: async (work) => async (size_bytes) =>
    branchAsset(work, await sourceOf(size_bytes), { name: crypto.randomUUID() }),
}

/** Public assets with one version of each size, of users with room for them. */
const sources = new Map<number, Promise<string>>()
function sourceOf(size_bytes: number): Promise<string> {
  const source =
    sources.get(size_bytes) ??
    asset(contextOf(newUserId()), 'source', 'public', size_bytes).then(({ id }) => id)
  sources.set(size_bytes, source)
  return source
}

describe('the quota', () => {
  it.each(Object.entries(takers))(
    'lets exactly one of 50 through at once where one fits: %s',
    async (_, prepare) => {
      await chances(async (round) => {
        const work = contextOf(newUserId(), {}, { DEFAULT_QUOTA_BYTES: LIMIT })
        const take = await prepare(work)
        const size = LIMIT / 2 + 1
        const outcomes = await round.race(Array.from({ length: 50 }, () => () => take(size)))
        expect(tally(outcomes)).toBe('1 ok, 49 QUOTA_EXCEEDED')
        await expectSound(work.user_id)
      })
    },
  )

  it('lets ten rollbacks through at once where no byte fits: they share what is there', async () => {
    await chances(async (round) => {
      const work = contextOf(newUserId(), {}, { DEFAULT_QUOTA_BYTES: LIMIT })
      const { id } = await asset(work, 'asset', 'private', LIMIT)
      const outcomes = await round.race(
        Array.from({ length: 10 }, () => () => rollBack(work, id, { from_version: 1 })),
      )
      expect(tally(outcomes)).toBe('10 ok')
      await expectSound(work.user_id)
    })
  })

  it('is used up to the last byte by takers of all sizes and kinds, and never passed', async () => {
    await chances(async (round) => {
      const work = contextOf(newUserId(), {}, { DEFAULT_QUOTA_BYTES: LIMIT })
      const sizes = Array.from({ length: 20 }, (_, i) => 60 + ((i * 37 + round.seed * 11) % 90))
      const kinds = await Promise.all(Object.values(takers).map((prepare) => prepare(work)))
      const outcomes = await round.race(sizes.map((size, i) => async () => kinds[i % kinds.length]?.(size)))
      const taken = sizes.filter((_, i) => outcomes[i]?.code === undefined)
      const used = taken.reduce((sum, size) => sum + size, 0)
      const smallest = Math.min(...sizes.filter((_, i) => outcomes[i]?.code !== undefined))
      expect(used).toBeLessThanOrEqual(LIMIT)
      expect(used + smallest, 'what was refused would not have fitted').toBeGreaterThan(LIMIT)
      await expectSound(work.user_id)
    })
  })

  it('is the limit of what waits out its grace, too, when content is replaced and purged at once', async () => {
    await chances(async (round) => {
      const work = contextOf(newUserId(), {}, { DEFAULT_QUOTA_BYTES: LIMIT, CONTENT_GRACE_DAYS: 7 })
      const files = await Promise.all(Array.from({ length: 6 }, () => file(work, null, 100)))
      const { id } = await asset(work, 'asset', 'private', 100)
      const replace = () => Promise.allSettled(files.map((one) => replaceAtOnce(work, one.id, 100)))
      await round.race<unknown>([
        replace,
        replace,
        () => deleteAsset(work, id, { permanent: true }),
        async () => {
          await deleteFile(work, files[0]?.id ?? '')
          await purgeFile(work, files[0]?.id ?? '')
        },
      ])
      await expectSound(work.user_id)
      await replace()
      const [row] = await work.db.read<{ kept_bytes: number }>(
        sql`SELECT kept_bytes FROM usage WHERE user_id = ${work.user_id}`,
      )
      expect(row).toEqual({ kept_bytes: LIMIT })
      await expectSound(work.user_id)
    })
  })
})
