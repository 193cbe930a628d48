import { afterAll } from 'vitest'
import { layOut } from './databases.ts'
import './problem.ts'
import { tracedFaults, traceStatements } from './trace.ts'

await layOut()
await traceStatements()

// A line for each request would hide what a failing test prints. A test that looks at the log gets it.
const print = console.log
console.log = (...values: unknown[]) => {
  if (!String(values[0]).startsWith('{"message":"request"')) print(...values)
}

afterAll(async () => {
  const faults = await tracedFaults()
  if (faults.length > 0)
    throw new Error(`statements that read more than they should:\n\n${faults.join('\n\n')}`)
})
