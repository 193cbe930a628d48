/** The Worker that checks content, if the settings name one. It has a deployment of its own. */
import type { Deployment } from './deployment.ts'
import { secretsOf } from './secrets.ts'
import { type Step, Stopped } from './step.ts'

/** Checks that the Worker exists: the platform refuses a binding to a missing Worker. */
export function checker({ wrangler, settings, isLoggedIn }: Deployment): Step {
  const name = settings.content_checker
  const remedy = `Deploy ${name} first, and run the command again (docs/content-check.md).`
  return {
    name: 'Checker',
    doneMessage:
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
