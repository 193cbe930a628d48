import { beforeAll, describe, expect, it } from 'vitest'
import { made } from '../support/answer.ts'
import { type Cost, meter } from '../support/meter.ts'
import { records } from '../support/records.ts'
import { roomy, seedHostileNames } from '../support/seed.ts'
import { signUp } from '../support/user.ts'

const { service, of } = meter(roomy)

/** A page looks at 1,000 names (three rows each) and asks of eight trigrams how rare they are (64 names each). */
const MOST_ROWS = 3 * 1_000 + 8 * (64 + 2) + 100

const player = await signUp('player', service)
const owners = [await signUp('a'), await signUp('b'), await signUp('ab')] as const
let seeded = 0

/** A page of a search, and what it cost. */
async function search(q: string, more = '', cursor: string | null = null) {
  let page = { names: [] as string[], next_cursor: null as string | null }
  const cost: Cost = await of(async () => {
    const path = `/game/public?q=${q}${more}${cursor ? `&cursor=${cursor}` : ''}`
    const { assets, next_cursor } = made(records.GameAssetPage, await player.get(path), 200)
    page = { names: assets.map(({ name }) => name), next_cursor }
  })
  return { ...page, cost }
}

const searches = [
  'a',
  'ab',
  'aaa',
  'bab',
  'abbaab',
  'aabbbaabbb',
  'a'.repeat(100),
  'b'.repeat(100),
  'a'.repeat(50) + 'b'.repeat(50),
  'aaabbb'.repeat(16),
  `${'a'.repeat(97)}001`,
]

describe.each([1_000, 100_000])('with %i public assets under hostile names', (size) => {
  beforeAll(async () => {
    const [one, two, three] = owners
    await seedHostileNames([one.id, two.id, three.id], seeded + 1, size)
    seeded = size
    // It seeds up to 100,000 assets, with their trigrams.
  }, 300_000)

  it.each(searches)('no page of a search for "%s" costs more than its bound', async (q) => {
    for (const more of ['', '&type=prop', '&limit=100', '&limit=1'])
      for (let page = 1, cursor: string | null = null; page <= 3; page++) {
        const { names, next_cursor, cost } = await search(q, more, cursor)
        console.log(
          `${size} hostile names, ${q}${more}, page ${page}: ${names.length} found, ${JSON.stringify(cost)}`,
        )
        expect(cost).toMatchObject({ trips: 1, rows_written: 0, r2_calls: 0 })
        expect(cost.rows_read).toBeLessThanOrEqual(MOST_ROWS)
        cursor = next_cursor
        if (cursor === null) break
      }
  })

  it('a search that finds nothing ends, in one page for each thousand names that it has to look at', async () => {
    let [pages, cursor]: [number, string | null] = [0, null]
    do {
      const { names, next_cursor } = await search('abbaab', '', cursor)
      expect(names).toEqual([])
      ;[pages, cursor] = [pages + 1, next_cursor]
    } while (cursor !== null)
    expect(pages).toBe(Math.ceil(Math.floor((size + 1) / 3) / 1_000))
  })
})

describe('the pages of a search among hostile names', () => {
  it('hold together each name that contains the text once, newest first, whatever their limits', async () => {
    for (const limits of [[100], [1, 100, 7, 50]]) {
      const names: string[] = []
      let [page, cursor]: [number, string | null] = [0, null]
      do {
        const found = await search('b0000', `&type=prop&limit=${limits[page % limits.length]}`, cursor)
        names.push(...found.names)
        ;[page, cursor] = [page + 1, found.next_cursor]
      } while (cursor !== null)
      const numbers = names.map((name) => Number(name.slice(-7)))
      // Every seventh is a prop; the names of those that don't leave 0 when divided by 3 end in b before their number.
      const expected = Array.from({ length: 999 }, (_, i) => 999 - i).filter(
        (n) => n % 7 === 0 && n % 3 === 1,
      )
      expect(numbers).toEqual(expected)
    }
  })
})
