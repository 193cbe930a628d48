import { expect } from 'vitest'
import { catalogueDatabase, countOf, everywhere, isMoving } from './databases.ts'

/*
 * The oracle of the catalogue: what its tables should have, from the rows of the assets alone, and without the service's statements.
 */

interface Asset {
  id: string
  owner_id: string
  revision: number
  type: string
  name: string
  search_name: string
  tags: string
  preview_key: string | null
  preview_width: number | null
  preview_height: number | null
  current_version: number
  created_at: number
  public_since: number | null
  updated_at: number
  favorites: number
  rating: string | null
  /** Of the current version's own content; null: all. */
  platform: string | null
  /** The platforms of its variants, a JSON array. */
  variants: string
}

interface Entry {
  stop: string
  id: string
  shown: string | null
  positions: string
  is_hidden: 0 | 1
}

/** The tables of the sorts and of the names, each with what its rowids begin with, in SQL over an entry. */
const TABLES = {
  catalogue_by_published: 'published_at - 1577836800',
  catalogue_by_updated: 'updated_at - 1577836800',
  catalogue_by_popular: 'popularity',
  catalogue_names: 'published_at - 1577836800',
} as const

/** Columns of an asset as its entry has them, as a text that can be compared. A recount to the same number leaves the entry as it is. */
function shownOf(asset: Asset): string {
  const published_at = asset.public_since ?? asset.created_at
  const popularity = Math.floor(16 * Math.log2(1 + asset.favorites) + 1e-9)
  return JSON.stringify([
    asset.revision,
    asset.owner_id,
    asset.type,
    asset.name,
    asset.search_name,
    asset.tags,
    asset.preview_key,
    asset.preview_width,
    asset.preview_height,
    asset.current_version,
    asset.created_at,
    published_at,
    asset.updated_at,
    asset.favorites,
    popularity,
    asset.rating,
  ])
}

const SHOWN = `json_array(revision, owner_id, type, name, search_name, tags, preview_key, preview_width, preview_height,
  current_version, created_at, published_at, updated_at, favorites, popularity, rating)`

const IS_HIDDEN = `EXISTS (SELECT 1 FROM catalogue_hidden_owners AS hidden
  WHERE hidden.owner_id = catalogue_entries.owner_id AND created_at <= until)`

const POSITIONS = Object.values(TABLES).map((column) => `CAST((${column} << 32) | number AS TEXT)`)

/** The terms of an asset in each of TABLES, sorted. */
function termsOf(
  { type, rating, tags, owner_id, search_name, platform, variants }: Asset,
  { stop }: Entry,
): string[] {
  const list: string[] = JSON.parse(tags)
  const facets = [`:${type}`, ...list.map((tag) => `#${tag}`), `@${hex(owner_id)}`]
  if (rating !== null) facets.push(`:${rating}`)
  if (stop !== '') facets.push(':stop')
  const others: string[] = JSON.parse(variants)
  if (platform !== null) facets.push(':only', ...[platform, ...others].map((one) => `:for:${one}`))
  const letters = [...search_name]
  const initials = [1, 2].map((length) => `=${hex(letters.slice(0, length).join(''))}`)
  const trigrams = letters.slice(2).map((_, at) => letters.slice(at, at + 3).join(''))
  const joined = (terms: string[]) => [...new Set(terms)].sort().join('\n')
  return [joined([...facets, ...initials]), joined(facets), joined(facets), joined(trigrams)]
}

