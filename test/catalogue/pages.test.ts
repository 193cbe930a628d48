import { base64url } from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'
import { Creator, signUpCreator } from '../support/creator.ts'
import { catalogueDatabase, startOver } from '../support/databases.ts'
import { tokenFor } from '../support/identities.ts'
import { seeded } from '../support/seeded.ts'
import { serviceWith } from '../support/service.ts'
import { type Asked, expectedOf, putEntries, queryOf, type Reader, type SeededEntry } from './entries.ts'

const sorts = ['published', 'updated', 'popular'] as const
const types = ['avatar', 'prop', 'world'] as const
const owners = ['ada', `bob"' OR ":prop" é`, 'eve'] as const

/** Few times and few favorites, so that many entries have the same; each fourth has what each 4,096th has in a large catalogue. */
function entriesOf(count: number): SeededEntry[] {
  const random = seeded(28)
  const few = (most: number) => Math.floor(random() * most)
  const oneOf = <One>(some: readonly [One, ...One[]]) => some[few(some.length)] ?? some[0]
  return Array.from({ length: count }, (_, i) => ({
    number: (i + 1) * 1_024,
    owner_id: oneOf(owners),
    type: oneOf(types),
    name: `${oneOf(['castle', 'cave', 'sand castle', 'tower'])} ${i}`,
    tags: ['horror', 'maze', 'co-op', 'a_b', '0', 'rare']
      .filter((tag) => random() < (tag === 'rare' ? 0.05 : 0.4))
      .flatMap((tag) => (tag === 'rare' ? [tag, 'found'] : tag)),
    // A few are of a time for which 31 bits are too few, counted from 1970.
    published_at: (few(10) === 0 ? 2 ** 31 - 6 : 1_800_000_000) + few(12),
    updated_at: (few(10) === 0 ? 2 ** 31 - 6 : 1_800_000_100) + few(12),
    favorites: few(4),
    rating: oneOf([null, null, 'everyone', 'teen', 'mature']),
  }))
}

const entries = entriesOf(120)
const visitor = await signUpCreator('visitor')

beforeAll(async () => {
  await startOver()
  await putEntries(entries)
})

/** The names of a list, page by page, with these limits in turn. */
async function walk(asked: Asked, limits: readonly number[], reader: Creator = visitor): Promise<string[]> {
  const found: string[] = []
  let cursor: string | null = null
  for (let page = 0; page === 0 || cursor !== null; page++) {
    const limit = limits[page % limits.length] ?? 1
    const after: string = cursor === null ? '' : `&cursor=${cursor}`
    const { assets, next_cursor }: Awaited<ReturnType<typeof visitor.assets>> = await reader.assets(
      `/public?${queryOf(asked)}&limit=${limit}${after}`,
    )
    expect(assets.length).toBeLessThanOrEqual(limit)
    found.push(...assets.map(({ name }) => name))
    cursor = next_cursor
  }
  return found
}

/** Bounds on ratings, of the list and of the reader's token. */
const bounds = ([undefined, 'everyone', 'teen', 'mature'] as const).flatMap((max_rating) =>
  ([undefined, 'everyone', 'teen', 'mature'] as const).map((of) => ({ max_rating, of })),
)

/** Every combination of the filters. */
function* filters(): Generator<Asked> {
  for (const type of [undefined, ...types.slice(1)])
    for (const tag of [undefined, ['rare'], ['maze', 'co-op'], ['a_b', '0', 'horror', 'maze', 'co-op']])
      for (const exclude_tag of [undefined, ['horror'], ['a_b', '0']])
        for (const owner_id of [undefined, owners[1]])
          yield {
            ...(type && { type }),
            ...(tag && { tag }),
            ...(exclude_tag && { exclude_tag }),
            ...(owner_id && { owner_id }),
          }
}

