import { applyD1Migrations } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterAll } from 'vitest'
import './problem.ts'
import { tracedFaults, traceStatements } from './trace.ts'

await applyD1Migrations(env.DB, env.MIGRATIONS)
await traceStatements()

afterAll(async () => {
  const faults = await tracedFaults()
  if (faults.length > 0)
    throw new Error(`statements that read more than they should:\n\n${faults.join('\n\n')}`)
})
