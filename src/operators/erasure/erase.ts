import { type SQL, sql } from 'drizzle-orm'
import { purgeAssetsStatements } from '../../features/assets/delete.ts'
import { hideOwner } from '../../features/catalogue/hidden-owners.ts'
import { callInbox } from '../../features/notifications/call-inbox.ts'
import { callSaves } from '../../features/saves/call-saves.ts'
import { shareHintsOf } from '../../features/shares/hints.ts'
import { recordEmptied } from '../../features/trash/empty.ts'
import { purgeFirstRows } from '../../features/trash/purge.ts'
import { type RequestContext, seconds } from '../../platform/context.ts'
import { newId } from '../../platform/db/id.ts'
import { erasures } from '../../platform/db/schema.ts'
import { assignments, insert } from '../../platform/db/sql.ts'
import { ApiError } from '../../platform/errors.ts'
import { FIRST } from '../../platform/shards/map.ts'
import { markGuest } from './guests.ts'
import {
  type ErasureRow,
  endErasure,
  erasureColumns,
  forgetModerator,
  removeContent,
  removeUploads,
} from './remove.ts'
import { noteErasure } from './repeat.ts'

/** How far apart the clocks of two Workers may be. */
const MAX_CLOCK_SKEW_SECONDS = 60

/** The number of rows of each table that the request itself marks or removes. The job removes the rest. */
const ROWS_ERASED_BY_REQUEST = 100

/**
 * Erases a user by one watermark (docs/conformance.md#for-those-who-run-it). From then on no answer shows resources that the user
 * made before the watermark, and the user's token opens an empty account, to which later resources belong. The request also
 * marks the erasure in databases that have shares with the user, empties the inbox and the saves, and removes the first rows.
 * The job does the rest. Branches that other users made keep their content.
 *
 * @throws UNAVAILABLE, possibly after the watermark is written: then the job finishes the erasure
 */
export async function eraseUser(ctx: RequestContext, user_id: string): Promise<void> {
  const { databases } = ctx
  const home = databases.home(user_id)
  const erasure = { user_id, until: seconds(ctx) + MAX_CLOCK_SKEW_SECONDS, mark: newId(user_id) }
  ctx.ended.push(['owner', user_id])
  await hideOwner(ctx, user_id, erasure.until)
  await noteErasure(ctx, erasure)
  // Rows made during an unfinished erasure have a `created_at` of at least its `until` + 1. The appended '0' makes the new
  // id of the erasure sort after the old one even if clocks differ.
  const again = {
    until: sql`max(until + 1, excluded.until)`,
    mark: sql`max(mark || '0', excluded.mark)`,
    next_at: 0,
    inbox_erased: 0 as const,
    is_guest: 0 as const,
    asked: null,
  }
  // Above the version of the user's mutes, also when clocks differ: the inbox clears what has a lower version.
  const aboveMutes = sql`max(${erasure.mark}, coalesce(
      (SELECT version || '0' FROM mute_lists WHERE user_id = ${user_id}), ''))`
  const {
    marked: [marked],
    hints,
  } = await home.write({
    marked: sql<ErasureRow>`${insert(erasures, { ...erasure, mark: aboveMutes })}
      ON CONFLICT (user_id) DO UPDATE SET ${assignments(erasures, again)} RETURNING ${erasureColumns}`,
    emptied: recordEmptied({ owner_id: user_id }),
    limit: sql`UPDATE usage SET limit_bytes = NULL WHERE user_id = ${user_id}`,
    hints: shareHintsOf(user_id),
  })
  if (!marked) throw new ApiError('INTERNAL')
  const { until, mark } = marked
  if (until !== erasure.until || mark !== erasure.mark) {
    await hideOwner(ctx, user_id, until)
    await noteErasure(ctx, { user_id, until, mark })
  }
  await markGuest(databases, marked, home.name, hints)
  await eraseObjects(ctx, marked, { sockets: true })
  // Moderation and the audit are in the first database, whose answers know no erasure of another.
  if (home.name !== FIRST) await databases.common.write(forgetModerator(ctx, marked, ROWS_ERASED_BY_REQUEST))
  await home.write([
    markInboxErased(user_id, until),
    ...removeContent(ctx, marked, ROWS_ERASED_BY_REQUEST),
    ...purgeFirstRows(ctx, user_id),
    ...purgeAssetsStatements(ctx, { owner_id: user_id }, ROWS_ERASED_BY_REQUEST),
    ...removeUploads(ctx, user_id, until, ROWS_ERASED_BY_REQUEST),
    ...endErasure(ctx, user_id, until),
  ])
}

/**
 * Empties the inbox and the saves of an erasure's user. `sockets`: whether the inbox also closes the user's sockets.
 *
 * @throws UNAVAILABLE when one of them does not answer
 */
export async function eraseObjects(
  ctx: Pick<RequestContext, 'inboxes' | 'saves' | 'config'>,
  { user_id, mark }: Pick<ErasureRow, 'user_id' | 'mark'>,
  { sockets }: { sockets: boolean },
): Promise<void> {
  await callInbox(ctx, user_id, (inbox) => inbox.erase(mark, { sockets }), true)
  await callSaves(ctx, user_id, (saves) => saves.erase(mark), true)
}

/** The statement that records that the inbox and the saves have been erased. */
export function markInboxErased(user_id: string, until: number): SQL {
  return sql`UPDATE erasures SET inbox_erased = 1 WHERE user_id = ${user_id} AND until = ${until} AND inbox_erased = 0`
}
