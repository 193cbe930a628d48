import { afterAll } from 'vitest'
import { startOver } from './databases.ts'
import { keyOf } from './plans.ts'
import './problem.ts'
import { printDrawn } from './seeded.ts'
import { tracedPlans, traceStatements } from './trace.ts'

declare global {
  /** Vitest's console, which all files of a runtime share. */
  var vitestConsole: Console | undefined
}

/** Prints what a file logs, except a line for each request: these would hide the output of a failing test. */
function unmute(): void {
  if (globalThis.vitestConsole) {
    globalThis.console = globalThis.vitestConsole
    return
  }
  globalThis.vitestConsole = console
  const print = console.log
  console.log = (...values: unknown[]) => {
    if (!String(values[0]).startsWith('{"message":"request"')) print(...values)
  }
}

/**
 * Drops what is logged until `unmute`. Vitest waits until each line of a file has arrived, and the plugin sends a line of an object
 * or of `waitUntil` with the file's next message: a line after the last message never arrives, and the run does not end
 * (https://github.com/cloudflare/workers-sdk/issues/15719).
 */
function mute(): void {
  globalThis.console = new Proxy(console, { get: () => () => {} })
}

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
