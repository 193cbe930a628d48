import { type City, cities, roundTripMs } from './cities.ts'
import type { Sample, Scenario } from './scenarios.ts'

/** The samples of a request from one city. Those of a request follow each other in the order of the cities. */
export interface Measured {
  scenario: Scenario
  city: City
  /** Without replicas. */
  alone: Sample[]
  near: Sample[]
}

/** What a read from the farthest city may take of the primary's time (docs/performance.md#from-far-away), and what counts as as slow. */
const [READ_RATIO, TOLERANCE] = [0.15, 0.005]

/** A row for each request: the ratios of median and 99th percentile from each city, as one when they are the same. */
export function table(all: Measured[]): string {
  const rows = [...Map.groupBy(all, ({ scenario }) => scenario.title)].map(([title, there]) => [
    title,
    ...there.map((measured) => {
      const { median, p99 } = ratiosOf(measured)
      return [...new Set([median.toFixed(2), p99.toFixed(2)])].join(', ')
    }),
  ])
  const trips = cities.map((city) => `${roundTripMs(city, 'Frankfurt').toFixed(0)} ms`)
  return [
    ['request', ...cities],
    ['---', ...cities.map(() => '---')],
    ['a trip to the primary', ...trips],
    ...rows,
  ]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')
}

/** What the samples say beside the table, a line each, and how many reads were stale. */
export function verdict(all: Measured[]): { lines: string[]; stale: number } {
  const near = all.flatMap(({ scenario, near }) => near.map((sample) => ({ kind: scenario.kind, ...sample })))
  const own = near.filter(({ kind }) => kind === 'own write')
  const others = near.filter(({ kind }) => kind === "another device's write")
  const stale = own.filter(({ isStale }) => isStale).length
  const behind_ms = others.flatMap(({ isStale, since_ms = 0 }) => (isStale ? [since_ms] : []))
  const failed = near.filter(({ isFailed }) => isFailed).length
  const reads = all.filter(({ city, scenario }) => city === 'Sydney' && scenario.kind === 'read')
  const distant = reads.filter((measured) => ratiosOf(measured).median > READ_RATIO)
  const slower = all.filter((measured) => ratiosOf(measured).p99 > 1 + TOLERANCE)
  return {
    stale,
    lines: [
      `Stale reads, which lack a write of the same device: ${stale} of ${own.length}.`,
      `Reads that lack a write of another device: ${behind_ms.length} of ${others.length}. The oldest of these writes was ${seconds(Math.max(0, ...behind_ms))} old.`,
      `Requests without an answer, or with an error: ${failed} of ${near.length}.`,
      `Reads from Sydney that take more than ${READ_RATIO} of the primary's time in the median: ${distant.length} of ${reads.length}${titlesOf(distant)}.`,
      `Requests from a city that are slower at the 99th percentile than without replicas: ${slower.length} of ${all.length}${titlesOf(slower)}.`,
    ],
  }
}

/** The titles, each with the cities where it is so. */
function titlesOf(some: Measured[]): string {
  const byTitle = Map.groupBy(some, ({ scenario }) => scenario.title)
  const named = [...byTitle].map(
    ([title, there]) => `\n  ${title} (${there.map(({ city }) => city).join(', ')})`,
  )
  return named.length > 0 ? `:${named.join('')}` : ''
}

const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`

/** The time with replicas divided by the time without. */
function ratiosOf({ alone, near }: Measured): { median: number; p99: number } {
  const ratio = (part: number) => quantile(near, part) / quantile(alone, part)
  return { median: ratio(0.5), p99: ratio(0.99) }
}

function quantile(samples: Sample[], part: number): number {
  const sorted = samples.map(({ ms }) => ms).sort((one, other) => one - other)
  return sorted[Math.ceil(part * sorted.length) - 1] ?? Number.NaN
}
