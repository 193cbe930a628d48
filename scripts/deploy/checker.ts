/** The Worker that checks content, when the settings name one. It is deployed by itself. */
import type { Deployment } from './deployment.ts'
import { secretsOf } from './secrets.ts'
import { type Step, Stopped } from './step.ts'

/** Looks whether the Worker exists: the platform refuses a Worker that is bound to one that does not. */
export function checker({ wrangler, settings, isLoggedIn }: Deployment): Step {
  const name = settings.content_checker
  const remedy = `Deploy ${name} first, and run the command again (docs/content-check.md).`
  return {
    name: 'Checker',
    isDone:
      name === undefined
        ? 'none: no Worker checks content'
        : isLoggedIn
          ? `${name} exists`
          : `${name}, unless it is missing`,
    remedy,
    plan: async () => {
      if (name === undefined || !isLoggedIn) return []
      if ((await secretsOf(wrangler, name)) === undefined)
        throw new Stopped(`There is no Worker ${name}, which content_checker names.`, remedy)
      return []
    },
  }
}
