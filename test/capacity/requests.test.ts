import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest'
import written from '../../scripts/capacity/requests.json?raw'
import several from '../../scripts/capacity/trips.json?raw'
import { measureAssets } from '../support/costs/assets.ts'
import { measureCatalogue, measureSearches } from '../support/costs/catalogue.ts'
import { measureDay } from '../support/costs/day.ts'
import { measureEnd } from '../support/costs/end.ts'
import { measureFiles, measureFull } from '../support/costs/files.ts'
import { measureInbox } from '../support/costs/inbox.ts'
import { measuredRoutes, measuring } from '../support/costs/measure.ts'
import { measureMutes } from '../support/costs/mutes.ts'
import { measureOperators } from '../support/costs/operators.ts'
import { measurePictures } from '../support/costs/pictures.ts'
import { measureSafety } from '../support/costs/safety.ts'
import {
  differences,
  growing,
  othersThan,
  type Prices,
  rowOf,
  type Table,
  textOf,
} from '../support/costs/table.ts'
import { measureUploads } from '../support/costs/uploads.ts'
import { FEW, MANY, type World, worldOf } from '../support/costs/world.ts'
import { databaseNames, startOver } from '../support/databases.ts'
import { newNamedId } from '../support/ids.ts'
import { roomy } from '../support/seed.ts'

/**
 * What every request costs, under the default configuration with roomy limits, at two sizes: the larger one before a release.
 * `npm run measure` writes the table anew. `npm run capacity` computes with its first part.
 *
 * PROVE_AMOUNT=1000000 npx vitest run --project workers test/capacity/requests.test.ts measures the catalogue alone, of that size.
 */
const AMOUNT = inject('proof').amount
const COMMAND = 'If that is meant, write the table anew: npm run measure'

const costs = await measuring({
  ...roomy,
  MAX_VERSIONS_PER_ASSET: '1000000',
  MAX_NOTIFICATIONS: '1000000',
  CONTENT_GRACE_DAYS: '7', // the default, which other tests set to 0
})

/** A player's day and rare requests, which docs/performance.md shows; then everything else. */
const parts: Record<'requests' | 'cases', [few: Prices, many: Prices]> = {
  requests: [new Map(), new Map()],
  cases: [new Map(), new Map()],
}
const [requests, requestsOfMany] = parts.requests
const [cases, casesOfMany] = parts.cases

/** The same day where there are 1,000 of everything. */
const later: Prices = new Map()

/** What ended a part of the measuring: an answer with another status, a walk of other pages. */
const failures: string[] = []

/** It makes 100,000 of everything. */
const SEEDING_MS = Math.max(1_200_000, AMOUNT)

/** Measures one thing after another. What fails keeps nothing else from being measured. */
async function measureAll(into: Prices, ...works: (() => Promise<void>)[]): Promise<void> {
  for (const work of works) await work().catch((error: unknown) => failures.push(String(error)))
  for (const [request, measured] of costs.take()) into.set(request, measured)
}

/** What there is more of in a larger world, then what costs the same in each. */
const growingCases = [
  measureFiles,
  measureAssets,
  measureFull,
  measureUploads,
  measureInbox,
  measureMutes,
  measureSafety,
]
const otherCases = [measurePictures, measureOperators]

const casesOf = (measures: typeof growingCases, world: World) =>
  measures.map((measure) => () => measure(costs, world))

/** The owners of hostile names. */
const owners: [string, string, string] = [newNamedId('a'), newNamedId('b'), newNamedId('ab')]

let began: Promise<void> | undefined
/** Measures the smaller size, once. */
function measureFewOnce(): Promise<void> {
  began ??= measureFew()
  return began
}

