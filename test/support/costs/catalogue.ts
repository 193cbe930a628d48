import { z } from '@hono/zod-openapi'
import { boundedTo } from '../creator.ts'
import { seedHostileNames } from '../seed.ts'
import { seedEntries } from '../seed-entries.ts'
import { signUp, type User } from '../user.ts'
import { type Budget, type Measuring, measurePages } from './measure.ts'

/**
 * Half of the entries have the tag "even" and half "odd"; a tenth are of "tenth", each hundredth of one owner. A fifth have each rating,
 * and the rest none.
 */
const columns = {
  id: `printf('entry %010d', i)`,
  owner_id: `'owner ' || (i % 100)`,
  type: `CASE i % 3 WHEN 0 THEN 'world' WHEN 1 THEN 'avatar' ELSE 'prop' END`,
  name: `'castle ' || i`,
  tags: `json_array('all', iif(i % 2 = 0, 'even', 'odd'), iif(i % 10 = 0, 'tenth', 'others'), iif(i % 9973 = 0, 'rare', 'common'))`,
  published_at: '1700000000 + i / 3',
  updated_at: '1700000000 + (i * 7919) % 1000003',
  favorites: 'iif(i % 10 = 0, i % 1000, 0)',
  rating: `CASE i % 5 WHEN 0 THEN 'everyone' WHEN 1 THEN 'teen' WHEN 2 THEN 'mature' END`,
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

const FEW_FILTERS = ['', '&type=world', '&tag=even&tag=tenth', '&owner_id=owner%207', '&tag=even&tag=odd']

const Page = z.object({ assets: z.array(z.unknown()), next_cursor: z.string().nullable() })

/** Sends the requests of all pages. Returns how many pages there are, and what they have. */
async function walk(visitor: User, query: string): Promise<{ pages: number; found: number }> {
  let [pages, found, cursor]: [number, number, string | null] = [0, 0, '']
  do {
    const after: string = cursor && `&cursor=${cursor}`
    const page = Page.parse((await visitor.get(`/game/public?${query}${after}`)).body)
    ;[pages, found, cursor] = [pages + 1, found + page.assets.length, page.next_cursor]
  } while (cursor !== null)
  return { pages, found }
}

/** A walk of one trip a page. Fails unless it finds so many entries on so many pages. */
async function measureWalk(
  { sum }: Measuring,
  request: string,
  visitor: User,
  query: string,
  of: object,
): Promise<void> {
  await sum(
    `walk through ${request}`,
    async () => {
      const walked = await walk(visitor, query)
      if (JSON.stringify(walked) !== JSON.stringify(of))
        throw new Error(`"${request}" is ${JSON.stringify(walked)}, not ${JSON.stringify(of)}`)
    },
    { grows: true },
  )
}

/** Measures pages of a catalogue of `to` entries, of which those before `from` are there. A page is one trip and 2n + 10 rows at most. */
export async function measureCatalogue(costs: Measuring, from: number, to: number): Promise<void> {
  const visitor = await signUp('visitor', costs.service)
  await seedEntries(columns, { from, to })
  // Where facets are combined, a page meets up to eight stops (docs/catalogue.md), each a row, which are fewer in a small catalogue.
  const list = (limit: number): Budget => ({
    trips: 1,
    rows_read: 2 * limit + 10,
    rows_written: 0,
    r2_calls: 0,
    grows: true,
  })
  const queries = ['published', 'updated', 'popular'].map((sort) => [`sort=${sort}`, `in the order ${sort}`])
  const named = ['c', 'ca'].map((q) => [`q=${q}`, 'whose names begin so'])
  for (const [query, title] of [...queries, ...named])
    for (const filter of filters)
      for (const limit of [1, 50, 100]) {
        const path = `/game/public?${query}${filter}&limit=${limit}`
        await measurePages(costs, `catalogue: ${title}, by any filter`, visitor, path, list(limit))
      }
  for (const unrated_as of ['everyone', 'mature']) {
    const service = costs.differently({ UNRATED_AS: unrated_as })
    const readers = [visitor.through(service), await boundedTo(visitor, 'teen', service)]
    for (const [query, title] of queries)
      for (const filter of FEW_FILTERS)
        for (const reader of readers)
          for (const limit of [1, 100]) {
            const path = `/game/public?${query}${filter}&max_rating=everyone&limit=${limit}`
            const name = `catalogue: ${title}, with a bound on ratings`
            await measurePages(costs, name, reader, path, list(limit))
          }
  }
  const none = 'tag=even&tag=odd'
  const pages = Math.max(1, Math.ceil(Math.floor(to / 4_096) / 2))
  await measureWalk(costs, 'what nobody has, 4,096 × 2 entries a page', visitor, `${none}&limit=2`, {
    pages,
    found: 0,
  })
  const large = 1 + Math.floor(to / 32_768)
  await measureWalk(costs, 'what nobody has, 32,768 entries a page', visitor, `${none}&limit=100`, {
    pages: large,
    found: 0,
  })
  const rare = 'tag=all&tag=rare&exclude_tag=odd&limit=100'
  const found = Math.floor(to / 9_973 / 2)
  await measureWalk(costs, 'what is rare, 32,768 entries a page', visitor, rare, { pages: large, found })
}

/** Searches among hostile names, which have three of the letters a and b in each trigram. */
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

/** A page looks at 1,000 names (three rows each) and asks of eight trigrams how rare they are (64 names each). */
const MOST_ROWS = 3 * 1_000 + 8 * (64 + 2) + 100

/** Measures searches among hostile names of three owners, numbered up to `to`, of which those before `from` are there. */
export async function measureSearches(
  costs: Measuring,
  owners: [string, string, string],
  from: number,
  to: number,
) {
  const visitor = await signUp('visitor', costs.service)
  await seedHostileNames(owners, from, to)
  const bound: Budget = { trips: 1, rows_read: MOST_ROWS, rows_written: 0, r2_calls: 0, grows: true }
  for (const q of searches)
    for (const more of ['', '&type=prop', '&limit=100', '&limit=1']) {
      const title = q.length > 10 ? 'a long text' : q
      await measurePages(
        costs,
        `search among hostile names: ${title}`,
        visitor,
        `/game/public?q=${q}${more}`,
        bound,
      )
    }
  const pages = Math.ceil(Math.floor((to + 1) / 3) / 1_000)
  await measureWalk(costs, 'a search that finds nothing, 1,000 names a page', visitor, 'q=abbaab', {
    pages,
    found: 0,
  })
}
