import type { JobContext } from '../context.ts'

/** What a step of the job knows beside the job: what has been found out in this run. */
export interface StepContext extends JobContext {
  /** The marker that the database and the bucket share; undefined when they have not been found to belong together. */
  marker: string | undefined
  /** The tasks that go owner by owner for the rest of the run, since a step for all owners together has failed. */
  separately: Set<string>
}
