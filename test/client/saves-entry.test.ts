import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Simulation } from './saves/simulation.ts'

/** Something that may happen next, as often as its weight says. `n` chooses one of several. */
const step = (
  weight: number,
  name: string,
  run: (simulation: Simulation, n: number) => void | Promise<void>,
) => ({
  weight,
  arbitrary: fc.nat(5).map((n) => ({ name, n, take: (simulation: Simulation) => run(simulation, n) })),
})

const steps = fc.oneof(
  step(4, 'the game writes', (simulation) => simulation.write()),
  step(6, 'send', (simulation) => simulation.send()),
  step(5, 'a request arrives', (simulation, n) => simulation.arrive(n)),
  step(5, 'an answer arrives', (simulation) => simulation.take()),
  step(3, 'an answer is lost', (simulation) => simulation.lose()),
  step(1, 'another device writes', (simulation) => simulation.writeElsewhere()),
  step(1, 'a recall comes', (simulation) => simulation.recall()),
  step(1, 'resolve', (simulation) => simulation.resolve()),
)

describe('any order of writes, losses, late requests, restarts, recalls and another device', () => {
  it('keeps what the game wrote last, tells conflicts with others only, and replaces nothing unseen', async () => {
    const states = new Set<string | undefined>()
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { maxLength: 60, size: 'max' }), async (taken) => {
        const simulation = new Simulation()
        for (const { take } of taken) {
          await take(simulation)
          await simulation.check()
          states.add((await simulation.entry())?.state)
        }
        await simulation.finish()
      }),
      { numRuns: 300 },
    )
    expect(states).toEqual(new Set([undefined, 'waiting', 'saved', 'conflict']))
  })
})
