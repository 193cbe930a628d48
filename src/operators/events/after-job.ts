import type { Message } from '../../platform/config/message.ts'
import { type JobContext, seconds } from '../../platform/context.ts'
import { wakeDelivery } from '../../platform/events/wake.ts'
import { logError, logWarning } from '../../platform/lib/log.ts'
import { tellDropped } from './dropped.ts'
import { readFigures } from './figures.ts'

/** What `wakeAfterJob` costs. */
export const COST = { queries: 4, calls: 1 }

/** What the log and the metrics say of the events of a database. Beyond 10,000 none are counted. */
export interface EventFigures {
  waiting: number
  oldest_seconds: number
  parked: number
  oldest_parked_seconds: number
  /** Dropped since the last `events.dropped`. */
  dropped: number
}

/**
 * Wakes the delivery after a run of the job: where the run wrote events, and in its own database when events are due there.
 * So a message that was lost, or a request that was cut off before it, costs five minutes. Writes what was dropped there.
 * Returns what waits in the run's database; undefined without events, or when it could not be read.
 */
export async function wakeAfterJob(
  ctx: JobContext,
  queue: Queue<Message> | undefined,
): Promise<EventFigures | undefined> {
  const { db, databases, config } = ctx
  if (config.WEBHOOK_URL === undefined) return undefined
  try {
    const now = seconds(ctx)
    const figures = await readFigures(db, now)
    const { waiting, parked, oldest_at, oldest_parked_at, is_due, dropped } = figures
    const isTold = await tellDropped(ctx, figures).catch((error: unknown) => {
      logWarning('the dropped events wait', { database: db.name, error: String(error) })
      return false
    })
    const since = (time: number | null) => (time === null ? 0 : Math.max(0, now - time))
    await wakeDelivery(queue, new Set([...databases.eventsIn, ...(is_due === 1 || isTold ? [db.name] : [])]))
    const [oldest_seconds, oldest_parked_seconds] = [since(oldest_at), since(oldest_parked_at)]
    return { waiting, oldest_seconds, parked, oldest_parked_seconds, dropped }
  } catch (error) {
    logError('the events could not be counted', { error: String(error) })
    return undefined
  }
}
