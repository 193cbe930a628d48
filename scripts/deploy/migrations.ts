/** Applies the migrations of every database, before the Worker that needs them is deployed. */
import { project } from '../development.ts'
import { type Migration, migrationsIn } from '../migrations/files.ts'
import { folderOf } from './configuration.ts'
import type { Deployment } from './deployment.ts'
import { importMigration } from './import-migration.ts'
import { RemoteDatabase } from './remote-database.ts'
import { type Action, note, type Step } from './step.ts'
import { WranglerFailed } from './wrangler.ts'

/** Applies to each database the migrations that it lacks. */
export function migrations(deployment: Deployment): Step {
  const { settings } = deployment
  const known = migrationsIn(`${project}migrations`)
  return {
    name: 'Migrations',
    remedy:
      'The Worker that was deployed before goes on serving. A migration that failed was rolled back, the ones before it stay. Run the command again once the cause is removed.',
    doneMessage: 'all are applied',
    plan: async () => {
      const actions: Action[] = []
      for (const { binding, name } of settings.databases) {
        const database = new RemoteDatabase(deployment, binding)
        const applied = await database.applied()
        const further = applied.filter((one) => known.every(({ name }) => name !== one))
        if (further.length > 0) note(`${name} has migrations of a later version: ${further.join(', ')}`)
        const missing = missingOf(known, applied)
        if (missing.length === 0) continue
        const range =
          missing.length === 1 ? missing[0]?.name : `${missing[0]?.name} to ${missing.at(-1)?.name}`
        actions.push({
          says: `applies ${missing.length} of ${known.length} migrations to ${name} (${binding}): ${range}`,
          act: () => applyAll(database, known, folderOf(settings)),
        })
      }
      return actions
    },
  }
}

/** Applies all missing migrations. One that D1 splits wrongly is imported, and the rest applied after it. */
async function applyAll(
  database: RemoteDatabase,
  known: readonly Migration[],
  folder: string,
): Promise<void> {
  for (;;) {
    try {
      await database.applyMigrations()
      return
    } catch (error) {
      const [refused] = isSplitWrongly(error) ? missingOf(known, await database.applied()) : []
      if (refused === undefined) throw error
      note(`D1 refuses ${refused.name} as wrangler sends it (incomplete input). It is imported instead.`)
      const before = known.slice(0, known.indexOf(refused))
      await importMigration(database, { migration: refused, before, folder })
    }
  }
}

/** Whether D1 has cut a trigger in two (workers-sdk issues 4727, 15314 and 15690). */
const isSplitWrongly = (error: unknown) =>
  error instanceof WranglerFailed && error.message.includes('incomplete input')

const missingOf = (known: readonly Migration[], applied: readonly string[]) =>
  known.filter(({ name }) => !applied.includes(name))
