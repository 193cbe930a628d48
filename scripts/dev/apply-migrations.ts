/**
 * node scripts/dev/apply-migrations.ts STATE BINDING: applies to a local database the migrations that it lacks, as
 * `wrangler d1 migrations apply --local` does, which starts the simulator anew for each of them. No server may be running on the state.
 */
import { join } from 'node:path'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { z } from 'zod'
import { project } from '../development.ts'
import { migrationsIn } from '../migrations/files.ts'
import { ledgerEntry } from '../migrations/ledger.ts'
import { splitAsD1 } from '../migrations/splitter.ts'

const [state = '', binding = ''] = process.argv.slice(2)

/** The table of wrangler, which it would make itself. */
const LEDGER = `CREATE TABLE IF NOT EXISTS d1_migrations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT UNIQUE,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
)`

const simulator = new Miniflare(
  convertV4MiniflareOptions({
    modules: true,
    script: '',
    resourcePersistencePath: join(state, 'v3'),
    d1Databases: { [binding]: binding }, // the id that wrangler gives to a local database for which wrangler.toml has none
    cf: false, // else it would fetch a sample request.cf
    telemetry: { enabled: false },
  }),
)
try {
  const database = await simulator.getD1Database(binding)
  await database.prepare(LEDGER).run()
  const { results } = await database.prepare('SELECT name FROM d1_migrations').all()
  const applied = new Set(
    z
      .array(z.object({ name: z.string() }))
      .parse(results)
      .map(({ name }) => name),
  )
  for (const { name, sql } of migrationsIn(join(project, 'migrations'))) {
    if (applied.has(name)) continue
    const statements = splitAsD1(`${sql}\n${ledgerEntry(name)}`)
    await database.batch(statements.map((statement) => database.prepare(statement))).catch((error: Error) => {
      throw new Error(`${name}: ${error.message}`)
    })
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
} finally {
  await simulator.dispose()
}
