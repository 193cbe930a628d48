import { describe, expect, it } from 'vitest'
import { CONNECTIONS, pooled } from '../../src/platform/lib/pool.ts'

const ITEMS = Array.from({ length: 20 }, (_, item) => item)

/** A question that is answered after some turns of the event loop: later ones sooner. */
async function turns(item: number): Promise<void> {
  for (let turn = item; turn < ITEMS.length; turn++) await new Promise((resolve) => setTimeout(resolve))
}

describe('a pool', () => {
  it('asks about as many items at once as there are connections, and about the next when one is answered', async () => {
    let [open, most, begun] = [0, 0, 0]
    const begunAtFirstAnswer: number[] = []
    await pooled(ITEMS, async (item) => {
      begun++
      most = Math.max(most, ++open)
      if (item > 0) await turns(item)
      else while (begun < ITEMS.length) await turns(ITEMS.length - 1) // the first is answered last
      begunAtFirstAnswer.push(begun)
      open--
    })
    expect({ most, begun, open }).toEqual({ most: CONNECTIONS, begun: ITEMS.length, open: 0 })
    expect(begunAtFirstAnswer[0]).toBe(CONNECTIONS)
  })

  it('answers in the order of the items, whichever is answered first', async () => {
    const answers = await pooled(ITEMS, async (item) => {
      await turns(item)
      return item * 2
    })
    expect(answers).toEqual(ITEMS.map((item) => item * 2))
  })

  it('answers nothing about no items', async () => {
    expect(await pooled([], async () => 1)).toEqual([])
  })

  it('begins no other item after a failure, and throws it', async () => {
    const begun: number[] = []
    const asked = pooled(ITEMS, async (item) => {
      begun.push(item)
      await turns(ITEMS.length - 1)
      if (item === 0) throw new Error('the first')
    })
    await expect(asked).rejects.toThrow('the first')
    await turns(0)
    expect(begun).toEqual(ITEMS.slice(0, CONNECTIONS))
  })
})