function hex(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** What differs between the catalogue and the assets, where no mark waits and no owner is hidden. */
export async function catalogueFaults(): Promise<string[]> {
  const marked = await everywhere<{ id: string }>('SELECT asset_id AS id FROM catalogue_marks')
  const waiting = new Set(marked.map(({ id }) => id))
  const assets = await everywhere<Asset>(
    `SELECT id, owner_id, revision - unseen_changes AS revision, type, name, search_name, tags, preview_key, preview_width, preview_height, served AS current_version,
      created_at, public_since, updated_at, favorites, rating,
      (SELECT platform FROM asset_versions WHERE asset_id = asset.id AND version = served) AS platform,
      (SELECT json_group_array(platform) FROM asset_variants WHERE asset_id = asset.id AND version = served) AS variants
     FROM (SELECT *, coalesce((SELECT version FROM asset_channels WHERE asset_id = game_assets.id AND channel = 'live'), current_version) AS served
       FROM game_assets) AS asset
     WHERE visibility = 'public' AND listed = 1 AND unlisted = 0 AND blocked = 0 AND deleted_at IS NULL
       AND created_at > coalesce((SELECT until FROM erasures WHERE user_id = owner_id AND is_guest = 0), -1)`,
  )
  const all = await catalogueDatabase
    .prepare(
      `SELECT stop, id, iif(removed_at IS NULL, ${SHOWN}, NULL) AS shown, json_array(${POSITIONS.join()}) AS positions,
        ${IS_HIDDEN} AS is_hidden FROM catalogue_entries`,
    )
    .all<Entry>()
  const entries = new Map(all.results.map((entry) => [entry.id, entry]))
  const faults: string[] = []
  const terms = await Promise.all(Object.keys(TABLES).map(termsIn))
  const shown = new Set<string>()
  for (const asset of assets) {
    if (waiting.has(asset.id)) continue
    shown.add(asset.id)
    const entry = entries.get(asset.id)
    if (entry?.is_hidden) continue
    if (entry?.shown !== shownOf(asset)) {
      faults.push(
        `${asset.id}: ${entry?.shown ?? (entry ? 'removed' : 'missing')} instead of ${shownOf(asset)}`,
      )
      continue
    }
    const positions: string[] = JSON.parse(entry.positions)
    for (const [index, expected] of termsOf(asset, entry).entries()) {
      const found = terms[index]?.get(positions[index] ?? '') ?? ''
      if (found !== expected)
        faults.push(`${asset.id}: ${Object.keys(TABLES)[index]} has ${found} instead of ${expected}`)
    }
  }
  for (const entry of all.results)
    if (entry.shown !== null && !entry.is_hidden && !shown.has(entry.id) && !waiting.has(entry.id))
      faults.push(`${entry.id}: is shown, and is none that may be`)
  return [...faults, ...(await strayPositions(terms))]
}

/** The terms of each position of a full-text table, sorted. */
async function termsIn(table: string): Promise<Map<string, string>> {
  const vocabulary = `${table}_test`
  const [, answer] = await catalogueDatabase.batch<{ position: string; terms: string }>([
    catalogueDatabase.prepare(`CREATE VIRTUAL TABLE ${vocabulary} USING fts5vocab (${table}, instance)`),
    catalogueDatabase.prepare(
      `SELECT position, group_concat(term, char(10)) AS terms FROM
        (SELECT DISTINCT CAST(doc AS TEXT) AS position, term FROM ${vocabulary} ORDER BY term) GROUP BY position`,
    ),
    catalogueDatabase.prepare(`DROP TABLE ${vocabulary}`),
  ])
  return new Map(
    answer?.results.map(({ position, terms }) => [position, terms.split('\n').sort().join('\n')]),
  )
}

/** Positions in full-text tables of no entry that is shown. */
async function strayPositions(terms: Map<string, string>[]): Promise<string[]> {
  const { results } = await catalogueDatabase
    .prepare(
      `SELECT json_array(${POSITIONS.join()}) AS positions FROM catalogue_entries WHERE removed_at IS NULL`,
    )
    .all<{ positions: string }>()
  const lists = results.map(({ positions }): string[] => JSON.parse(positions))
  return Object.keys(TABLES).flatMap((table, index) => {
    const known = new Set(lists.map((positions) => positions[index]))
    const found = [...(terms[index]?.keys() ?? [])].filter((position) => !known.has(position))
    return found.map((position) => `${table} has ${position}, which is of no entry`)
  })
}

/** The invariant of the catalogue while nothing runs: its tables are what the assets say, except for assets whose mark waits. */
export async function expectCatalogue(): Promise<void> {
  if (await isMoving()) return
  expect(await catalogueFaults(), 'what the catalogue has differently').toEqual([])
}

/** The invariant after the job has finished: no mark waits, either. */
export async function expectCatalogueDone(): Promise<void> {
  expect(await countOf('catalogue_marks')).toBe(0)
  await expectCatalogue()
}

/** Which of these assets pages show, although their rows say that they are not in the catalogue. */
export async function isShownAnywhere(ids: readonly string[]): Promise<string[]> {
  const there = await everywhere<{ id: string }>(
    `SELECT id FROM game_assets WHERE is_in_catalogue = 1 AND id IN (SELECT value FROM json_each(?))`,
    JSON.stringify(ids),
  )
  return (await shownIds(ids)).filter((id) => !there.some((asset) => asset.id === id))
}

/** Which of these assets pages show. */
export async function shownIds(ids: readonly string[]): Promise<string[]> {
  const { results } = await catalogueDatabase
    .prepare(
      `SELECT id FROM catalogue_entries WHERE removed_at IS NULL AND NOT ${IS_HIDDEN}
        AND id IN (SELECT value FROM json_each(?))`,
    )
    .bind(JSON.stringify(ids))
    .all<{ id: string }>()
  return results.map(({ id }) => id)
}
