/** The steps of a deployment: each says what is left to do before it does it. */
import { styleText } from 'node:util'

/** One change: what is said of it, and how it is made. */
export interface Action {
  says: string
  act: () => Promise<void>
}

/** A part of a deployment. */
export interface Step {
  name: string
  /** What to do when this step fails. */
  remedy: string
  /** What is said when nothing is left to do. */
  isDone?: string
  /** What is left to do. Reads only. */
  plan: () => Promise<Action[]>
}

/** The end of a deployment for a reason that has a remedy of its own, in place of its step's. */
export class Stopped extends Error {
  readonly remedy: string

  constructor(reason: string, remedy: string) {
    super(reason)
    this.remedy = remedy
  }
}

/** Prints a line that explains. */
export function note(line: string): void {
  console.log(`    ${styleText('dim', line)}`)
}

/**
 * Takes the steps in their order: says each action, and then does it, unless it is only to be shown. Returns whether all
 * of them succeeded; the first that fails ends it, with the reason and what to do.
 */
export async function take(steps: Step[], { isDryRun }: { isDryRun: boolean }): Promise<boolean> {
  for (const step of steps) {
    console.log(styleText('bold', step.name))
    try {
      const actions = await step.plan()
      if (actions.length === 0) console.log(`  ${styleText('green', '✓')} ${step.isDone ?? 'nothing to do'}`)
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
