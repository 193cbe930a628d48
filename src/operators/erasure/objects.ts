import { type SQL, sql } from 'drizzle-orm'
import { callInbox } from '../../features/notifications/call-inbox.ts'
import { callSaves } from '../../features/saves/call-saves.ts'
import type { RequestContext } from '../../platform/context.ts'
import type { ErasureRow } from './remove.ts'

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
