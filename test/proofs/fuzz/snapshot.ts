import { env, runInDurableObject } from 'cloudflare:test'
import { hasTables } from '../../../src/platform/lib/durable-object.ts'
import { databaseNames, everyDatabase } from '../../support/databases.ts'
import { inboxOf } from '../../support/device.ts'
import type { Person } from './people.ts'

export type Row = Record<string, string | number | null>

/** Everything that is stored: the rows of each table of the database by their keys, everybody's inbox and saves, the bucket. */
export type Snapshot = Map<string, Map<string, Row>>

/** A cell, or a whole row, that is not what it was. */
export interface Change {
  table: string
  key: string
  /** `row` when it came or went. */
  column: string
  before: unknown
  after: unknown
}

interface Table {
  name: string
  keys: string[]
}

let known: Promise<Table[]> | undefined

/**
 * The tables of the service with their keys; those behind the search for names hold nothing of their own, and where partitions
 * are is no request’s to change.
 */
async function readTables(): Promise<Table[]> {
  const { results } = await env.DB.prepare(
    `SELECT tables.name AS name, columns.name AS key FROM sqlite_master AS tables
      JOIN pragma_table_info(tables.name) AS columns ON columns.pk > 0
    WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite%' AND tables.name NOT LIKE '\\_cf%' ESCAPE '\\'
      AND tables.name NOT LIKE 'd1\\_%' ESCAPE '\\' AND tables.name <> 'partitions' AND tables.name NOT LIKE 'catalogue\\_by\\_%' ESCAPE '\\' AND tables.name NOT LIKE 'catalogue\\_names%' ESCAPE '\\'
    ORDER BY tables.name, columns.pk`,
  ).all<{ name: string; key: string }>()
  return [...Map.groupBy(results, ({ name }) => name)].map(([name, columns]) => ({
    name,
    keys: columns.map(({ key }) => key),
  }))
}

/** What is not in the database: it is looked at less often. */
export type Elsewhere = 'inbox' | 'saves' | 'objects'

/** What is stored now; what is not in the database and not asked for is as it was in the earlier snapshot. */
export async function takeSnapshot(
  people: Person[],
  earlier?: Snapshot,
  asked: Elsewhere[] = ['inbox', 'saves', 'objects'],
): Promise<Snapshot> {
  known ??= readTables()
  const tables = await known
  const kept = (what: Elsewhere) => (asked.includes(what) ? undefined : earlier?.get(what))
  const [databases, inbox, saves, objects] = await Promise.all([
    Promise.all(
      everyDatabase.map((database) =>
        database.batch<Row>(tables.map(({ name }) => database.prepare(`SELECT * FROM ${name}`))),
      ),
    ),
    kept('inbox') ?? readInboxes(people),
    kept('saves') ?? readSaves(people),
    kept('objects') ?? readObjects(),
  ])
  const snapshot: Snapshot = new Map()
  for (const [index, { name, keys }] of tables.entries()) {
    const rows = databases.flatMap((results, place) =>
      (results[index]?.results ?? [])
        .filter((row) => name !== 'usage' || isAccount(row))
        .map((row): [string, Row] => [keyOf(row, keys, place), row]),
    )
    snapshot.set(name, new Map(rows))
  }
  snapshot.set('inbox', inbox).set('saves', saves).set('objects', objects)
  return snapshot
}

/** What tells a row from all others: what is in one database has its id, of anything else each may have one of its own. */
function keyOf(row: Row, keys: string[], place: number): string {
  const key = keys.map((column) => row[column]).join(' ')
  return place === 0 || keys.join() === 'id' ? key : `${key} in ${databaseNames[place]}`
}

