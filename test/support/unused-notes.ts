import type { Reporter, TestModule, TestProject } from 'vitest/node'
import { inboxNotes, moverNotes, notes, notesOfSeveral } from './noted-plans.ts'
import { keyOf, type Note } from './plans.ts'

/** The notes of noted-plans.ts that a project's tests use between them. */
const NEEDED: Record<string, readonly Note[]> = {
  workers: [...notes, ...inboxNotes],
  'shards-brief': [...moverNotes, ...notesOfSeveral],
  shards: [...moverNotes, ...notesOfSeveral],
}

/** Fails a run of a whole project in which a note of noted-plans.ts allows nothing: no statement has such a plan. */
export default class UnusedNotes implements Reporter {
  async onTestRunEnd(modules: readonly TestModule[]): Promise<void> {
    // A failed test may have sent fewer statements.
    if (!modules.every((module) => module.ok())) return
    const used = new Set(modules.flatMap((module) => module.meta().usedPlanNotes ?? []))
    for (const project of new Set(modules.map((module) => module.project))) {
      const needed = NEEDED[project.name]
      if (needed === undefined || !(await isWhole(project, modules))) continue
      const unused = unusedOf(needed, used)
      if (unused.length === 0) continue
      console.error(`Notes of test/support/noted-plans.ts that no plan needs:\n  ${unused.join('\n  ')}`)
      process.exitCode = 1
    }
  }
}

/** The notes that are not used, and those that are there twice. */
export function unusedOf(needed: readonly Note[], used: ReadonlySet<string>): string[] {
  const keys = needed.map(keyOf)
  return keys.filter((key, index) => !used.has(key) || keys.indexOf(key) !== index)
}

/** Whether all tests of a project have run, or all but those of a release. */
async function isWhole(project: TestProject, modules: readonly TestModule[]): Promise<boolean> {
  const { testNamePattern, tagsFilter = [] } = project.vitest.config
  if (testNamePattern !== undefined || tagsFilter.some((filter) => filter !== '!release')) return false
  const { testFiles } = await project.globTestFiles()
  return testFiles.length === modules.filter((module) => module.project === project).length
}
