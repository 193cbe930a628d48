import { DurableObject } from 'cloudflare:workers'
import { askAgain } from '../operators/checks/ask-again.ts'
import { configuration } from '../platform/config/configuration.ts'
import type { Env } from '../platform/config/env.ts'
import { inboxesOf, janitorOf, savesOf } from '../platform/config/namespaces.ts'
import type { Config } from '../platform/config/variables.ts'
import { type JobHistory, type JobRuns, noHistory, withRun } from '../platform/jobs/history.ts'
import { Alarm } from '../platform/lib/durable-object.ts'
import { logError, logInfo, logWarning } from '../platform/lib/log.ts'
import { MINUTE } from '../platform/lib/units.ts'
import { Databases } from '../platform/shards/databases.ts'
import { databasesOf, FIRST, shardsIn } from '../platform/shards/map.ts'
import type { Report } from './run.ts'

/** The key under which the object keeps what its last runs did. */
const HISTORY = 'history'

/** The key under which the object keeps the name of its database. */
const DATABASE = 'database'

/** The delay before the run that follows one with a backlog, in seconds. */
const BACKLOG_DELAY = 1

/** The longest delay after runs that failed or got nothing done, in seconds; the schedule's interval. */
const MAX_DELAY = 5 * MINUTE

/** The delay before the run that follows one stopped by a move, in seconds. */
const MOVE_DELAY = 30

/** The size from which a run logs that another database is needed (docs/scaling.md). D1's limit is 10 GB. */
const PLANNED_BYTES = 6e9

/** The longest pause after a step, in milliseconds. */
const MAX_PAUSE_MS = 1_000

/**
 * The Durable Object that runs the scheduled job of one database, one run at a time. Each database has one such object.
 * Each run is a separate invocation with its own platform limits. After a run with a backlog, the alarm starts the next run.
 */
export class Janitor extends DurableObject<Env> {
  readonly #alarm = new Alarm(this.ctx)
  #current: Promise<unknown> = Promise.resolve()
  #next: Promise<Report> | undefined

  /**
   * Returns the report of a run that begins after this call. Calls made before that run begins share it. The object stores
   * the name of its database, because `alarm()` receives no arguments.
   */
  wake(database: string): Promise<Report> {
    this.ctx.storage.kv.put(DATABASE, database)
    this.#next ??= this.#follow()
    return this.#next
  }

  /**
   * Starts a run at a time (Unix seconds), or earlier, for work that is due before the schedule starts the next run. Call it once
   * for each such time, not for each change.
   */
  wakeAt(database: string, time: number): void {
    this.ctx.storage.kv.put(DATABASE, database)
    this.#alarm.schedule(time)
  }

  /** What the last runs did, and what waits. */
  history(): JobHistory {
    return this.ctx.storage.kv.get<JobHistory>(HISTORY) ?? noHistory
  }

  /** Continues a backlog. Never throws, because the platform retries a failed alarm only a few times. */
  override async alarm(): Promise<void> {
    this.#alarm.begin()
    await this.wake(this.#database).catch(() => {})
  }

  get #database(): string {
    return this.ctx.storage.kv.get<string>(DATABASE) ?? FIRST
  }

  async #follow(): Promise<Report> {
    await this.#current
    this.#next = undefined
    const run = this.#run()
    this.#current = run.catch(() => {})
    return run
  }

  async #run(): Promise<Report> {
    let report: Report | undefined
    const started_ms = Date.now()
    try {
      report = await runScheduled(this.env, this.#database)
      return report
    } catch (error) {
      logError('the job did not run', { error: String(error) })
      throw error
    } finally {
      this.#scheduleNext(report)
      this.ctx.storage.kv.put(HISTORY, withRun(this.history(), entryOf(report, started_ms)))
    }
  }

  /**
   * Sets the alarm, unless it is set to an earlier time: after BACKLOG_DELAY with a backlog, after MOVE_DELAY during a move, with
   * a growing delay while runs fail, and when a task is due next. Sets none when nothing is left to do or the job is off: the
   * schedule starts the next run.
   */
  #scheduleNext(report: Report | undefined): void {
    const isStuck = report === undefined || (report.failed !== undefined && !report.has_backlog)
    const { kv } = this.ctx.storage
    const failures = isStuck ? (kv.get<number>('failures') ?? 0) + 1 : 0
    kv.put('failures', failures)
    const now = Date.now() / 1_000
    if (isStuck) this.#alarm.schedule(now + Math.min(BACKLOG_DELAY * 2 ** failures, MAX_DELAY))
    else if (report.waits_for_move) this.#alarm.schedule(now + MOVE_DELAY)
    else if (report.has_backlog) this.#alarm.schedule(now + BACKLOG_DELAY)
    if (report?.next_at !== undefined) this.#alarm.schedule(report.next_at)
  }
}

