/** What a check of a deployment is. Adding one is an entry in one of the lists that all.ts joins. */

import type { Deployment } from './deployment.ts'
import type { Need } from './given.ts'

/** A check that a machine makes. */
export interface Check {
  /** A name for --only, and for the lists of what passed and what did not. */
  name: string
  does: string
  /** What has to come. */
  must: string
  /** Why the development server can't show it: it runs there, and its outcome says nothing of the platform. */
  onPlatform?: string
  /** Why it does not even run on the development server. */
  notHere?: string
  /** What has to be given for it (deployment.ts). */
  needs?: readonly Need[]
  /** How long it takes, when it runs only if it is named with --only. */
  takes?: string
  /** Returns what came. @throws Wrong when it is not what must come */
  run: (deployment: Deployment) => Promise<string>
}

/** What only a person can look at. */
export interface Look {
  name: string
  /** What to type, or where to look. NAME is the Worker's, and URL its address. */
  do: string
  must: string
}
