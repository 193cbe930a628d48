import type { Disk } from './disk.ts'
import type { Explanation } from './explain.ts'
import type { Run } from './run.ts'

type Fate = Explanation['fate']

/** What a run has done, counted as it was done. */
export class Figures {
  kills = 0
  /** States compared: of an actor, of the files that lie on disk, … */
  checks = 0
  /** Contents downloaded and compared. */
  contents = 0
  readonly #fates = new Map<string, Map<Fate, number>>()

  /** What the kills have found half-way: see `Disk`. */
  readonly #between = { completing: 0, joined: 0, purging: 0, given_up: 0 }

  /** Notes how a kill has left things. */
  found({ between }: Disk): void {
    this.#between.completing += between.completing
    this.#between.joined += between.joined
    this.#between.purging += between.purging
    this.#between.given_up += between.given_up
    this.checks++
  }

  /** Notes what became of a request that a kill had cut off. */
  resolved(kind: string, fate: Fate): void {
    const fates = this.#fates.get(kind) ?? new Map<Fate, number>()
    fates.set(fate, (fates.get(fate) ?? 0) + 1)
    this.#fates.set(kind, fates)
  }

  count(fate: Fate): number {
    return [...this.#fates.values()].reduce((sum, fates) => sum + (fates.get(fate) ?? 0), 0)
  }

  /** One line. */
  summary({ journal, power }: Run): string {
    const acknowledged = journal.count((outcome) => /^[1-4]\d\d/.test(outcome))
    const seconds = power.restarts.map((ms) => ms / 1_000)
    const mean = seconds.reduce((sum, time) => sum + time, 0) / Math.max(1, seconds.length)
    return [
      `${this.kills} kills`,
      `${acknowledged} requests acknowledged`,
      `${journal.count((outcome) => outcome === 'cut off')} cut off (${this.count('had happened')} had happened, ${this.count('had not')} had not, ${this.count('left no trace')} left no trace to tell by)`,
      `${this.checks} states and ${this.contents} contents compared`,
      `restarts ${mean.toFixed(1)} s on average, ${Math.max(0, ...seconds).toFixed(1)} s at most`,
    ].join(', ')
  }

  /** Where the kills came, and a line for each kind of request that was cut off. */
  table(): string {
    const { completing, joined, purging, given_up } = this.#between
    const fates: Fate[] = ['had happened', 'had not', 'left no trace']
    const kinds = [...this.#fates]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(
        ([kind, counts]) =>
          `  ${kind}: ${fates.map((fate) => `${counts.get(fate) ?? 0} ${fate}`).join(', ')}`,
      )
    return [
      `  found half-way at the kills: ${completing} completions (${joined} with their parts joined), ${purging} rows being purged, ${given_up} objects given up and not yet removed`,
      ...kinds,
    ].join('\n')
  }
}