async function readInboxes(people: Person[]): Promise<Map<string, Row>> {
  const inboxes = await Promise.all(
    people.map(({ user }) => inboxOf(user).list({ limit: 10_000, offset: 0 })),
  )
  const inbox = new Map<string, Row>()
  for (const [index, { notifications, seq, total, unread }] of inboxes.entries()) {
    const user_id = people[index]?.user.id ?? ''
    inbox.set(user_id, { user_id, seq, total, unread })
    for (const { id, type, data, state, created_at } of notifications)
      inbox.set(id, { user_id, id, type, state, created_at, data: JSON.stringify(data) })
  }
  return inbox
}

/** Each revision that somebody has, with its bytes as text. */
async function readSaves(people: Person[]): Promise<Map<string, Row>> {
  const all = await Promise.all(people.map(({ user }) => readSavesOf(user.id)))
  return new Map(all.flat())
}

function readSavesOf(user_id: string): Promise<[string, Row][]> {
  return runInDurableObject(env.SAVES.getByName(user_id), (_, { storage }) => {
    if (!hasTables(storage)) return []
    const rows = storage.sql.exec<Row & { bytes: ArrayBuffer }>(
      'SELECT slot, revision, is_kept, deleted_at, size_bytes, device, label, bytes FROM revisions',
    )
    return rows.toArray().map(({ bytes, ...row }) => {
      const content = new TextDecoder().decode(bytes)
      return [`${user_id} ${row.slot} ${row.revision}`, { user_id, ...row, content }]
    })
  })
}

async function readObjects(): Promise<Map<string, Row>> {
  const { objects } = await env.BUCKET.list()
  const content = objects.filter(({ key }) => !/^(\.pairing|erased\/)/.test(key))
  return new Map(content.map(({ key, size, etag }) => [key, { size, etag }]))
}

/** An account that counts nothing and has no limit of its own is the same as none: whoever asks is told so. */
function isAccount({ used_bytes, items, assets, open_uploads, favorites, mutes, limit_bytes }: Row): boolean {
  return (
    limit_bytes !== null ||
    [used_bytes, items, assets, open_uploads, favorites, mutes].some((count) => count !== 0)
  )
}

/** What has changed from one to the other. */
export function changesBetween(before: Snapshot, after: Snapshot): Change[] {
  const changes: Change[] = []
  for (const [table, rows] of after) {
    const old = before.get(table) ?? new Map<string, Row>()
    for (const key of new Set([...old.keys(), ...rows.keys()])) {
      const [one, other] = [old.get(key), rows.get(key)]
      if (!one || !other) changes.push({ table, key, column: 'row', before: one, after: other })
      else
        for (const column of Object.keys(other))
          if (one[column] !== other[column])
            changes.push({ table, key, column, before: one[column], after: other[column] })
    }
  }
  return changes
}

/** The rows of one table. */
export function rowsOf(snapshot: Snapshot, table: string): Row[] {
  return [...(snapshot.get(table)?.values() ?? [])]
}

/** Takes away everything that earlier rounds have stored; their inboxes are of people who don't come back. */
export async function emptyStores(): Promise<void> {
  const statements = [
    'UPDATE game_assets SET deleted_at = coalesce(deleted_at, 1), purging = 1',
    ...['asset_variants', 'asset_versions', 'game_assets', 'shares', 'files', 'uploads', 'usage'].map(
      (table) => `DELETE FROM ${table}`,
    ),
    ...[
      'garbage',
      'idempotency',
      'erasures',
      'paused_owners',
      'bucket_pairing',
      'share_hints',
      'branch_hints',
      'outbox',
      'announcements',
      'recalls',
      'recall_reports',
      'audit',
      'favorites',
      'favorite_counts',
      'favorite_recounts',
      'mutes',
      'mute_lists',
      'catalogue_marks',
      'catalogue_entries',
      'catalogue_hidden_owners',
    ].map((table) => `DELETE FROM ${table}`),
  ]
  for (const database of everyDatabase)
    await database.batch(statements.map((statement) => database.prepare(statement)))
  const { objects } = await env.BUCKET.list()
  await env.BUCKET.delete(objects.map(({ key }) => key))
}
