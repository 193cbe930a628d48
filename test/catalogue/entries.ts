import { type GameAssetType, newId } from '../support/exposed.ts'
import { seedEntries } from '../support/seed-entries.ts'

/** An entry of the catalogue. */
export interface SeededEntry {
  number: number
  owner_id: string
  type: GameAssetType
  /** In small letters. */
  name: string
  tags: readonly string[]
  published_at: number
  updated_at: number
  favorites: number
  rating?: 'everyone' | 'teen' | 'mature' | null
}

/** Puts these entries straight into the catalogue. */
export async function putEntries(entries: readonly SeededEntry[]): Promise<void> {
  const rows = entries.map((entry) => ({
    ...entry,
    id: newId(entry.owner_id),
    tags: JSON.stringify(entry.tags),
  }))
  const of = (name: keyof SeededEntry | 'id') => `?3 ->> ('$[' || i || '].${name}')`
  await seedEntries(
    {
      number: of('number'),
      id: of('id'),
      owner_id: of('owner_id'),
      type: of('type'),
      name: of('name'),
      tags: of('tags'),
      published_at: of('published_at'),
      updated_at: of('updated_at'),
      favorites: of('favorites'),
      rating: of('rating'),
    },
    { from: 0, to: rows.length - 1, values: [JSON.stringify(rows)] },
  )
}

/** What a list of the catalogue is asked for. */
export interface Asked {
  type?: GameAssetType
  tag?: readonly string[]
  exclude_tag?: readonly string[]
  owner_id?: string
  q?: string
  max_rating?: 'everyone' | 'teen' | 'mature'
  sort?: 'published' | 'updated' | 'popular'
}

/** The query of a list, without limit and cursor. */
export function queryOf({ tag = [], exclude_tag = [], ...others }: Asked): string {
  const query = new URLSearchParams(others)
  for (const one of tag) query.append('tag', one)
  for (const one of exclude_tag) query.append('exclude_tag', one)
  return query.toString()
}

/** Who reads: a player whose token has this `max_rating`. An asset without a rating counts as `unrated_as`. */
export interface Reader {
  id: string
  max_rating?: SeededEntry['rating']
  unrated_as?: SeededEntry['rating']
}

const LEVELS = ['everyone', 'teen', 'mature']

/** The entries of a list, in its order, found without the service: each is looked at. */
export function expectedOf(
  entries: readonly SeededEntry[],
  { type, tag = [], exclude_tag = [], owner_id, q, max_rating, sort = 'published' }: Asked,
  reader: Reader = { id: '' },
): SeededEntry[] {
  const isWithin = (entry: SeededEntry, bound: SeededEntry['rating']) =>
    LEVELS.indexOf(entry.rating ?? reader.unrated_as ?? 'everyone') <= LEVELS.indexOf(bound ?? 'mature')
  const keyOf = (entry: SeededEntry) =>
    sort === 'popular' ? Math.trunc(16 * Math.log2(1 + entry.favorites)) : entry[`${sort}_at`]
  const isFound = (entry: SeededEntry) =>
    (type === undefined || entry.type === type) &&
    (owner_id === undefined || entry.owner_id === owner_id) &&
    tag.every((one) => entry.tags.includes(one)) &&
    !exclude_tag.some((one) => entry.tags.includes(one)) &&
    isWithin(entry, max_rating) &&
    (entry.owner_id === reader.id || isWithin(entry, reader.max_rating)) &&
    (q === undefined || (q.length < 3 ? entry.name.startsWith(q) : entry.name.includes(q)))
  return entries.filter(isFound).sort((one, other) => keyOf(other) - keyOf(one) || other.number - one.number)
}
