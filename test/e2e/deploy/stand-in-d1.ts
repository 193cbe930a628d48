/** The D1 of the stand-in for wrangler: a SQLite database for each, in a file beside the account's. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { splitAsD1 } from '../../../scripts/migrations/splitter.ts'

/** How D1 misbehaves. */
export interface D1Faults {
  /** Migrations that `/query` refuses to split, beside those that its rules make it refuse. */
  refused?: string[]
  /** Whether a request that is refused keeps the statements before the one that is. */
  keepsPart?: boolean
  /**
   * How an import ends. `lost`: it succeeds, and wrangler does not learn of it. `killed`: it succeeds, and wrangler and the
   * command have been killed meanwhile. `reset`: D1 ends it, and nothing has happened.
   */
  import?: 'lost' | 'killed' | 'reset'
}

/** D1 answers with an error. The message is SQLite's. */
export class D1Refused extends Error {}

/** wrangler is killed, and so is the command that called it. */
export class KilledMeanwhile extends Error {}

/** A database of the account. */
export class StandInD1 {
  readonly #database: DatabaseSync
  readonly #faults: D1Faults

  constructor(account: string, id: string, faults: D1Faults = {}) {
    this.#database = new DatabaseSync(pathOf(account, id))
    this.#faults = faults
  }

  /** `/query`: executes the statements that it finds in a text, in a transaction. Returns the rows of each. */
  query(sql: string): Record<string, unknown>[][] {
    return this.#inTransaction(() =>
      splitAsD1(sql).map((statement) => {
        if (this.#faults.refused?.some((name) => sql.includes(`'${name}'`)) && / TRIGGER /.test(statement))
          throw new D1Refused('incomplete input: SQLITE_ERROR')
        return this.#database.prepare(statement).all()
      }),
    )
  }

  /** The import: executes a file as SQLite reads it, in a transaction. */
  importFile(path: string): void {
    const fault = this.#faults.import
    if (fault === 'reset') throw new D1Refused('D1 reset before execute completed!')
    this.#inTransaction(() => this.#database.exec(readFileSync(path, 'utf8')))
    if (fault === 'lost') throw new D1Refused('fetch failed')
    if (fault === 'killed') throw new KilledMeanwhile()
  }

  /** As `wrangler d1 migrations apply`: each file that is not noted, with its note, in a request of its own. */
  migrate(folder: string): void {
    this.query(
      'CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE);',
    )
    const applied = this.applied()
    for (const name of readdirSync(folder)
      .filter((name) => /^\d/.test(name))
      .sort())
      if (!applied.includes(name))
        this.query(
          `${readFileSync(join(folder, name), 'utf8')}\nINSERT INTO d1_migrations (name)\nvalues ('${name}');`,
        )
  }

  applied(): string[] {
    return this.#database
      .prepare('SELECT name FROM d1_migrations ORDER BY name')
      .all()
      .map(({ name }) => String(name))
  }

  close(): void {
    this.#database.close()
  }

  #inTransaction<Answer>(work: () => Answer): Answer {
    this.#database.exec('BEGIN')
    try {
      const answer = work()
      this.#database.exec('COMMIT')
      return answer
    } catch (error) {
      this.#database.exec(this.#faults.keepsPart ? 'COMMIT' : 'ROLLBACK')
      if (error instanceof D1Refused) throw error
      throw new D1Refused(`${error instanceof Error ? error.message : error}: SQLITE_ERROR`)
    }
  }
}

/** The file of a database. */
export const pathOf = (account: string, id: string) => join(dirname(account), `${id}.sqlite`)
