/** A database that grows between migrations, as one that has been in use since the first of them. */
import { reset } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { seeds } from './seeds.ts'

/** What statements cost: rows as D1 counts them, and the time in milliseconds. */
export interface Cost {
  read: number
  written: number
  ms: number
}

/** The rows that one statement seeds. */
const SLICE = 50_000

/** The database of a test, without any table at first. */
export class GrownDatabase {
  readonly #rows: number
  readonly #seeded = new Set<string>()

  private constructor(rows: number) {
    this.#rows = rows
  }

  /** An empty database, each of whose tables will have so many rows. */
  static async of(rows: number): Promise<GrownDatabase> {
    // `reset` clears what has been opened.
    await env.DB.prepare('SELECT 1').run()
    await reset()
    return new GrownDatabase(rows)
  }

  /** Executes statements in one transaction, as D1 does with a migration. */
  async execute(statements: readonly string[]): Promise<Cost> {
    const answers = await env.DB.batch(statements.map((statement) => env.DB.prepare(statement)))
    const sum = (of: (meta: D1Meta) => number) => answers.reduce((total, { meta }) => total + of(meta), 0)
    return {
      read: sum(({ rows_read }) => rows_read),
      written: sum(({ rows_written }) => rows_written),
      ms: sum(({ duration }) => duration),
    }
  }

  /** The tables that there are, without those that SQLite and FTS5 keep for themselves. */
  async tables(): Promise<string[]> {
    const { results } = await env.DB.prepare(
      `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'virtual')
        AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\'`,
    ).all<{ name: string }>()
    return results.map(({ name }) => name)
  }

  /** Fills the tables that are new. Triggers neither count nor refuse these rows. */
  async grow(): Promise<void> {
    const tables = await this.tables()
    const wanting = Object.entries(seeds).filter(
      ([table]) => tables.includes(table) && !this.#seeded.has(table),
    )
    if (wanting.length === 0) return
    const { results: triggers } = await env.DB.prepare(
      `SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY rowid`,
    ).all<{ name: string; sql: string }>()
    for (const { name } of triggers) await env.DB.prepare(`DROP TRIGGER ${name}`).run()
    for (const [table, { columns, values }] of wanting) {
      this.#seeded.add(table)
      for (let from = 0; from < this.#rows; from += SLICE)
        await env.DB.prepare(
          `WITH RECURSIVE numbers (n) AS (SELECT CAST(?1 AS INTEGER) UNION ALL SELECT n + 1 FROM numbers WHERE n < ?2 - 1)
          INSERT INTO ${table} (${columns}) SELECT ${values} FROM numbers`,
        )
          .bind(from, Math.min(from + SLICE, this.#rows))
          .run()
    }
    for (const { sql } of triggers) await env.DB.prepare(sql).run()
  }
}
