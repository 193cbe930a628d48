/** The steps of a deployment. Each plans its changes, and announces each change before making it. */
import { styleText } from 'node:util'

/** A change: its announcement, and the function that makes it. */
export interface Action {
  says: string
  act: () => Promise<void>
}

/** A part of a deployment. */
export interface Step {
  name: string
  /** What to do when this step fails. */
  remedy: string
  /** Printed when `plan` returns no actions. */
  doneMessage?: string
  /** The changes that are left to make. Only reads. */
  plan: () => Promise<Action[]>
}

/** Ends a deployment, with a remedy that replaces that of the step. */
export class Stopped extends Error {
  readonly remedy: string

  constructor(reason: string, remedy: string) {
    super(reason)
    this.remedy = remedy
  }
}

/** Prints an explanation below a step. */
export function note(line: string): void {
  console.log(`    ${styleText('dim', line)}`)
}

/**
 * Takes the steps in order: prints each action, and runs it unless this is a dry run. Stops at the first failure, and prints
 * its reason and remedy. Returns whether all steps succeeded.
 */
export async function take(steps: Step[], { isDryRun }: { isDryRun: boolean }): Promise<boolean> {
  for (const step of steps) {
    console.log(styleText('bold', step.name))
    try {
      const actions = await step.plan()
      if (actions.length === 0)
        console.log(`  ${styleText('green', '✓')} ${step.doneMessage ?? 'nothing to do'}`)
      for (const { says, act } of actions) {
        console.log(`  ${styleText('cyan', '→')} ${says}`)
        if (!isDryRun) await act()
      }
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      console.error(`  ${styleText('red', '✗')} ${reason.split('\n').join('\n    ')}`)
      console.error(`\n${error instanceof Stopped ? error.remedy : step.remedy}`)
      return false
    }
  }
  return true
}
