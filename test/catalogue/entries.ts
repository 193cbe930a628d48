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
  sort?: 'published' | 'updated' | 'popular'
}

/** The query of a list, without limit and cursor. */
export function queryOf({ tag = [], exclude_tag = [], ...others }: Asked): string {
  const query = new URLSearchParams(others)
  for (const one of tag) query.append('tag', one)
  for (const one of exclude_tag) query.append('exclude_tag', one)
  return query.toString()
}

/** The entries of a list, in its order, found without the service: each is looked at. */
export function expectedOf(
  entries: readonly SeededEntry[],
  { type, tag = [], exclude_tag = [], owner_id, q, sort = 'published' }: Asked,
): SeededEntry[] {
  const keyOf = (entry: SeededEntry) =>
    sort === 'popular' ? Math.trunc(16 * Math.log2(1 + entry.favorites)) : entry[`${sort}_at`]
  const isFound = (entry: SeededEntry) =>
    (type === undefined || entry.type === type) &&
    (owner_id === undefined || entry.owner_id === owner_id) &&
    tag.every((one) => entry.tags.includes(one)) &&
    !exclude_tag.some((one) => entry.tags.includes(one)) &&
    (q === undefined || (q.length < 3 ? entry.name.startsWith(q) : entry.name.includes(q)))
  return entries.filter(isFound).sort((one, other) => keyOf(other) - keyOf(one) || other.number - one.number)
}
