/** Reads and changes a D1 database on the platform, through wrangler. */
import { z } from 'zod'
import type { Deployment } from './deployment.ts'
import { WranglerFailed } from './wrangler.ts'

const Names = z.array(z.object({ results: z.array(z.object({ name: z.string() })) }))
const Objects = z.array(
  z.object({
    results: z.array(z.object({ type: z.string(), name: z.string(), sql: z.string().nullable() })),
  }),
)

/** A table, an index, a view or a trigger, with the statement that created it. */
export interface SchemaObject {
  type: string
  name: string
  sql: string | null
}

const LEDGER = 'SELECT name FROM d1_migrations ORDER BY name'
const SCHEMA = 'SELECT type, name, sql FROM sqlite_schema'

/** One of the databases of a deployment. */
export class RemoteDatabase {
  readonly #deployment: Deployment
  readonly #binding: string

  constructor(deployment: Deployment, binding: string) {
    this.#deployment = deployment
    this.#binding = binding
  }

  /**
   * The names in d1_migrations; none for a database that does not exist yet. `wrangler d1 migrations list` would create the
   * table, even in a dry run.
   */
  async applied(): Promise<string[]> {
    const { settings, isLoggedIn } = this.#deployment
    const isThere = settings.databases.some(
      ({ binding, id }) => binding === this.#binding && id !== undefined,
    )
    if (!isLoggedIn || !isThere) return []
    try {
      return Names.parse(await this.#query(LEDGER)).flatMap(({ results }) => results.map(({ name }) => name))
    } catch (error) {
      if (error instanceof WranglerFailed && error.message.includes('no such table')) return []
      throw error
    }
  }

  async schema(): Promise<SchemaObject[]> {
    return Objects.parse(await this.#query(SCHEMA)).flatMap(({ results }) => results)
  }

  /** Applies the migrations that are not noted, each file in a request of its own. */
  async applyMigrations(): Promise<void> {
    await this.#wrangler(['d1', 'migrations', 'apply', this.#binding, '--remote'])
  }

  /** Executes a file through D1's import: in one transaction, split as by SQLite. The database serves nothing else meanwhile. */
  async importFile(path: string): Promise<void> {
    await this.#wrangler(['d1', 'execute', this.#binding, '--remote', '--yes', '--file', path])
  }

  #query(sql: string): Promise<unknown> {
    const { wrangler } = this.#deployment
    const execute = ['d1', 'execute', this.#binding, '--remote', '--json', '--command', sql]
    return wrangler.json([...execute, '--config', this.#deployment.written().path])
  }

  async #wrangler(args: string[]): Promise<void> {
    await this.#deployment.wrangler.run([...args, '--config', this.#deployment.written().path])
  }
}
