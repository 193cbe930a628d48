/** The second way for a migration: the import, for a file that D1 refuses because it splits it wrongly. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Migration } from '../migrations/files.ts'
import { ledgerEntry } from '../migrations/ledger.ts'
import type { RemoteDatabase, SchemaObject } from './remote-database.ts'
import { Stopped } from './step.ts'

/**
 * Imports a migration that comes after `before`. Its note is the last statement of the import, which is one transaction: a
 * database never has the migration without the note, and a second import of it fails as a whole.
 *
 * @throws Stopped when the refused request, or somebody by hand, has left a part of the migration
 * @throws Error when the import fails
 */
export async function importMigration(
  database: Pick<RemoteDatabase, 'schema' | 'applied' | 'importFile'>,
  { migration, before, folder }: { migration: Migration; before: readonly Migration[]; folder: string },
): Promise<void> {
  const parts = await partsIn(await database.schema(), migration, before)
  if (parts.length > 0)
    throw new Stopped(
      `${migration.name} is not noted as applied, and the database has a part of it: ${parts.join(', ')}.`,
      `Nothing has been imported. Go back to before it (docs/going-back.md, "A migration that is there in part"), and run the command again.`,
    )
  const path = join(folder, 'import.sql')
  // D1 knows an import by its digest. The time makes each attempt one of its own.
  const attempt = `-- ${migration.name}, imported by npm run deploy at ${new Date().toISOString()}\n`
  writeFileSync(path, `${attempt}${migration.sql}\n${ledgerEntry(migration.name)}\n`)
  let failure: unknown
  try {
    await database.importFile(path)
  } catch (error) {
    failure = error
  }
  // The import goes on when the connection to it is lost, so only the note says how it ended.
  if ((await database.applied()).includes(migration.name)) return
  throw failure ?? new Error(`The import of ${migration.name} succeeded, and d1_migrations does not have it.`)
}

/** What a database has already of what a migration creates and changes. */
async function partsIn(
  objects: readonly SchemaObject[],
  migration: Migration,
  before: readonly Migration[],
): Promise<string[]> {
  const { DatabaseSync } = await import('node:sqlite')
  const replayed = new DatabaseSync(':memory:')
  const schema = () =>
    new Map(
      replayed
        .prepare('SELECT type, name, sql FROM sqlite_schema')
        .all()
        .map(({ type, name, sql }) => [`${type} ${name}`, normal(sql)]),
    )
  for (const { sql } of before) replayed.exec(sql)
  const old = schema()
  replayed.exec(migration.sql)
  const remote = new Map(objects.map(({ type, name, sql }) => [`${type} ${name}`, normal(sql)]))
  const created = [...schema()].filter(([name]) => !old.has(name) && remote.has(name))
  const changed = [...schema()].filter(
    ([name, sql]) => old.has(name) && old.get(name) !== sql && remote.get(name) !== old.get(name),
  )
  const removed = [...old].filter(([name]) => !schema().has(name) && !remote.has(name))
  return [...created, ...changed, ...removed].map(([name]) => name)
}

/** A statement with single spaces: how it was sent does not matter. */
const normal = (sql: unknown) => String(sql ?? '').replaceAll(/\s+/g, ' ')
