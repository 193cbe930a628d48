import type { Reporter, TestModule } from 'vitest/node'

/** Ends a run with the line that CI reads: `N passed, N failed`. A file that can't be loaded is a failure. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const states = modules.flatMap((module) =>
      [...module.children.allTests()].map((test) => test.result().state),
    )
    const unloaded = modules.filter((module) => module.errors().length > 0).length
    const passed = states.filter((state) => state === 'passed').length
    const failed = states.filter((state) => state === 'failed').length + unloaded + errors.length
    process.on('exit', () => console.log(`${passed} passed, ${failed} failed`))
  }
}
