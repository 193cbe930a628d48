import { beforeAll, describe, expect, it } from 'vitest'
import { signUpCreator } from '../support/creator.ts'
import { startOver } from '../support/databases.ts'
import { type Asked, expectedOf, putEntries, queryOf, type SeededEntry } from './entries.ts'

/** Names of which all have the trigrams of "castle", and few the tags and the owner that are searched for. */
const entries: SeededEntry[] = Array.from({ length: 2_600 }, (_, i) => ({
  number: i + 1,
  owner_id: i % 100 === 7 ? 'ada' : 'bob',
  type: i % 2 === 0 ? 'world' : 'prop',
  name: i % 400 === 3 ? `castle ${i}` : `cas ast stl tle ${i}`,
  tags: i % 400 === 3 && i > 1_000 ? ['horror', 'maze'] : ['horror'],
  published_at: 1_800_000_000 + Math.floor(i / 3),
  updated_at: 1_800_000_000,
  favorites: 0,
}))

const visitor = await signUpCreator('visitor')

beforeAll(async () => {
  await startOver()
  await putEntries(entries)
})

/** The names that a search finds, and how many pages it takes. */
async function search(asked: Asked, limit: number) {
  const found: string[] = []
  let [pages, cursor]: [number, string | null] = [0, null]
  do {
    const after: string = cursor === null ? '' : `&cursor=${cursor}`
    const page: Awaited<ReturnType<typeof visitor.assets>> = await visitor.assets(
      `/public?${queryOf(asked)}&limit=${limit}${after}`,
    )
    found.push(...page.assets.map(({ name }) => name))
    ;[pages, cursor] = [pages + 1, page.next_cursor]
  } while (cursor !== null)
  return { found, pages }
}

describe('a search among names that have the trigrams of the text', () => {
  const searches: Asked[] = [
    { q: 'castle' },
    { q: 'castle', tag: ['maze'] },
    { q: 'castle', tag: ['horror', 'maze'], type: 'prop' },
    { q: 'castle', exclude_tag: ['maze'] },
    { q: 'castle', owner_id: 'bob', exclude_tag: ['horror'] },
    { q: 'cas', owner_id: 'ada' },
    { q: 'stl', tag: ['maze'], owner_id: 'bob' },
    { q: 'cas ast', type: 'world', owner_id: 'ada', tag: ['horror'], exclude_tag: ['maze', 'unused'] },
  ]

  it.each(searches)('finds each name that contains it once, with the filters of %j', async (asked) => {
    const expected = expectedOf(entries, asked).map(({ name }) => name)
    for (const limit of [1, 7, 100]) expect((await search(asked, limit)).found).toEqual(expected)
  })

  it('answers short and empty pages, each of which has compared a thousand names', async () => {
    const { found, pages } = await search({ q: 'castle', tag: ['unused'] }, 100)
    expect({ found, pages }).toEqual({ found: [], pages: 3 })
  })
})
