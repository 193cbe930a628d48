import type { Caller } from './auth/verify.ts'
import type { Database } from './db/database.ts'
import type { Config, Env } from './env.ts'
import { DAY } from './lib/time-units.ts'
import type { Signer } from './storage/presign.ts'

/** The types of Hono's context: the bindings, and what the middleware finds out about a request. */
export interface AppEnv {
  Bindings: Env
  Variables: { requestId: string; config: Config; caller: Caller; db?: Database }
}

/** What a rule may know and use of the request that it serves. Rules never see Hono's context. */
export interface RequestContext {
  db: Database
  bucket: R2Bucket
  inboxes: Env['INBOX']
  sign: Signer
  config: Config
  user_id: string
  /** When the request came, in milliseconds. */
  now_ms: number
}

/** What the scheduled job's tasks may use: nobody asked, so there is no user, and nothing to sign. */
export interface JobContext extends Pick<RequestContext, 'db' | 'bucket' | 'inboxes' | 'config' | 'now_ms'> {
  /** Leaves the database to other requests after a step that took so many milliseconds. */
  pause: (step_ms: number) => Promise<void>
}

/** What a step of the job knows beside the job: what the current run has found out. */
export interface StepContext extends JobContext {
  /** The marker that the database and the bucket share; undefined when they don't belong together. */
  marker: string | undefined
  /** The tasks that go owner by owner for the rest of the run, because a step for all owners together has failed. */
  separately: Set<string>
}

/** What those may use that look at objects, or remove them: where they are, and how long to wait. */
export type StorageContext = Pick<RequestContext, 'bucket' | 'config'>

/**
 * As many rows as one step of long work changes or removes: a step is one statement or batch that D1 is done with
 * soon, and what is left is found again by the next one.
 */
export const BATCH_SIZE = 500

/** The time of a request in Unix seconds, which is what the API and the database speak. */
export function seconds({ now_ms }: Pick<RequestContext, 'now_ms'>): number {
  return Math.floor(now_ms / 1000)
}

/** The time until which deleted items and assets are no longer kept, in milliseconds. */
export function trashExpiry({ config, now_ms }: Pick<RequestContext, 'config' | 'now_ms'>): number {
  return now_ms - config.TRASH_RETENTION_DAYS * DAY * 1_000
}
