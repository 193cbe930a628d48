/**
 * The SQL of a copy of a D1 database, read in pages while the service runs. `wrangler d1 export` refuses a database with
 * full-text tables (workers-sdk issue 6305), and was seen to lock one (9519).
 */

/** Executes one SELECT or PRAGMA. Returns its rows. */
export type Query = (sql: string) => Promise<Record<string, unknown>[]>

/** What a dump has so far. */
export interface Progress {
  table: string
  rows: number
}

/** Rows of a page. */
const PAGE = 500

/** D1 executes no longer statement (https://developers.cloudflare.com/d1/platform/limits/). */
const MOST_BYTES = 100_000

interface SchemaObject {
  type: string
  name: string
  table: string
  sql: string
}

/**
 * Yields the statements: tables with their rows, then indexes, full-text tables and triggers, so that no trigger sees the rows.
 * The rows are of different moments. Rows whose foreign key leads nowhere for this reason are removed at the end. Full-text
 * tables stay empty, and so do the tables whose triggers fill them: `npm run catalogue -- rebuild` writes these.
 *
 * @throws Error when a row is too long for a statement of D1
 */
export async function* dumpOf(
  query: Query,
  onProgress: (progress: Progress) => void,
): AsyncGenerator<string> {
  const objects = (
    await query('SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE sql IS NOT NULL')
  ).map(({ type, name, tbl_name, sql }) => ({
    type: String(type),
    name: String(name),
    table: String(tbl_name),
    sql: String(sql),
  }))
  const kinds = new Map((await query('PRAGMA table_list')).map((row) => [String(row.name), row]))
  const isOwn = (name: string) => !/^(sqlite_|_cf_)/.test(name)
  const tables = objects.filter(
    ({ type, name }) => type === 'table' && isOwn(name) && kinds.get(name)?.type === 'table',
  )
  const virtual = objects.filter(({ name }) => kinds.get(name)?.type === 'virtual')
  const others = (kind: string) => objects.filter(({ type, table }) => type === kind && isOwn(table))
  const triggers = others('trigger')

  yield 'PRAGMA defer_foreign_keys = ON'
  for (const { sql } of tables) yield sql
  for (const { name } of tables) {
    const isDerived = triggers.some(({ table, sql }) => table === name && namesOneOf(virtual, sql))
    let rows = 0
    if (!isDerived)
      for await (const row of rowsOf(query, name, kinds.get(name)?.wr === 1)) {
        yield row
        rows++
      }
    onProgress({ table: name, rows })
  }
  for (const { name } of tables)
    yield* removalsOf(await query(`PRAGMA foreign_key_list(${quoted(name)})`), name)
  for (const { sql } of [...others('index'), ...virtual, ...others('view'), ...triggers]) yield sql
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`

const namesOneOf = (objects: SchemaObject[], sql: string) =>
  objects.some(({ name }) => new RegExp(`\\b${name}\\b`).test(sql))

/** The INSERT of each row of a table, in the order of its key. SQLite itself writes the values, so that they stay exact. */
async function* rowsOf(query: Query, table: string, isWithoutRowid: boolean): AsyncGenerator<string> {
  const columns = (await query(`PRAGMA table_xinfo(${quoted(table)})`)).filter(({ hidden }) => hidden === 0)
  const names = columns.map(({ name }) => quoted(String(name)))
  const ofKey = columns.filter(({ pk }) => Number(pk) > 0).sort((a, b) => Number(a.pk) - Number(b.pk))
  const key = isWithoutRowid ? ofKey.map(({ name }) => quoted(String(name))) : ['rowid']
  const values = [
    ...names.map((name, i) => `quote(${name}) AS v${i}`),
    ...key.map((name, i) => `quote(${name}) AS k${i}`),
  ]
  const list = key.join(', ')
  for (let after: string | undefined; ; ) {
    const where = after === undefined ? '' : `WHERE (${list}) > (${after}) `
    const page = await query(
      `SELECT ${values.join(', ')} FROM ${quoted(table)} ${where}ORDER BY ${list} LIMIT ${PAGE}`,
    )
    for (const row of page) {
      const literals = names.map((_, i) => row[`v${i}`]).join(',')
      const statement = `INSERT INTO ${quoted(table)} (${names.join(',')}) VALUES (${literals})`
      if (new TextEncoder().encode(statement).length > MOST_BYTES)
        throw new Error(`A row of ${table} has more than ${MOST_BYTES} bytes, and D1 would not take it.`)
      yield statement
    }
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) return
    after = key.map((_, i) => last[`k${i}`]).join(', ')
  }
}

/** The statements that remove rows of a table whose foreign key leads nowhere. Their keys have one column each. */
function removalsOf(foreignKeys: Record<string, unknown>[], table: string): string[] {
  return foreignKeys.map(({ table: parent, from, to }) => {
    const [child, column] = [quoted(String(from)), quoted(String(to))]
    return `DELETE FROM ${quoted(table)} WHERE ${child} IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM ${quoted(String(parent))} AS parent WHERE parent.${column} = ${quoted(table)}.${child})`
  })
}
