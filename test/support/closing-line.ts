import { appendFileSync } from 'node:fs'
import type { Reporter, TestModule } from 'vitest/node'

/**
 * Ends a run with the line `N passed, N failed`, and `, N skipped` behind it when tests were skipped. A file that can't be
 * loaded is a failure. With TALLY set, the line goes to that file, where `.ci/run` reads it.
 */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const { failed, line } = tallyOf(modules, errors)
    if (failed > 0) process.exitCode = 1
    const { TALLY } = process.env
    if (TALLY) appendFileSync(TALLY, `${line}\n`)
    else process.on('exit', () => console.log(line))
  }
}

function tallyOf(modules: readonly TestModule[], errors: readonly unknown[]) {
  const states = modules.flatMap((module) =>
    [...module.children.allTests()].map((test) => test.result().state),
  )
  const unloaded = modules.filter((module) => module.errors().length > 0).length
  const passed = states.filter((state) => state === 'passed').length
  const failed = states.filter((state) => state === 'failed').length + unloaded + errors.length
  const skipped = states.filter((state) => state === 'skipped').length
  return { failed, line: `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}` }
}
