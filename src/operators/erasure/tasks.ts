import { sql } from 'drizzle-orm'
import { forgetMuted, LISTS_PER_ERASURE_STEP } from '../../features/mutes/copy.ts'
import { BATCH_SIZE, type StepContext, seconds } from '../../platform/context.ts'
import { rowsChangedBy } from '../../platform/db/database.ts'
import type { Task } from '../../platform/jobs/tasks.ts'
import { logError } from '../../platform/lib/log.ts'
import { isTimeout } from '../../platform/lib/timeout.ts'
import { removeParked } from '../events/parked.ts'
import { eraseObjects, markInboxErased } from './erase.ts'
import { finishElsewhere } from './guests.ts'
import { forgetUserElsewhere } from './moderators.ts'
import {
  type ErasureRow,
  endErasure,
  endGuest,
  erasureColumns,
  removeContent,
  removeShares,
  removeUploads,
  sharesWith,
} from './remove.ts'

/** The task of erasures. */
export const erasureTasks = {
  users_erased: {
    step: eraseStep,
    due: ({ now_ms }) => sql`SELECT 1 FROM erasures WHERE next_at <= ${now_ms}`,
    queries: 63,
    calls: 2 + 5 * LISTS_PER_ERASURE_STEP,
    feeds: ['rows_purged', 'assets_purged', 'catalogue_applied', 'objects_removed'],
  },
} as const satisfies Record<string, Task>

/**
 * Takes a step of the erasure whose turn it is: removes rows, or ends the erasure when nothing is left. An erasure that fails is
 * tried again later. Returns the number of erasures of which it took a step, 0 or 1. An erasure without remaining rows counts,
 * because other erasures may wait behind it.
 *
 * @throws TimeoutError after a call without an answer: the other erasures wait for the next run
 */
export async function eraseStep(ctx: StepContext): Promise<number> {
  const [erasure] = await ctx.db.read<ErasureRow>(
    sql`SELECT ${erasureColumns} FROM erasures WHERE next_at <= ${ctx.now_ms} ORDER BY next_at LIMIT 1`,
  )
  if (!erasure) return 0
  const { user_id, until } = erasure
  let timeout: unknown
  const removed = await continueErasure(ctx, erasure).catch((error: unknown) => {
    logError('an erasure failed and is tried again later', { error: String(error) })
    if (isTimeout(error)) timeout = error
    return 0
  })
  const next_at = removed > 0 ? ctx.now_ms : Math.max(ctx.now_ms, until * 1_000) + 1_000
  await ctx.db.write(
    sql`UPDATE erasures SET next_at = ${next_at} WHERE user_id = ${user_id} AND until = ${until}`,
  )
  if (timeout) throw timeout
  return 1
}

/**
 * Continues an erasure. In the user's home, this removes up to BATCH_SIZE rows of each table, empties the inbox and the saves
 * once, and follows shares with the user and the user's blocks into other databases. In another database, where the user is a guest,
 * it removes shares with the user and parked events. Returns how many rows changed and databases were asked.
 */
async function continueErasure(ctx: StepContext, erasure: ErasureRow): Promise<number> {
  const { user_id, until, inbox_erased, is_guest } = erasure
  const now = seconds(ctx)
  const parked = removeParked(ctx, user_id, until, BATCH_SIZE)
  if (is_guest === 1) {
    const shares = removeShares(ctx, user_id, until, BATCH_SIZE)
    return rowsChangedBy(ctx.db, [...shares, ...parked, endGuest(user_id, until, now)])
  }
  const removed = await rowsChangedBy(ctx.db, [
    ...removeContent(ctx, erasure, BATCH_SIZE),
    ...removeUploads(ctx, user_id, until, BATCH_SIZE),
    ...parked,
  ])
  if (inbox_erased === 0) await eraseObjects(ctx, erasure, { sockets: false })
  const { forgotten } = await forgetMuted(ctx, ctx.db, erasure)
  const finished = await finishElsewhere(ctx, erasure, sharesWith(user_id, until))
  const { asked, changed, isDone } =
    finished > 0
      ? { asked: erasure.asked, changed: 0, isDone: false }
      : await forgetUserElsewhere(ctx, erasure)
  const ended = await rowsChangedBy(ctx.db, [
    markInboxErased(user_id, until),
    sql`UPDATE erasures SET asked = ${asked} WHERE user_id = ${user_id} AND until = ${until} AND asked IS NOT ${asked}`,
    ...(isDone ? endErasure(ctx, user_id, until) : []),
  ])
  return removed + forgotten + finished + changed + ended
}