describe('GET /v1/game/public', () => {
  it.each(sorts)(
    'answers all that match a combination of filters, each once, in the order %s',
    async (sort) => {
      for (const [index, filter] of [...filters()].entries()) {
        // Each combination in one of the orders: each order meets every value of each filter.
        if ((index + Math.floor(index / 6)) % 3 !== sorts.indexOf(sort)) continue
        const asked = { ...filter, sort }
        const expected = expectedOf(entries, asked).map(({ name }) => name)
        const limits = index % 10 === 0 ? [1] : [7, 50, 3, 100]
        expect(await walk(asked, limits), queryOf(asked)).toEqual(expected)
      }
    },
    120_000,
  )

  it.each(['t', 'ca', 'cas', 'nd c', 'castle 1', 'nowhere'])(
    'answers all that match each combination of filters with q=%s, the last published first',
    async (q) => {
      for (const [index, filter] of [...filters()].entries()) {
        if (index % 3 !== q.length % 3) continue
        const asked = { ...filter, q }
        const expected = expectedOf(entries, asked).map(({ name }) => name)
        expect(await walk(asked, [5, 100, 1, 30]), queryOf(asked)).toEqual(expected)
      }
    },
    120_000,
  )

  it.each(['teen'] as const)(
    'leaves out what is above a bound where unrated assets count as %s, in each order, with and without other filters',
    { timeout: 120_000 },
    leavesOutAbove,
  )
  it.each(['everyone', 'mature'] as const)(
    'leaves out what is above a bound where unrated assets count as %s, in each order, with and without other filters',
    { timeout: 120_000, tags: 'release' },
    leavesOutAbove,
  )

  async function leavesOutAbove(unrated_as: 'everyone' | 'teen' | 'mature') {
    const service = serviceWith({ UNRATED_AS: unrated_as })
    const asks: Asked[] = [
      {},
      { sort: 'popular' },
      { sort: 'updated', type: 'prop' },
      { tag: ['maze'], exclude_tag: ['horror'] },
      { tag: ['rare'], sort: 'popular' },
      { owner_id: owners[1] },
      { q: 'cas' },
      { q: 'castle', tag: ['maze'] },
      { q: 't', exclude_tag: ['maze'] },
    ]
    for (const [index, { max_rating, of }] of bounds.entries()) {
      // Each second owner reads, too: an owner sees all of the own assets.
      const reader: Reader = {
        id: owners[index % 4] ?? 'visitor',
        unrated_as,
        ...(of && { max_rating: of }),
      }
      const token = await tokenFor(reader.id, of ? { max_rating: of } : {})
      for (const filter of asks) {
        const asked = { ...filter, ...(max_rating && { max_rating }) }
        const expected = expectedOf(entries, asked, reader).map(({ name }) => name)
        const found = await walk(asked, [7, 50, 3, 100], new Creator(reader.id, token, service))
        expect(found, `${queryOf(asked)} as ${JSON.stringify(reader)}`).toEqual(expected)
      }
    }
  }

  it.each([3, 50, 100])('answers every entry once with %i a page, in each order', async (limit) => {
    for (const sort of sorts) {
      const expected = expectedOf(entries, { sort }).map(({ name }) => name)
      expect(await walk({ sort }, [limit]), sort).toEqual(expected)
    }
  })

  it.each([{ tag: ['unused', 'horror'] }, { tag: ['rare'], exclude_tag: ['found'] }])(
    'ends a page of %j, which nothing matches, early and with a cursor',
    async (asked) => {
      // Each fourth entry ends the search for the next one.
      const first = await visitor.assets(`/public?${queryOf(asked)}&limit=2`)
      expect(first.assets).toEqual([])
      expect(first.next_cursor).toEqual(expect.any(String))
      expect(await walk(asked, [2])).toEqual([])
    },
  )

  it('leaves out what a hidden owner had made by then, and goes on after it', async () => {
    const database = catalogueDatabase
    const until = 1_800_000_005
    await database
      ?.prepare('INSERT INTO catalogue_hidden_owners (owner_id, until, hidden_at) VALUES (?, ?, ?)')
      .bind('eve', until, 1)
      .run()
    try {
      const rest = entries.filter(({ owner_id, published_at }) => owner_id !== 'eve' || published_at > until)
      expect(rest.length).toBeLessThan(entries.length)
      for (const asked of [
        {},
        { sort: 'popular' },
        { tag: ['horror', 'maze'] },
        { q: 'cas' },
        { q: 'c' },
      ] as Asked[])
        expect(await walk(asked, [4, 9])).toEqual(expectedOf(rest, asked).map(({ name }) => name))
    } finally {
      await database?.prepare('DELETE FROM catalogue_hidden_owners').run()
    }
  })

  it.each([
    ['tag=', '/tag'],
    ['tag=Horror', '/tag'],
    ['tag=a%20b', '/tag'],
    ['tag=%22', '/tag'],
    [`tag=${'x'.repeat(33)}`, '/tag'],
    ['tag=a&tag=B', '/tag'],
    ['tag=a&tag=b&tag=c&tag=d&tag=e&tag=f', '/tag'],
    ['exclude_tag=%2A', '/exclude_tag'],
    ['exclude_tag=a&exclude_tag=b&exclude_tag=c&exclude_tag=d&exclude_tag=e&exclude_tag=f', '/exclude_tag'],
    ['owner_id=', '/owner_id'],
    ['owner_id=..', '/owner_id'],
    [`owner_id=${'x'.repeat(129)}`, '/owner_id'],
    ['owner_id=a&owner_id=b', '/owner_id'],
    ['sort=', '/sort'],
    ['sort=newest', '/sort'],
    ['sort=popular&sort=updated', '/sort'],
    ['q=castle&sort=popular', 'A search with q is in the order published'],
    ['q=c&sort=updated', 'A search with q is in the order published'],
  ])('refuses %s', async (query, text) => {
    expect(await visitor.get(`/game/public?${query}`)).toBeProblem(400, 'VALIDATION_FAILED', text)
  })

  it('takes five tags of each kind, and a search in the order published', async () => {
    const five = ['a', 'b', 'c', 'd', 'e'].map((tag) => `tag=${tag}&exclude_tag=x${tag}`).join('&')
    expect((await visitor.assets(`/public?${five}`)).assets).toEqual([])
    expect((await visitor.assets('/public?q=castle&sort=published')).assets.length).toBeGreaterThan(0)
  })

  it('refuses the cursor of a list with other parameters, and one with a forged position', async () => {
    const lists: Asked[] = [
      {},
      { sort: 'updated' },
      { sort: 'popular' },
      { type: 'world' },
      { tag: ['horror'] },
      { exclude_tag: ['horror'] },
      { tag: ['horror', 'maze'] },
      { tag: ['horror'], exclude_tag: ['maze'] },
      { owner_id: 'ada' },
      { q: 'c' },
      { q: 'cas' },
      { q: 'cas', tag: ['horror'] },
    ]
    const cursors = await Promise.all(
      lists.map(
        async (asked) => (await visitor.assets(`/public?${queryOf(asked)}&limit=2`)).next_cursor ?? '',
      ),
    )
    for (const [index, asked] of lists.entries()) {
      const [list, ...position]: unknown[] = JSON.parse(
        new TextDecoder().decode(base64url.decode(cursors[index] ?? '')),
      )
      expect(position).toHaveLength(2)
      const forged = ['', '-1', 'x', '1.5', '9223372036854775808', '1'.repeat(30), 7, null, {}].map((key) =>
        base64url.encode(JSON.stringify([list, key, position[1]])),
      )
      for (const cursor of [...forged, ...cursors.filter((_, other) => other !== index)])
        expect(await visitor.get(`/game/public?${queryOf(asked)}&limit=2&cursor=${cursor}`)).toBeProblem(
          400,
          'INVALID_CURSOR',
        )
      const greatest = base64url.encode(JSON.stringify([list, '9223372036854775807', '']))
      const { assets } = await visitor.assets(`/public?${queryOf(asked)}&cursor=${greatest}`)
      expect(assets).toEqual((await visitor.assets(`/public?${queryOf(asked)}`)).assets)
    }
  })
})

