/** Applies a migration through D1's import, when D1 splits its statements wrongly and refuses the file. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Migration } from '../migrations/files.ts'
import { ledgerEntry } from '../migrations/ledger.ts'
import type { RemoteDatabase, SchemaObject } from './remote-database.ts'
import { Stopped } from './step.ts'

/**
 * Imports a migration that comes after `before`. The import is one transaction, and its last statement records the migration
 * in d1_migrations: a database never has the one without the other, and a second import fails as a whole.
 *
 * @throws Stopped when the database already has a part of the migration
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
      `Nothing has been imported. Go back to before it (docs/going-back.md#a-migration-that-is-there-in-part), and run the command again.`,
    )
  const path = join(folder, 'import.sql')
  // D1 identifies an import by its digest. The timestamp makes each attempt a new import.
  const attempt = `-- ${migration.name}, imported by npm run deploy at ${new Date().toISOString()}\n`
  writeFileSync(path, `${attempt}${migration.sql}\n${ledgerEntry(migration.name)}\n`)
  let failure: unknown
  try {
    await database.importFile(path)
  } catch (error) {
    failure = error
  }
  // An import continues when its connection is lost, so only d1_migrations says how it ended.
  if ((await database.applied()).includes(migration.name)) return
  throw failure ?? new Error(`The import of ${migration.name} succeeded, and d1_migrations does not have it.`)
}

/** The names of the schema objects that show the effect of a migration already. */
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

/** A statement with its whitespace normalised, for comparison. */
const normal = (sql: unknown) => String(sql ?? '').replaceAll(/\s+/g, ' ')
