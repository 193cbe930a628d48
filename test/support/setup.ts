import { afterAll } from 'vitest'
import { startOver } from './databases.ts'
import './problem.ts'
import './quiet-log.ts'
import { printDrawn } from './seeded.ts'
import { tracedFaults, traceStatements } from './trace.ts'

await startOver()
await traceStatements()

afterAll(async () => {
  printDrawn()
  const faults = await tracedFaults()
  if (faults.length > 0)
    throw new Error(`statements that read more than they should:\n\n${faults.join('\n\n')}`)
})
