import { appendFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import type { Reporter, TestModule, TestSpecification, Vitest } from 'vitest/node'

/** How long a run waits for its runtimes after the last test, and for its servers after that. */
const PATIENCE_MS = 120_000

/**
 * Ends a run with the line `N passed, N failed`, and `, N skipped` behind it when tests were skipped. A file that can't be
 * loaded is a failure. With TALLY set, the line goes to that file, where `.ci/run` adds up several runs.
 *
 * On a busy machine a Workers runtime now and then has run all tests of a file and never says that it is through. Vitest waits for
 * it without end, so the run is ended here, with what its tests came to.
 */
export default class ClosingLine implements Reporter {
  #vitest: Vitest | undefined
  #expected = 0
  #ended: TestModule[] = []
  #timer: NodeJS.Timeout | undefined

  onInit(vitest: Vitest): void {
    this.#vitest = vitest
  }

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    this.#expected = specifications.length
    this.#ended = []
  }

  onTestModuleEnd(module: TestModule): void {
    this.#ended.push(module)
    if (this.#ended.length === this.#expected)
      this.#timer = setTimeout(() => void this.#endRun(), PATIENCE_MS)
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    clearTimeout(this.#timer)
    const { failed, line } = tallyOf(modules, errors)
    if (failed > 0) process.exitCode = 1
    const { TALLY } = process.env
    if (TALLY) appendFileSync(TALLY, `${line}\n`)
    else process.on('exit', () => console.log(line))
  }

  async #endRun(): Promise<void> {
    console.error('All tests have ended, and a runtime has not: the run ends without it.')
    this.onTestRunEnd(this.#ended, this.#vitest?.state.getUnhandledErrors() ?? [])
    await Promise.race([this.#vitest?.close(), wait(PATIENCE_MS)])
    process.exit()
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
