/** Whether the remote D1 takes the migrations: what `npm run check -- migrations` looks for. */
import { DatabaseSync } from 'node:sqlite'
import type { Migration } from './files.ts'
import { ledgerEntry } from './ledger.ts'
import { splitAsD1, wordsOf } from './splitter.ts'

/** The longest statement that D1 takes, in bytes. */
const MAX_STATEMENT_BYTES = 100_000

const SEVERAL = 'D1 takes several of its statements for one, and executes the first'

/** What is wrong with migrations, a line each. They are taken in the order that is given. */
export function problemsOf(migrations: readonly Migration[]): string[] {
  return [...problemsOfNames(migrations), ...problemsOfText(migrations)]
}

function problemsOfNames(migrations: readonly Migration[]): string[] {
  return migrations.flatMap(({ name }, index) => {
    const [, number] = /^(\d{4})_[a-z0-9_]+\.sql$/.exec(name) ?? []
    if (number === undefined) return [`${name}: a name is four digits, _, what it is about, .sql`]
    const before = migrations.slice(0, index).find((one) => one.name.startsWith(`${number}_`))
    return before ? [`${name}: ${before.name} has the same number`] : []
  })
}

/** Applies them to two databases: statement by statement as D1 splits them, and each whole as SQLite reads it. */
function problemsOfText(migrations: readonly Migration[]): string[] {
  const split = withLedger()
  const whole = withLedger()
  for (const { name, sql } of migrations) {
    const known = new Set(
      whole
        .prepare('SELECT sql FROM sqlite_schema')
        .all()
        .map((row) => row.sql),
    )
    const problem =
      (sql.includes('\r') ? 'a line ends with CR: D1 takes lines that end with LF only' : undefined) ??
      whyNotWhole(whole, name, sql) ??
      triggersOf(whole)
        .filter((trigger) => !known.has(trigger))
        .map(whyNotTrigger)
        .find((reason) => reason !== undefined) ??
      whyNotSplit(split, name, sql) ??
      (JSON.stringify(contentOf(split)) === JSON.stringify(contentOf(whole)) ? undefined : SEVERAL)
    // Each migration needs the ones before it, so what follows one with a problem says nothing.
    if (problem !== undefined) return [`${name}: ${problem}`]
  }
  return []
}

/** A database with the table in which wrangler notes what it has applied. */
function withLedger(): DatabaseSync {
  const database = new DatabaseSync(':memory:')
  database.exec('CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY, name TEXT UNIQUE)')
  return database
}

function whyNotWhole(database: DatabaseSync, name: string, sql: string): string | undefined {
  try {
    database.exec(`${sql}\n${ledgerEntry(name)}`)
    return undefined
  } catch (error) {
    return `SQLite refuses it: ${messageOf(error)}`
  }
}

function whyNotSplit(database: DatabaseSync, name: string, sql: string): string | undefined {
  for (const statement of splitAsD1(`${sql}\n${ledgerEntry(name)}`)) {
    if (Buffer.byteLength(statement) > MAX_STATEMENT_BYTES)
      return `a statement has more than ${MAX_STATEMENT_BYTES} bytes: ${beginningOf(statement)}`
    // Rows are not compared, and the tables of a new database have none.
    if (wordsOf(statement).includes(';') && !isTrigger(statement))
      return `${SEVERAL}: ${beginningOf(statement)}`
    try {
      database.prepare(statement).run()
    } catch (error) {
      return `as D1 splits it, a statement is refused: ${messageOf(error)}: ${beginningOf(statement)}`
    }
  }
  return undefined
}

/** Why D1 may split a trigger wrongly. Stricter than the splitter, whose rules are known by reports only. */
function whyNotTrigger(trigger: string): string | undefined {
  const words = wordsOf(trigger)
  const [, name = ''] = /TRIGGER\s+(?:IF NOT EXISTS\s+)?(\w+)/i.exec(words) ?? []
  if (/\bCASE\b/i.test(words)) return `${name} has a CASE, whose END closes a trigger on D1: write iif()`
  const lower = words.match(/\b(BEGIN|END)\b/gi)?.find((word) => word !== word.toUpperCase())
  return lower === undefined ? undefined : `${name} has "${lower}": D1 knows BEGIN and END in upper case`
}

const isTrigger = (statement: string) => /^\s*CREATE\s+(TEMP\w*\s+)?TRIGGER\b/i.test(wordsOf(statement))

function triggersOf(database: DatabaseSync): string[] {
  const triggers = database.prepare(`SELECT sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY rowid`)
  return triggers.all().map(({ sql }) => String(sql))
}

/** The objects of a database, and which migrations it has. */
function contentOf(database: DatabaseSync): unknown[] {
  return [
    ...database.prepare('SELECT type, name, sql FROM sqlite_schema ORDER BY type, name').all(),
    ...database.prepare('SELECT name FROM d1_migrations ORDER BY name').all(),
  ]
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

const beginningOf = (statement: string) => statement.replaceAll(/\s+/g, ' ').slice(0, 80)
