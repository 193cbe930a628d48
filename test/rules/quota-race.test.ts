import { describe, expect, it } from 'vitest'
import { newId } from '../../src/db/id.ts'
import type { Work } from '../../src/work.ts'
import { upload } from '../support/acts.ts'
import { expectSound } from '../support/invariants.ts'
import { race, rounds, tally } from '../support/race.ts'
import { workOf } from '../support/world.ts'

const LIMIT = 1_000

/** Everything that takes bytes of a user's quota; each takes as many as it is told. A new one joins here. */
const takers: Record<string, (work: Work, size_bytes: number) => Promise<unknown>> = {
  upload: (work, size_bytes) => upload(work, null, size_bytes),
}

describe('the quota', () => {
  it.each(Object.entries(takers))(
    'lets exactly one of 50 through at once where one fits: %s',
    async (_, take) => {
      await rounds(async (seed) => {
        const work = workOf(newId(), {}, { DEFAULT_QUOTA_BYTES: LIMIT })
        const size = LIMIT / 2 + 1
        const outcomes = await race(
          seed,
          Array.from({ length: 50 }, () => () => take(work, size)),
        )
        expect(tally(outcomes), `seed ${seed}`).toBe('1 ok, 49 QUOTA_EXCEEDED')
        await expectSound(work.user_id)
      })
    },
  )

  it('is used up to the last byte by takers of all sizes and kinds, and never passed', async () => {
    await rounds(async (seed) => {
      const work = workOf(newId(), {}, { DEFAULT_QUOTA_BYTES: LIMIT })
      const sizes = Array.from({ length: 20 }, (_, i) => 60 + ((i * 37 + seed * 11) % 90))
      const kinds = Object.values(takers)
      const outcomes = await race(
        seed,
        sizes.map((size, i) => async () => kinds[i % kinds.length]?.(work, size)),
      )
      const taken = sizes.filter((_, i) => outcomes[i]?.code === undefined)
      const used = taken.reduce((sum, size) => sum + size, 0)
      const smallest = Math.min(...sizes.filter((_, i) => outcomes[i]?.code !== undefined))
      expect(used, `seed ${seed}`).toBeLessThanOrEqual(LIMIT)
      expect(used + smallest, 'what was refused would not have fitted').toBeGreaterThan(LIMIT)
      await expectSound(work.user_id)
    }, 50)
  })
})
