import { Database } from '../db/database.ts'
import { configuration, type Env } from '../env.ts'
import { eraseStep } from '../operators/erase.ts'
import type { Job } from '../work.ts'
import { drainGarbage } from './drain-garbage.ts'
import { expireUploads, forgetUploads } from './expire-uploads.ts'
import { flagExpiredShares } from './flag-shares.ts'
import { forgetKeys } from './forget-keys.ts'
import { purgeAssets, retireAssets } from './purge-assets.ts'
import { purgeMarked, retireTrash } from './purge-trash.ts'
import { removeOrphans } from './remove-orphans.ts'

/**
 * One bounded step of a task: what it does takes effect as a whole or not at all, and what is left is found
 * again by the next step, in this run or another. Tells how much it did; nothing when there is nothing to do.
 */
type Step = (job: Job) => Promise<number>

/** In the order in which one leaves work for the next. */
const tasks = {
  users_erased: eraseStep,
  uploads_expired: expireUploads,
  trash_retired: retireTrash,
  rows_purged: purgeMarked,
  assets_retired: retireAssets,
  assets_purged: purgeAssets,
  shares_flagged: flagExpiredShares,
  objects_removed: drainGarbage,
  orphans_removed: removeOrphans,
  uploads_forgotten: forgetUploads,
  keys_forgotten: forgetKeys,
} satisfies Record<string, Step>

/** What a run did, in counts; the tasks that failed, by name. */
export type Report = Partial<Record<keyof typeof tasks, number>> & { failed?: string[] }

/** As many steps as one task takes in one run, so that a run ends however much there is to do. */
const MAX_STEPS = 100

/**
 * Does what time asks for: purges what has been in the trash for long enough, expires uploads and shares, removes
 * objects that no record refers to any more, and forgets what was kept for a time. A run that is cut off anywhere
 * leaves nothing half done, and a task that fails, or is left without an answer, does not keep the others from theirs.
 */
export async function runJob(job: Job): Promise<Report> {
  const report: Report = {}
  for (const [name, step] of Object.entries(tasks)) {
    try {
      const done = await repeat(step, job)
      if (done > 0) Object.assign(report, { [name]: done })
    } catch (error) {
      console.error(JSON.stringify({ message: 'a task of the job failed', task: name, error: String(error) }))
      report.failed = [...(report.failed ?? []), name]
    }
  }
  return report
}

async function repeat(step: Step, job: Job): Promise<number> {
  let done = 0
  for (let steps = 0; steps < MAX_STEPS; steps++) {
    const more = await step(job)
    if (more === 0) break
    done += more
  }
  return done
}

/** The job as the Worker's scheduled handler runs it; its report goes to the log. Fails without a configuration. */
export async function runScheduled(env: Env): Promise<void> {
  const { config, problems } = configuration(env)
  if (!config) throw new Error(`the job did not run, the service is not configured: ${problems.join('; ')}`)
  const report = await runJob({
    db: new Database(env.DB, undefined, config.CALL_TIMEOUT_MS),
    bucket: env.BUCKET,
    inboxes: env.INBOX,
    config,
    now_ms: Date.now(),
  })
  console.log(JSON.stringify({ message: 'the job ran', ...report }))
  if (report.failed) throw new Error(`failed: ${report.failed.join(', ')}`)
}
