import { describe, expect, it } from 'vitest'
import { branchAsset } from '../../src/features/assets/branch.ts'
import { editAsset } from '../../src/features/assets/edit.ts'
import { asset } from '../support/acts.ts'
import { contextOf } from '../support/context.ts'
import { lockRating } from '../support/creator.ts'
import { databaseOf } from '../support/databases.ts'
import { newUserId } from '../support/ids.ts'
import { rounds } from '../support/race.ts'

interface Rated {
  rating: string | null
  rating_locked: string | null
}

async function rated({ id }: { id: string }): Promise<Rated> {
  const found = await databaseOf(id)
    .prepare('SELECT rating, rating_locked FROM game_assets WHERE id = ?')
    .bind(id)
    .first<Rated>()
  if (!found) throw new Error('no such asset')
  return found
}

/** Ada, and a public asset of hers with this rating. */
async function withAsset(rating: 'everyone' | 'teen' | 'mature' | null) {
  const ada = contextOf(newUserId())
  const castle = await asset(ada, 'castle', 'public')
  if (rating) await editAsset(ada, castle.id, { rating })
  return { ada, castle, again: () => contextOf(ada.user_id) }
}

describe('a lock of the rating at teen', () => {
  it('against an edit that lowers the rating: the edit is refused, or the lock comes later and raises it', async () => {
    await rounds(async (round) => {
      const { castle, again } = await withAsset('mature')
      const [lowered, locked] = await round.race<unknown>([
        () => editAsset(again(), castle.id, { rating: 'everyone', name: 'for children' }),
        () => lockRating(castle, 'teen'),
      ])
      expect(locked?.code).toBeUndefined()
      if (round.isBefore(lowered, locked)) expect(lowered?.code).toBeUndefined()
      if (round.isBefore(locked, lowered)) expect(lowered?.code).toBe('RATING_LOCKED')
      expect(await rated(castle)).toEqual({ rating: 'teen', rating_locked: 'teen' })
    })
  })

  it('against an edit that raises the rating: no edit is lost, and the rating is at the lock or above', async () => {
    await rounds(async (round) => {
      const { castle, again } = await withAsset(null)
      const [raised, locked] = await round.race<unknown>([
        () => editAsset(again(), castle.id, { rating: 'mature' }),
        () => lockRating(castle, 'teen'),
      ])
      expect([raised?.code, locked?.code]).toEqual([undefined, undefined])
      const { rating } = await rated(castle)
      if (round.isBefore(locked, raised)) expect(rating).toBe('mature')
      if (round.isBefore(raised, locked)) expect(rating).toBe('teen')
      expect(['teen', 'mature']).toContain(rating)
    })
  })

  it('against a branch of one’s own: a branch that comes later is locked, too', async () => {
    await rounds(async (round) => {
      const { castle, again } = await withAsset('everyone')
      const [branched, locked] = await round.race<{ id: string } | undefined>([
        async () => (await branchAsset(again(), castle.id, { name: 'branch' })).asset,
        async () => {
          await lockRating(castle, 'teen')
          return undefined
        },
      ])
      const made = branched?.answer
      if (!made) throw new Error(`no branch: ${branched?.code}`)
      const branch = await rated(made)
      const isLocked = branch.rating_locked !== null
      if (round.isBefore(locked, branched)) expect(isLocked).toBe(true)
      if (round.isBefore(branched, locked)) expect(isLocked).toBe(false)
      expect(branch).toEqual(
        isLocked ? { rating: 'teen', rating_locked: 'teen' } : { rating: 'everyone', rating_locked: null },
      )
    })
  })
})

describe('the first rating', () => {
  it('against an edit that says that there is none: null is refused once there is one', async () => {
    await rounds(async (round) => {
      const { castle, again } = await withAsset(null)
      const [said, unsaid] = await round.race<unknown>([
        () => editAsset(again(), castle.id, { rating: 'teen' }),
        () => editAsset(again(), castle.id, { rating: null, name: 'unrated' }),
      ])
      expect(said?.code).toBeUndefined()
      if (round.isBefore(said, unsaid)) expect(unsaid?.code).toBe('VALIDATION_FAILED')
      if (round.isBefore(unsaid, said)) expect(unsaid?.code).toBeUndefined()
      expect((await rated(castle)).rating).toBe('teen')
    })
  })

  it('against the branch of another user: the branch has the rating of its source as it was', async () => {
    await rounds({ variants: 2 }, async (round) => {
      const { castle, again } = await withAsset(null)
      const bob = contextOf(newUserId())
      const [raised, branched] = await round.race<{ id: string }>([
        () => editAsset(again(), castle.id, { rating: 'mature' }),
        async () => (await branchAsset(bob, castle.id, { name: 'branch', rating: 'teen' })).asset,
      ])
      expect(raised?.code).toBeUndefined()
      const made = branched?.answer
      if (!made) throw new Error(`no branch: ${branched?.code}`)
      const { rating } = await rated(made)
      if (round.isBefore(raised, branched)) expect(rating).toBe('mature')
      if (round.isBefore(branched, raised)) expect(rating).toBe('teen')
      expect(['teen', 'mature']).toContain(rating)
    })
  })
})
