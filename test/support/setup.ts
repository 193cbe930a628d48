import { afterAll } from 'vitest'
import { startOver } from './databases.ts'
import { keyOf } from './plans.ts'
import './problem.ts'
import { mute, unmute } from './quiet-log.ts'
import { printDrawn } from './seeded.ts'
import { tracedPlans, traceStatements } from './trace.ts'

unmute()
afterAll(mute) // the last of the hooks, because it is the first that is registered

await startOver()
await traceStatements()

// biome-ignore lint/correctness/noEmptyPattern: vitest reads from this pattern which fixtures the hook takes.
afterAll(async ({}, { file }) => {
  printDrawn()
  const { faults, used } = await tracedPlans()
  file.meta.usedPlanNotes = used.map(keyOf)
  if (faults.length > 0)
    throw new Error(
      `statements that read more than they should, or that D1 refuses:\n\n${faults.join('\n\n')}`,
    )
})
