/** The migrations of every database, before the Worker that needs them. */
import { readdirSync } from 'node:fs'
import { z } from 'zod'
import { project } from '../development.ts'
import type { Deployment } from './deployment.ts'
import { note, type Step } from './step.ts'
import { WranglerFailed } from './wrangler.ts'

const Applied = z.array(z.object({ results: z.array(z.object({ name: z.string() })) }))

/** Applies to each database the migrations that it lacks. */
export function migrations(deployment: Deployment): Step {
  const { wrangler, settings } = deployment
  const known = readdirSync(`${project}migrations`)
    .filter((name) => name.endsWith('.sql'))
    .sort()
  return {
    name: 'Migrations',
    remedy:
      'The Worker that was deployed before goes on serving. A migration that failed was rolled back, the ones before it stay. Run the command again once the cause is removed.',
    isDone: 'all are applied',
    plan: async () => {
      const actions = []
      for (const { binding, name } of settings.databases) {
        const applied = await appliedTo(deployment, binding)
        const further = applied.filter((migration) => !known.includes(migration))
        if (further.length > 0) note(`${name} has migrations of a later version: ${further.join(', ')}`)
        const missing = known.filter((migration) => !applied.includes(migration))
        if (missing.length === 0) continue
        const range = missing.length === 1 ? missing[0] : `${missing[0]} to ${missing.at(-1)}`
        actions.push({
          says: `applies ${missing.length} of ${known.length} migrations to ${name} (${binding}): ${range}`,
          act: async () => {
            const { path } = deployment.written()
            await wrangler.run(['d1', 'migrations', 'apply', binding, '--remote', '--config', path])
          },
        })
      }
      return actions
    },
  }
}

const QUERY = 'SELECT name FROM d1_migrations ORDER BY name'

/** The migrations that a database has. `wrangler d1 migrations list` would create its table, also in a dry run. */
async function appliedTo(deployment: Deployment, binding: string): Promise<string[]> {
  const database = deployment.settings.databases.find((one) => one.binding === binding)
  if (!deployment.isLoggedIn || database?.id === undefined) return []
  const { path } = deployment.written()
  try {
    const answer = await deployment.wrangler.json([
      ...['d1', 'execute', binding, '--remote', '--json', '--command', QUERY, '--config', path],
    ])
    return Applied.parse(answer).flatMap(({ results }) => results.map(({ name }) => name))
  } catch (error) {
    if (error instanceof WranglerFailed && error.message.includes('no such table')) return []
    throw error
  }
}
