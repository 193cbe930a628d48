/** The types of checks of a deployment. To add a check, add an entry to one of the lists in all.ts. */

import type { Deployment } from './deployment.ts'
import type { Need } from './given.ts'

/** An automatic check. */
export interface Check {
  /** The name for --only and for the summary. */
  name: string
  does: string
  /** The expected outcome. */
  must: string
  /** The question that only the platform can answer. The check runs on the development server, but is inconclusive there. */
  onPlatform?: string
  /** Why the check can't run on the development server. */
  notHere?: string
  /** The environment variables that the check needs. */
  needs?: readonly Need[]
  /** The duration of a long check, which runs only when named with --only. */
  takes?: string
  /** Returns the outcome. @throws Wrong when it is not the expected one */
  run: (deployment: Deployment) => Promise<string>
}

/** A check that only a person can make. */
export interface ManualCheck {
  name: string
  /** The command to type, or the place to look. NAME is the Worker's name, URL its address. */
  do: string
  must: string
}
