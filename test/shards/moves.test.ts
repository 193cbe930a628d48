import { beforeEach, describe, expect, inject, it } from 'vitest'
import { moveStep } from '../../src/operators/shards/mover/move.ts'
import { expectEventsCounted } from '../support/invariants.ts'
import { everything, moveAll, mover, openTwice, settle, undoAll, usersOf } from '../support/moving.ts'
import { seeded } from '../support/seeded.ts'

const range = { first: '123', last: '124' }
const users = usersOf(['123', '124', '456'], 7)
await settle(users)
const before = await everything()

/** Fails unless all rows are unchanged and in the right databases. */
async function expectAll(): Promise<void> {
  const after = await everything()
  expect(after.strays).toEqual([])
  expect(after.rows).toEqual(before.rows)
  await expectEventsCounted()
}

describe('moving partitions', () => {
  beforeEach(() => moveAll(range, 'DB'))

  it('moves all rows of their users, and leaves none behind', async () => {
    await moveAll(range, 'DB_1')
    await expectAll()
    await moveAll(range, 'DB_2')
    await expectAll()
    await moveAll(range, 'DB')
    await expectAll()
  })

  it('continues after the mover was killed before or after any call', async () => {
    const whole = mover()
    await moveAll(range, 'DB_1', () => whole)
    const random = seeded(inject('proof').seed)
    const rounds = inject('proof').amount || 4
    for (let round = 0; round < rounds; round++) {
      const target = round % 2 === 0 ? 'DB_2' : 'DB_1'
      const when = random() < 0.5 ? 'before' : 'after'
      const killed = mover({ call: 1 + Math.floor(random() * whole.calls()), when })
      await expect(moveAll(range, target, () => killed)).rejects.toThrow()
      expect(await openTwice()).toEqual([])
      await moveAll(range, target)
      await expectAll()
    }
  })

  it('can be undone from any step before the partitions are open in the target', async () => {
    for (let steps = 1; ; steps++) {
      const { stage } = await moveStep(mover(), range, 'DB_1', { steps })
      if (stage === 'remove') break
      await undoAll()
      await expectAll()
    }
    await expect(undoAll()).rejects.toThrow('open in DB_1')
    await moveAll(range, 'DB_1')
    await expectAll()
  })
})