/** The entry of a run in the history. A run without a report has failed as a whole. */
function entryOf(report: Report | undefined, started_ms: number): JobRuns {
  const entry = {
    runs: 1,
    started_at: Math.floor(started_ms / 1_000),
    ended_at: Math.floor(Date.now() / 1_000),
  }
  if (!report) return { ...entry, state: 'failed', done: {}, failed: ['run'], queries: 0, calls: 0 }
  const { queries, calls, failed = [], has_backlog, next_at: _, waits_for_move, is_off, ...done } = report
  const left = has_backlog ? 'backlog' : failed.length > 0 ? 'failed' : 'done'
  return { ...entry, state: is_off ? 'off' : waits_for_move ? 'moving' : left, done, failed, queries, calls }
}

/**
 * Runs the job of each database, for the Worker's scheduled handler. A run takes as long as its steps, so the call has no time limit
 * (`callObject` has one), and no repetition: the alarm and the next schedule are one.
 *
 * @throws when a run, or a task of a run, failed
 */
export async function wakeJanitors(env: Env): Promise<void> {
  const config = configured(env)
  const runs = shardsIn(databasesOf(env)).map(async (database) => {
    const { failed = [] } = await janitorOf(env, config, database).wake(database)
    return failed.map((task) => `${database}: ${task}`)
  })
  const failed = (await Promise.all(runs)).flat()
  if (failed.length > 0) throw new Error(`failed: ${failed.join(', ')}`)
}

/** @throws without a valid configuration */
function configured(env: Env): Config {
  const { config, problems } = configuration(env)
  if (!config) throw new Error(`the service is not configured: ${problems.join('; ')}`)
  return config
}

/**
 * Runs the job of a database once, and logs its report. With JOB=off it does nothing, and the log says so.
 *
 * @throws without a valid configuration
 */
export async function runScheduled(env: Env, database: string): Promise<Report> {
  const config = configured(env)
  if (config.JOB === 'off') {
    logWarning('the job is off', { database })
    return { queries: 0, calls: 0, is_off: true }
  }
  const started_ms = Date.now()
  const databases = new Databases(databasesOf(env), {
    ranges: config.SHARDS,
    timeout_ms: config.CALL_TIMEOUT_MS,
  })
  const ctx = {
    db: databases.whole(database),
    databases,
    bucket: env.BUCKET,
    inboxes: inboxesOf(env, config),
    saves: savesOf(env, config),
    config,
    now_ms: started_ms,
    pause: (step_ms: number) => scheduler.wait(Math.min(step_ms, MAX_PAUSE_MS)),
  }
  // Imported here, so that Workers that only answer requests start without the modules of the job.
  const { runJob } = await import('./run.ts')
  const { wakeAfterJob } = await import('../operators/events/tasks.ts')
  const report = await runJob(ctx)
  const events = await wakeAfterJob(ctx, env.EVENTS)
  const checks = await askAgain(ctx, env).catch((error: unknown) => {
    // During a move the statement is refused. A run after the move asks for these checks.
    logWarning('no checks were asked for', { database, error: String(error) })
    return undefined
  })
  const { size_bytes = 0 } = databases.unfenced(database)
  const ms = Date.now() - started_ms
  logInfo('the job ran', { database, size_bytes, ...report, ...checks, events, ms })
  if (events)
    env.METRICS?.writeDataPoint({
      indexes: ['job'],
      blobs: ['job', database],
      doubles: [
        events.waiting,
        events.oldest_seconds,
        events.parked,
        events.oldest_parked_seconds,
        events.dropped,
      ],
    })
  if (size_bytes > PLANNED_BYTES) logWarning('the database is filling up', { database, size_bytes })
  return report
}
