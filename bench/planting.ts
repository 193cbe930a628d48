import { unstable_splitSqlQuery as statementsOf } from 'wrangler'
import { project } from '../scripts/development.ts'
import { migrationsIn } from '../scripts/migrations/files.ts'
import { layOutOf } from '../scripts/partition-layout.ts'
import { NO_PARTS } from '../src/features/quota/kinds.ts'
import { partitionNumber, partitionOf } from '../src/platform/db/id.ts'
import type { Database } from './serve.ts'

/** How many rows one statement inserts. D1 ends a statement after 30 seconds. */
const SLICE = 20_000

/** Applies all migrations to a new database. */
export async function migrate(database: Database): Promise<void> {
  for (const { sql } of migrationsIn(`${project}migrations`))
    for (const statement of statementsOf(sql)) await database.prepare(statement).run()
}

/** Assigns the partitions to new, migrated databases: partition p to database p % databases.length. */
export async function layOut(databases: Database[]): Promise<void> {
  for (const [index, database] of databases.entries())
    for (const statement of layOutOf(index, databases.length)) await database.prepare(statement).run()
}

/** The first user id `name-0`, `name-1`, … whose home is the database at index `place` of `count`. */
export function userIn(place: number, count: number, name: string): string {
  let number = 0
  while (partitionNumber(`${name}-${number}`) % count !== place) number++
  return `${name}-${number}`
}

/** Inserts the usage row of a user, with limits that no bench reaches. */
export async function openAccount(database: Database, user: string): Promise<void> {
  await database
    .prepare(
      `INSERT INTO usage (user_id, default_limit_bytes, max_items, max_assets, max_public_assets, max_versions,
        max_open_uploads, max_ended_uploads, max_idempotency_keys, partition, parts)
      VALUES (?1, 1e15, 1e9, 1e9, 1e9, 1e9, 1e9, 1e9, 1e9, ?2, '${NO_PARTS}') ON CONFLICT (user_id) DO NOTHING`,
    )
    .bind(user, partitionOf(user))
    .run()
}

/** Executes `insert` in slices over the rows `n (i)`, with `i` from `from` up to, not including, `to`. */
export async function insertNumbered(
  database: Database,
  { from, to }: { from: number; to: number },
  insert: string,
): Promise<void> {
  const statement = database.prepare(
    `WITH RECURSIVE n (i) AS (SELECT CAST(?1 AS INTEGER) UNION ALL SELECT i + 1 FROM n WHERE i < ?2 - 1) ${insert}`,
  )
  for (let first = from; first < to; first += SLICE)
    await statement.bind(first, Math.min(first + SLICE, to)).run()
}

/**
 * SQL: inserts entries of the catalogue for the rows of a SELECT, as src/features/catalogue/entries.ts writes them for names without
 * capitals. The SELECT has id, owner_id, type, name, tags, published_at, updated_at and favorites.
 */
export function insertEntries(select: string): string {
  return `INSERT INTO catalogue_entries (id, revision, recounts, owner_id, type, name, search_name, tags, current_version,
      created_at, published_at, updated_at, favorites, facets, initials)
    SELECT id, 1, 0, owner_id, type, name, name, tags, 1, published_at, published_at, updated_at, favorites,
      ' :' || type || coalesce((SELECT group_concat(' #' || value, '') FROM json_each(tags)), '') || ' @' || hex(owner_id) || ' ',
      '=' || hex(substr(name, 1, 1)) || ' =' || hex(substr(name, 1, 2))
    FROM (${select})`
}

/** The timestamp of number 0 in ids of numbered rows: 48 bits, in milliseconds. */
const BEGINNING = 0x0190_0000_0000
const KIND = 0xabc

/** SQL of the id of a user's numbered row. Ids sort by number; `kind` distinguishes the tables of one user. */
export function idSql(n: string, owner: string, kind = 0): string {
  return `printf('%08x-%04x-7${KIND.toString(16)}-9${partitionOf(owner)}-%04x%08x', (${BEGINNING} + (${n})) / 65536,
    (${BEGINNING} + (${n})) % 65536, ${kind}, ${n})`
}

/** The id that `idSql` computes. */
export function idOf(n: number, owner: string, kind = 0): string {
  const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0')
  const time = hex(BEGINNING + n, 12)
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(KIND, 3)}-9${partitionOf(owner)}-${hex(kind, 4)}${hex(n, 8)}`
}
