import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type OwnKind, Simulation } from './inbox/simulation.ts'

/** Something that may happen next, as often as its weight says. `n` chooses one of several. */
const step = (weight: number, name: string, run: (simulation: Simulation, n: number) => void) => ({
  weight,
  arbitrary: fc.nat(20).map((n) => ({ name, n, take: (simulation: Simulation) => run(simulation, n) })),
})

const kinds: readonly OwnKind[] = ['read', 'delete', 'delete many', 'delete read', 'delete all']
const outcomes = ['made', 'refused', 'lost'] as const

/** Publications and deliveries are frequent, so that much is under way at any time. */
const steps = fc.oneof(
  step(6, 'publish', (simulation) => simulation.change((inbox) => inbox.publish())),
  step(2, 'read', (simulation, n) => simulation.change((inbox) => inbox.markRead([simulation.pick(n)]))),
  step(1, 'read all', (simulation) => simulation.change((inbox) => inbox.markRead(null))),
  step(3, 'delete', (simulation, n) => simulation.change((inbox) => inbox.delete(simulation.pick(n)))),
  step(1, 'delete many', (simulation, n) =>
    simulation.change((inbox) => inbox.deleteMany([simulation.pick(n), simulation.pick(n + 1), 'gone'])),
  ),
  step(1, 'delete read', (simulation) => simulation.change((inbox) => inbox.deleteRead())),
  step(1, 'delete all', (simulation) => simulation.change((inbox) => inbox.deleteMany(null))),
  step(3, 'connect', (simulation) => simulation.connect()),
  step(1, 'cut', (simulation) => simulation.cut()),
  step(8, 'deliver', (simulation) => simulation.deliver()),
  step(2, 'repeat', (simulation, n) => simulation.repeat(n)),
  step(4, 'ask for a page', (simulation) => simulation.askForPage()),
  step(4, 'answer the page', (simulation) => simulation.answerPage()),
  step(4, 'take the page', (simulation) => simulation.takePage()),
  step(1, 'lose the page', (simulation) => simulation.losePage()),
  step(1, 'want more', (simulation) => simulation.replica.wantMore(3)),
  step(2, 'change own', (simulation, n) => simulation.changeOwn(n >> 1, kinds[n % kinds.length] ?? 'read')),
  step(2, 'settle own', (simulation, n) => simulation.settleOwn(outcomes[n % outcomes.length])),
)

/** The notifications that were published after the first list, without those that only a part jumped over has had. */
function owed({ inbox, jumps }: Simulation, firstSeq: number): string[] {
  return inbox.published.filter((id) => {
    const { published, deleted } = inbox.lifeOf(id)
    const isJumped = jumps.some(([from, to]) => from < published && deleted !== undefined && deleted <= to)
    return published > firstSeq && !isJumped
  })
}

describe('any order of pages, events, repetitions, cuts and changes of this device', () => {
  it('shows what the inbox was at each seq, ends equal to it, and tells each notification once and in order', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(1, 5, 12, Number.POSITIVE_INFINITY),
        fc.nat(15),
        fc.array(steps, { maxLength: 150, size: 'max' }),
        (wanted, published, taken) => {
          const simulation = new Simulation(wanted)
          for (let index = 0; index < published; index++) simulation.inbox.publish()
          for (const { take } of taken) {
            take(simulation)
            simulation.check()
          }
          simulation.finish()
          const { firstSeq = 0 } = simulation
          const { view } = simulation.replica
          const { notifications, total, unread } = simulation.inbox.now
          expect(view).toEqual({
            seq: simulation.inbox.seq,
            total,
            unread,
            notifications: notifications.slice(0, view?.notifications.length),
          })
          expect(view?.notifications.length).toBeGreaterThanOrEqual(Math.min(wanted, total))
          expect(new Set(simulation.told).size).toBe(simulation.told.length)
          expect([...simulation.told].sort()).toEqual(simulation.told)
          const told = new Set(simulation.told)
          expect(owed(simulation, firstSeq).filter((id) => !told.has(id))).toEqual([])
          expect(simulation.told.filter((id) => simulation.inbox.lifeOf(id).published <= firstSeq)).toEqual(
            [],
          )
        },
      ),
      { numRuns: 1_000 },
    )
  })
})
