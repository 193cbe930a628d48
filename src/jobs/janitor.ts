import { DurableObject } from 'cloudflare:workers'
import { Database } from '../db/database.ts'
import { configuration, type Env } from '../env.ts'
import { type Report, runJob } from './run.ts'

/** When the next run follows one that left a backlog, in milliseconds. */
const SOON = 1_000

/** At most as long after runs that failed, or got nothing done; the schedule comes as often anyway. */
const LATEST = 5 * 60 * 1_000

/** As long as a pause after a step takes at most, in milliseconds. */
const LONGEST_PAUSE = 1_000

/**
 * Runs the scheduled job, one run at a time. There is one object of this class. A run is an invocation of its own, so
 * each has the platform's limits to itself; with a backlog the next one follows by alarm.
 */
export class Janitor extends DurableObject<Env> {
  #current: Promise<unknown> = Promise.resolve()
  #next: Promise<Report> | undefined

  /** A run that begins after this call. Calls that come before it begins share it. */
  wake(): Promise<Report> {
    this.#next ??= this.#follow()
    return this.#next
  }

  /** Goes on with a backlog. Never throws: the platform would repeat it a few times, and then no more. */
  override async alarm(): Promise<void> {
    await this.wake().catch(() => {})
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
    try {
      report = await runScheduled(this.env)
      return report
    } catch (error) {
      console.error(JSON.stringify({ message: 'the job did not run', error: String(error) }))
      throw error
    } finally {
      await this.#comeBack(report)
    }
  }

  /** Sets the alarm: soon when there is a backlog, ever later while runs get nothing done, not when all is done. */
  async #comeBack(report: Report | undefined): Promise<void> {
    const isStuck = report === undefined || (report.failed !== undefined && !report.has_backlog)
    const { kv } = this.ctx.storage
    const failures = isStuck ? (kv.get<number>('failures') ?? 0) + 1 : 0
    kv.put('failures', failures)
    if (isStuck) await this.ctx.storage.setAlarm(Date.now() + Math.min(SOON * 2 ** failures, LATEST))
    else if (report.has_backlog) await this.ctx.storage.setAlarm(Date.now() + SOON)
  }
}

/** Wakes the janitor, as the Worker's scheduled handler does. Fails when the run did, or a task of it. */
export async function wakeJanitor(env: Env): Promise<void> {
  const { failed } = await env.JANITOR.getByName('janitor').wake()
  if (failed) throw new Error(`failed: ${failed.join(', ')}`)
}

/** One run of the job over the Worker's bindings; its report goes to the log. Fails without a configuration. */
export async function runScheduled(env: Env): Promise<Report> {
  const { config, problems } = configuration(env)
  if (!config) throw new Error(`the service is not configured: ${problems.join('; ')}`)
  const began = Date.now()
  const report = await runJob({
    db: new Database(env.DB, undefined, config.CALL_TIMEOUT_MS),
    bucket: env.BUCKET,
    inboxes: env.INBOX,
    config,
    now_ms: began,
    pause: (step_ms) => scheduler.wait(Math.min(step_ms, LONGEST_PAUSE)),
  })
  console.log(JSON.stringify({ message: 'the job ran', ...report, ms: Date.now() - began }))
  return report
}
