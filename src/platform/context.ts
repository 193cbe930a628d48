import type { Caller } from './auth/caller.ts'
import type { Env } from './config/env.ts'
import type { Config } from './config/variables.ts'
import type { Database } from './db/database.ts'
import type { ErrorCode } from './errors.ts'
import type { Metrics } from './lib/metrics.ts'
import { DAY } from './lib/units.ts'
import type { CacheTag } from './pictures/edge-cache.ts'
import type { Databases } from './shards/databases.ts'
import type { Signer } from './storage/presign.ts'

/** The types of Hono's context: the bindings, and what the middleware sets. */
export interface AppEnv {
  Bindings: Env
  Variables: {
    requestId: string
    config: Config
    /** The user for whom the request is done: the sender, or the player whom `On-Behalf-Of` names. */
    caller: Caller
    /** The sender, who acts on behalf of `caller`. Undefined without the header. */
    actor?: Caller
    db?: Database
    databases?: Databases
    check?: ContentCheck
    ended?: CacheTag[]
    metrics: Metrics
    failure?: Failure
    /** The user and the thing that the act of an operator concerns, found out by its rule. */
    concerned?: { user_id: string | null; resource: string | undefined }
  }
}

/** The failure in a request's log line. `cause` is set only for errors of the service itself. */
interface Failure {
  code: ErrorCode
  cause?: string | undefined
}

/** A body of bytes. Its digest equals the one that the request declares. */
export interface ReceivedBytes {
  bytes: ArrayBuffer
  /** The SHA-256 of the bytes. */
  digest: ArrayBuffer
  /** The same in base64. */
  checksum_sha256: string
  /** Whether the request declares a SHA-256. */
  is_declared: boolean
}

/** The context of a request's rules, which have no access to Hono's context. */
export interface RequestContext {
  /** The caller's home: the database of everything that the caller owns. */
  db: Database
  /** All databases, for what others own. */
  databases: Databases
  bucket: R2Bucket
  inboxes: Env['INBOX']
  saves: Env['SAVES']
  sign: Signer
  /** Undefined when no checker is configured. */
  check: ContentCheck | undefined
  /** What ends with this request of the pictures that caches keep. */
  ended: CacheTag[]
  config: Config
  user_id: string
  /** Who acts on behalf of the caller; undefined for the caller's own request. */
  actor_id?: string | undefined
  /** The ratings of other users' assets that the caller doesn't see, as `ratingsAbove` has them. */
  hidden_ratings: string
  /** The URL of the request. Its origin is the address at which the client reaches the service. */
  request_url: string
  /** When the request's body had been read and validated, in milliseconds. */
  now_ms: number
  /** Lets work go on after the answer. */
  afterwards: (work: (ctx: LaterContext) => Promise<void>) => void
  /** Has the job of a database run at a time (Unix seconds), or earlier. */
  runJobAt: (database: string, time: number) => Promise<void>
}

/** The context of work after the answer. Its trips and calls do not count as those of the request. */
export type LaterContext = Pick<RequestContext, 'databases' | 'inboxes' | 'saves' | 'config' | 'now_ms'>

/** The check of content before it is ready (docs/content-check.md). */
export interface ContentCheck {
  /** The kinds and MIME patterns of the content to check. */
  kinds: readonly string[]
  /** The uploads that the checker is asked about after the request. */
  asked: Set<string>
}

/** The context of a rule for requests without a token. */
export type PublicContext = Pick<RequestContext, 'databases' | 'bucket' | 'config' | 'now_ms'>

/** The context of a rule that uses an inbox and no database before the answer. */
export type InboxContext = Pick<
  RequestContext,
  'inboxes' | 'config' | 'user_id' | 'actor_id' | 'now_ms' | 'afterwards'
>

/** Who sends a request about saves on behalf of a player, and the scopes of the token. */
export interface SavesActor {
  user_id: string
  /** Whether it reads, and writes, as the studio's servers do; otherwise it is support, and gets the player's answers. */
  reads_as_studio: boolean
  writes_as_studio: boolean
  /** Whether it reads what any player has. */
  reads_as_support: boolean
}

/** The context of a rule that uses the caller's saves and no database. */
export interface SavesContext
  extends Pick<RequestContext, 'saves' | 'config' | 'user_id' | 'now_ms' | 'afterwards'> {
  /** Undefined when the player sends the request. */
  acting?: SavesActor | undefined
}

/** The context of a task of the scheduled job. It has no user and signs nothing. `db` is the whole database of the run. */
export interface JobContext
  extends Pick<RequestContext, 'db' | 'databases' | 'bucket' | 'inboxes' | 'saves' | 'config' | 'now_ms'> {
  /** Waits after a step that took `step_ms`, so that other requests can use the database. */
  pause: (step_ms: number) => Promise<void>
}

/** The context of a step of the job: that of the job, and the findings of the current run. */
export interface StepContext extends JobContext {
  /** The id that the database and the bucket share; undefined when they don't belong together. */
  pairing_id: string | undefined
  /** The tasks that take owners one by one for the rest of the run, because a step for all owners has failed. */
  separately: Set<string>
  /** Pairs of erasure and database already checked in this run for remaining shares. */
  asked: Set<string>
  /** When a task is due next (Unix seconds), if that may be before the schedule starts the next run. */
  next_at: number | undefined
}

/** The context of a function that reads or deletes objects in R2. */
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

/** Until when the content of an item that is purged now is kept, in Unix seconds; null when it is deleted at once. */
export function keptUntil(ctx: Pick<RequestContext, 'config' | 'now_ms'>): number | null {
  const { CONTENT_GRACE_DAYS } = ctx.config
  return CONTENT_GRACE_DAYS === 0 ? null : seconds(ctx) + CONTENT_GRACE_DAYS * DAY
}

/** Items and assets that were deleted by this time (in milliseconds) are due to be purged. */
export function trashExpiry({ config, now_ms }: Pick<RequestContext, 'config' | 'now_ms'>): number {
  return now_ms - config.TRASH_RETENTION_DAYS * DAY * 1_000
}