async function measureFew(): Promise<void> {
  if (AMOUNT > 0) return
  const day = await worldOf(costs, 0)
  await measureAll(requests, () => measureDay(costs, day))
  const world = await worldOf(costs, FEW)
  await measureAll(cases, ...casesOf([...growingCases, ...otherCases], world), () => measureEnd(costs, world))
  await startOver()
  await worldOf(costs, 0)
  const much = await worldOf(costs, FEW)
  await measureAll(later, () => measureDay(costs, much))
  await startOver()
  await measureAll(cases, () => measureCatalogue(costs, 1, FEW))
  await startOver()
  await measureAll(cases, () => measureSearches(costs, owners, 1, FEW))
}

afterAll(() => void vi.restoreAllMocks()) // the clock of toNextSecond

describe('in a world of 1,000', () => {
  beforeAll(measureFewOnce, SEEDING_MS)

  holds()
})

describe('in a world of 100,000', { tags: ['release'] }, () => {
  beforeAll(async () => {
    await measureFewOnce()
    if (AMOUNT === 0) await measureAll(casesOfMany, () => measureSearches(costs, owners, FEW + 1, MANY))
    await startOver()
    await measureAll(casesOfMany, () => measureCatalogue(costs, 1, AMOUNT || MANY))
    if (AMOUNT > 0) return
    const world = await worldOf(costs, MANY)
    await measureAll(casesOfMany, ...casesOf(growingCases, world))
    await measureAll(requestsOfMany, () => measureDay(costs, world))
    await measureAll(casesOfMany, () => measureEnd(costs, world))
  }, SEEDING_MS)

  holds({ isWhole: true })
})

/** What all requests keep that have been measured until then. */
function holds({ isWhole = false } = {}): void {
  it.skipIf(AMOUNT > 0 && !isWhole)('each request that is measured is answered as it should be', () => {
    expect(failures.join('\n')).toBe('')
  })

  it.skipIf(AMOUNT > 0 && !isWhole)('each request is within its budget', () => {
    const all = Object.values(parts).flatMap((sizes) => sizes.flatMap((prices) => [...prices]))
    expect(all.length).toBeGreaterThan(0)
    const over = all.flatMap(([request, measured]) => measured.over.map((line) => `"${request}": ${line}`))
    expect(over.join('\n')).toBe('')
  })

  it.skipIf(databaseNames.length > 1)(
    'a request costs the same where there is much more, unless its budget says that it grows',
    () => {
      const grown = Object.values(parts).flatMap(([few, many]) => growing(few, many))
      grown.push(...growing(requests, later))
      expect(grown.join('\n')).toBe('')
    },
  )

  it.skipIf(AMOUNT > 0)('each route has a request in the table', () => {
    const all = Object.values(parts).flatMap((sizes) => sizes.flatMap((prices) => [...prices.values()]))
    expect([...measuredRoutes].filter((route) => !all.some((measured) => measured.route === route))).toEqual(
      [],
    )
  })

  it.skipIf(AMOUNT > 0 || (!isWhole && databaseNames.length > 1))(
    'each request costs what the table says',
    async () => {
      const table: Table = JSON.parse(written)
      const now: Table = {}
      for (const [part, [few, many]] of Object.entries(parts))
        now[part] = Object.fromEntries(
          [...new Map([...few, ...many, ...few])].map(([request, one]) => [
            request,
            isWhole ? rowOf(one, many.get(request)) : { ...table[part]?.[request], ...rowOf(one) },
          ]),
        )
      if (!isWhole) {
        const lines = differences(table, now)
        if (lines.length > 0) throw otherFigures('requests', lines)
      } else if (databaseNames.length === 1) await compare('requests', table, now)
      else await compare('trips', JSON.parse(several), othersThan(table, now))
    },
  )
}

/** Compares the table, or writes it anew: two tests would write into one file at once. */
async function compare(name: string, before: Table, now: Table): Promise<void> {
  try {
    if (failures.length > 0) throw new Error('a table without some requests is not written')
    await expect(textOf(now)).toMatchFileSnapshot(`../../scripts/capacity/${name}.json`)
  } catch {
    throw otherFigures(name, differences(before, now))
  }
}

const otherFigures = (name: string, lines: string[]) =>
  new Error([`scripts/capacity/${name}.json has other figures:`, ...lines, COMMAND].join('\n'))
