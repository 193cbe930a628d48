import { type SQL, sql } from 'drizzle-orm'
import type { Message } from '../../platform/config/message.ts'
import { BATCH_SIZE, type JobContext, seconds } from '../../platform/context.ts'
import { wakeDelivery } from '../../platform/events/wake.ts'
import type { Cost, Task } from '../../platform/jobs/tasks.ts'
import { logError, logWarning } from '../../platform/lib/log.ts'
import { DAY } from '../../platform/lib/units.ts'
import { readOutboxMetrics } from './overview.ts'
import { reportDropped } from './report-dropped.ts'

/** The task of events for webhooks. */
export const eventTasks = {
  events_discarded: { step: discardOldParked, due: oldParked, queries: 2, calls: 0 },
} as const satisfies Record<string, Task>

/** How long a parked event is kept for an operator. */
const KEPT_SECONDS = 30 * DAY

function oldParked(ctx: JobContext): SQL {
  return sql`SELECT id FROM outbox INDEXED BY outbox_parked WHERE parked_at <= ${seconds(ctx) - KEPT_SECONDS}
    ORDER BY parked_at LIMIT ${BATCH_SIZE}`
}

/** Removes up to BATCH_SIZE events that were parked KEPT_SECONDS ago or earlier. Returns how many. */
async function discardOldParked(ctx: JobContext): Promise<number> {
  if (ctx.config.WEBHOOK_URL === undefined) return 0
  const discarded = await ctx.db.write(sql`DELETE FROM outbox WHERE id IN (${oldParked(ctx)}) RETURNING id`)
  return discarded.length
}

/** The highest cost of `wakeAfterJob`. */
export const WAKE_COST: Cost = { queries: 4, calls: 1 }

/** The events of a database as the log and the metrics report them. Counts end at 10,000. */
export interface EventMetrics {
  waiting: number
  oldest_seconds: number
  parked: number
  oldest_parked_seconds: number
  /** Events dropped since the last `events.dropped`. */
  dropped: number
}

/**
 * Wakes the delivery after a run of the job: for each database in which the run wrote events, and for the run's own database
 * when events are due there. A lost message to the queue therefore delays events until the next run at most. Also reports
 * the dropped events of the run's database. Returns this database's metrics; undefined when events are not configured or the
 * database could not be read. Never throws.
 */
export async function wakeAfterJob(
  ctx: JobContext,
  queue: Queue<Message> | undefined,
): Promise<EventMetrics | undefined> {
  const { db, databases, config } = ctx
  if (config.WEBHOOK_URL === undefined) return undefined
  try {
    const now = seconds(ctx)
    const metrics = await readOutboxMetrics(db, now)
    const { waiting, parked, oldest_at, oldest_parked_at, is_due, dropped } = metrics
    const isReported = await reportDropped(ctx, metrics).catch((error: unknown) => {
      logWarning('the dropped events wait', { database: db.name, error: String(error) })
      return false
    })
    const since = (time: number | null) => (time === null ? 0 : Math.max(0, now - time))
    await wakeDelivery(
      queue,
      new Set([...databases.eventsIn, ...(is_due === 1 || isReported ? [db.name] : [])]),
    )
    const [oldest_seconds, oldest_parked_seconds] = [since(oldest_at), since(oldest_parked_at)]
    return { waiting, oldest_seconds, parked, oldest_parked_seconds, dropped }
  } catch (error) {
    logError('the events could not be counted', { error: String(error) })
    return undefined
  }
}
