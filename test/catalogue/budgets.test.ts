import { beforeAll, describe, expect, inject, it } from 'vitest'
import { made } from '../support/answer.ts'
import { startOver } from '../support/databases.ts'
import { type Cost, meter } from '../support/meter.ts'
import { records } from '../support/records.ts'
import { seedEntries } from '../support/seed-entries.ts'
import { signUp } from '../support/user.ts'

const { service, of } = meter()
const visitor = await signUp('visitor', service)

/** Half of the entries have the tag "even" and half "odd"; a tenth are of "tenth", each hundredth of one owner. */
const columns = {
  id: `printf('entry %010d', i)`,
  owner_id: `'owner ' || (i % 100)`,
  type: `CASE i % 3 WHEN 0 THEN 'world' WHEN 1 THEN 'avatar' ELSE 'prop' END`,
  name: `'castle ' || i`,
  tags: `json_array('all', iif(i % 2 = 0, 'even', 'odd'), iif(i % 10 = 0, 'tenth', 'others'), iif(i % 9973 = 0, 'rare', 'common'))`,
  published_at: '1700000000 + i / 3',
  updated_at: '1700000000 + (i * 7919) % 1000003',
  favorites: 'iif(i % 10 = 0, i % 1000, 0)',
}

const filters = [
  '',
  '&type=world',
  '&tag=even',
  '&exclude_tag=even',
  '&tag=even&tag=tenth',
  '&tag=all&exclude_tag=odd',
  '&type=prop&tag=odd&exclude_tag=tenth',
  '&owner_id=owner%207',
  '&owner_id=owner%207&tag=odd&type=world',
  '&tag=even&tag=odd',
  '&tag=odd&exclude_tag=all',
  '&exclude_tag=all',
  '&tag=nowhere',
  '&tag=nowhere&tag=all',
]

let seeded = 0

/** PROVE_AMOUNT=1000000 npx vitest run --project workers --testTimeout 600000 test/catalogue/budgets.test.ts */
const MANY = inject('proof').amount || 100_000

describe.each([1_000, MANY])('with %i entries', (size) => {
  beforeAll(
    async () => {
      if (seeded === 0) await startOver()
      await seedEntries(columns, { from: seeded + 1, to: size })
      seeded = size
    },
    Math.max(120_000, MANY),
  )

  it.each(['published', 'updated', 'popular'])(
    'a page in the order %s costs one trip and 2n + 10 rows at most, whatever the filters',
    async (sort) => {
      for (const filter of filters)
        for (const limit of [1, 50, 100]) {
          const query = `sort=${sort}${filter}&limit=${limit}`
          const first = await pageOf(query)
          const pages = [first]
          if (first.next_cursor !== null) pages.push(await pageOf(`${query}&cursor=${first.next_cursor}`))
          for (const { cost } of pages) {
            expect(cost, query).toMatchObject({ trips: 1, rows_written: 0, r2_calls: 0 })
            expect(cost.rows_read, query).toBeLessThanOrEqual(2 * limit + 10)
          }
        }
    },
  )

  it.each(['c', 'ca'])('a page of names that begin with "%s" costs as much', async (q) => {
    for (const filter of filters)
      for (const limit of [1, 50, 100]) {
        const { cost } = await pageOf(`q=${q}${filter}&limit=${limit}`)
        expect(cost, filter).toMatchObject({ trips: 1, rows_written: 0 })
        expect(cost.rows_read, filter).toBeLessThanOrEqual(2 * limit + 10)
      }
  })

  it('a walk through what nobody has takes one page for each 4,096 × n entries, and ends', async () => {
    let [pages, cursor]: [number, string | null] = [0, null]
    do {
      const after: string = cursor === null ? '' : `&cursor=${cursor}`
      const { found, next_cursor } = await pageOf(`tag=even&tag=odd&limit=2${after}`)
      expect(found).toBe(0)
      ;[pages, cursor] = [pages + 1, next_cursor]
    } while (cursor !== null)
    expect(pages).toBe(Math.max(1, Math.ceil(Math.floor(size / 4_096) / 2)))
  })

  it.each([
    ['tag=even&tag=odd', 0],
    ['tag=all&tag=rare&exclude_tag=odd', Math.floor(size / 9_973 / 2)],
  ])(
    'a page of %s compares 32,768 entries at most, however long it may be, and the walk finds all',
    async (query, all) => {
      let [pages, found, cursor]: [number, number, string | null] = [0, 0, null]
      do {
        const page = await pageOf(`${query}&limit=100${cursor === null ? '' : `&cursor=${cursor}`}`)
        ;[pages, found, cursor] = [pages + 1, found + page.found, page.next_cursor]
      } while (cursor !== null)
      expect(found).toBe(all)
      expect(pages).toBe(1 + Math.floor(size / 32_768))
    },
  )
})

/** A page of the catalogue, and its cost. */
async function pageOf(query: string) {
  let page = { found: 0, next_cursor: null as string | null }
  const cost: Cost = await of(async () => {
    const answer = await visitor.get(`/game/public?${query}`)
    const { assets, next_cursor } = made(records.GameAssetPage, answer, 200)
    page = { found: assets.length, next_cursor }
  })
  return { ...page, cost }
}
