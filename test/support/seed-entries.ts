import { env } from 'cloudflare:test'
import { catalogueDatabase } from './databases.ts'

/** What a SELECT of rows to seed has for each of these columns. */
export type Seeded = Record<
  'id' | 'owner_id' | 'type' | 'name' | 'tags' | 'published_at' | 'updated_at' | 'favorites',
  string
> & {
  /** The next one, if it is left out. */
  number?: string
  /** None, if it is left out. */
  rating?: string
}

/** The SQL of an entry’s other columns, as src/features/catalogue/entries.ts has them for names without capitals. */
const INSERT = `INSERT INTO catalogue_entries (number, id, revision, recounts, owner_id, type, name, search_name, tags, current_version,
  created_at, published_at, updated_at, favorites, rating, facets, initials)
  SELECT number, id, 1, 0, owner_id, type, name, name, tags, 0, published_at, published_at, updated_at, favorites, rating,
    ' :' || type || coalesce(' :' || rating, '') || coalesce((SELECT group_concat(' #' || value, '') FROM json_each(tags)), '') || ' @' || hex(owner_id) || ' ',
    '=' || hex(substr(name, 1, 1)) || ' =' || hex(substr(name, 1, 2))`

/**
 * What triggers add to the full-text tables of entries with numbers above the parameter, for many entries at once: the triggers are
 * a third as fast.
 */
export const addToSorts = [
  adding('catalogue_by_published', 'published_at - 1577836800', 'facets', 'facets || stop || initials'),
  adding('catalogue_by_updated', 'updated_at - 1577836800', 'facets', 'facets || stop'),
  adding('catalogue_by_popular', 'popularity', 'facets', 'facets || stop'),
  adding('catalogue_names', 'published_at - 1577836800', 'search_name', 'search_name'),
]

function adding(table: string, key: string, column: string, text: string): string {
  return `INSERT INTO ${table} (rowid, ${column})
    SELECT (${key} << 32) | number, ${text} FROM catalogue_entries WHERE removed_at IS NULL AND number > ?`
}

/** Of these entries each 4,096th is one at which pages stop, where the service leaves it to chance. */
const REGULAR_STOPS = `UPDATE catalogue_entries SET chance = number & 4095
  WHERE number > ? AND (chance = 0) <> (number & 4095 = 0)`

/** How many rows one statement inserts, so that D1 ends none of them. */
const SLICE = 50_000

/**
 * Puts entries of the catalogue straight into its database, one for each number `i` from `from` to `to`. `columns` is SQL over `i`,
 * with `values` as ?3 and so on.
 */
export async function seedEntries(
  columns: Seeded,
  { from, to, values = [] }: { from: number; to: number; values?: unknown[] },
): Promise<void> {
  const select = Object.entries({ number: 'NULL', rating: 'NULL', ...columns }).map(
    ([name, sql]) => `${sql} AS ${name}`,
  )
  const insert = `${INSERT} FROM (
    WITH RECURSIVE n (i) AS (SELECT CAST(?1 AS INTEGER) UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
    SELECT ${select.join(', ')} FROM n)`
  const database = catalogueDatabase ?? env.DB
  const trigger = 'catalogue_entries_after_insert_add'
  const found = await database
    .prepare('SELECT sql FROM sqlite_schema WHERE name = ?')
    .bind(trigger)
    .first<string>('sql')
  await database.prepare(`DROP TRIGGER ${trigger}`).run()
  for (let first = from; first <= to; first += SLICE) {
    const last =
      (await database.prepare('SELECT max(number) AS last FROM catalogue_entries').first<number>('last')) ?? 0
    await database
      .prepare(insert)
      .bind(first, Math.min(first + SLICE - 1, to), ...values)
      .run()
    await database.prepare(REGULAR_STOPS).bind(last).run()
    for (const add of addToSorts) await database.prepare(add).bind(last).run()
  }
  await database.prepare(found ?? '').run()
}