describe('an asset in the catalogue', () => {
  it('is found by its type, its tags and its owner, as it is now', async () => {
    const ada = await signUpCreator('ada')
    const isFound = async (query: string) =>
      (await visitor.assets(`/public?owner_id=${ada.id}&${query}`)).assets.length === 1
    const asset = await ada.emptyAsset('keep', {
      type: 'prop',
      visibility: 'public',
      tags: ['horror', 'maze'],
    })
    for (const sort of sorts) {
      for (const query of [
        '',
        'type=prop',
        'tag=horror',
        'tag=maze&tag=horror',
        'exclude_tag=fun',
        'tag=maze&tag=maze',
      ])
        expect(await isFound(`${query}&sort=${sort}`), query).toBe(true)
      for (const query of [
        'type=world',
        'tag=hor',
        'tag=horror&tag=fun',
        'exclude_tag=maze',
        'tag=maze&exclude_tag=maze',
      ])
        expect(await isFound(`${query}&sort=${sort}`), query).toBe(false)
    }
    expect((await ada.editAsset(asset, { tags: ['fun'] })).status).toBe(200)
    expect([await isFound('tag=fun'), await isFound('tag=horror')]).toEqual([true, false])
    expect((await ada.editAsset(asset, { listed: false })).status).toBe(200)
    expect([await isFound('tag=fun'), await isFound('q=keep')]).toEqual([false, false])
    expect((await ada.editAsset(asset, { listed: true })).status).toBe(200)
    expect([await isFound('tag=fun'), await isFound('q=keep')]).toEqual([true, true])
  })

  it('is shown with the members of every list', async () => {
    const ada = await signUpCreator('ada')
    const declared = { visibility: 'public', tags: ['z', 'a'], description: 'long', metadata: { level: 3 } }
    const { description, metadata, ...summary } = await ada.emptyAsset('shown', declared)
    expect([description, metadata]).toEqual(['long', { level: 3 }])
    for (const query of ['', '&sort=updated', '&sort=popular', '&q=s', '&q=shown'])
      expect((await visitor.assets(`/public?owner_id=${ada.id}${query}`)).assets).toEqual([summary])
  })
})
