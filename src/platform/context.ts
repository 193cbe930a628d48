import type { Caller } from './auth/caller.ts'
import type { Env } from './config/env.ts'
import type { Config } from './config/variables.ts'
import type { Database } from './db/database.ts'
import type { ErrorCode } from './errors.ts'
import type { Figures } from './lib/figures.ts'
import { DAY } from './lib/time-units.ts'
import type { Databases } from './shards/databases.ts'
import type { Signer } from './storage/presign.ts'

/** The types of Hono's context: the bindings, and what the middleware sets. */
export interface AppEnv {
  Bindings: Env
  Variables: {
    requestId: string
    config: Config
    caller: Caller
    db?: Database
    databases?: Databases
    check?: ContentCheck
    figures: Figures
    failure?: Failure
  }
}

/** What the log says of a request that failed: `cause` only of the service's own errors. */
interface Failure {
  code: ErrorCode
  cause?: string | undefined
}

/** What a rule may know and use of its request. Rules have no access to Hono's context. */
export interface RequestContext {
  /** The caller's home: the database of everything that is the caller's own. */
  db: Database
  /** The databases of everything else. */
  databases: Databases
  bucket: R2Bucket
  inboxes: Env['INBOX']
  sign: Signer
  /** Undefined when no checker is configured. */
  check: ContentCheck | undefined
  config: Config
  user_id: string
  /** When the request came, in milliseconds. */
  now_ms: number
}

/** The check of content before it is ready (docs/content-check.md). */
export interface ContentCheck {
  /** The kinds and MIME patterns of the content that it is for. */
  kinds: readonly string[]
  /** The uploads that the checker is asked about after the request. */
  asked: Set<string>
}

/** What a request about an inbox may use. */
export type InboxContext = Pick<RequestContext, 'inboxes' | 'config' | 'user_id' | 'now_ms'>

/** What a task of the scheduled job may use. It has no user and signs nothing. `db` is the whole database of the run. */
export interface JobContext
  extends Pick<RequestContext, 'db' | 'databases' | 'bucket' | 'inboxes' | 'config' | 'now_ms'> {
  /** Waits after a step that took `step_ms`, so that other requests can use the database. */
  pause: (step_ms: number) => Promise<void>
}

/** What a step of the job knows beside the job: what the current run has found out. */
export interface StepContext extends JobContext {
  /** The marker that the database and the bucket share; undefined when they don't belong together. */
  marker: string | undefined
  /** The tasks that go owner by owner for the rest of the run, because a step for all owners together has failed. */
  separately: Set<string>
  /** The erasures and databases that have been asked in this run what is left there of things shared with the user. */
  asked: Set<string>
}

/** What a function that reads or deletes objects in R2 may use. */
export type StorageContext = Pick<RequestContext, 'bucket' | 'config'>

/**
 * How many rows a step of a long task changes or deletes. A step is one short statement or batch; the next step finds the
 * remaining rows.
 */
export const BATCH_SIZE = 500

/** The time of a request in Unix seconds, the unit of the API and the database. */
export function seconds({ now_ms }: Pick<RequestContext, 'now_ms'>): number {
  return Math.floor(now_ms / 1000)
}

/** The time until which the content of what is purged now stays, in Unix seconds; null when it goes at once. */
export function keptUntil(ctx: Pick<RequestContext, 'config' | 'now_ms'>): number | null {
  const { CONTENT_GRACE_DAYS } = ctx.config
  return CONTENT_GRACE_DAYS === 0 ? null : seconds(ctx) + CONTENT_GRACE_DAYS * DAY
}

/** The time until which deleted items and assets are no longer kept, in milliseconds. */
export function trashExpiry({ config, now_ms }: Pick<RequestContext, 'config' | 'now_ms'>): number {
  return now_ms - config.TRASH_RETENTION_DAYS * DAY * 1_000
}
