import { type SQL, sql } from 'drizzle-orm'
import { seconds } from '../../platform/context.ts'
import type { Prepared } from '../../platform/db/sql.ts'
import { type EventContext, eventStatement } from '../../platform/events/record.ts'
import type { EventData } from '../../platform/events/types.ts'
import { isUnexpired } from './row.ts'

/* The statements that write the events of shares: an event for each row of `shares` that `which` selects. */

const share = {
  share_id: sql`id`,
  file_id: sql`file_id`,
  owner_id: sql`owner_id`,
  grantee_id: sql`grantee_id`,
}

/** The events of new shares. They follow the statement that creates the shares, in its batch. */
export function shareCreated(ctx: EventContext, which: SQL): Prepared[] {
  return eventStatement(ctx, 'share.created', () => ({
    resource_id: sql`id`,
    data: { ...share, permission: sql`permission`, expires_at: sql`expires_at` },
    from: sql`FROM shares WHERE ${which}`,
  }))
}

/**
 * The events of revoked shares. They precede the statement that deletes the shares, in its batch. A share that has expired
 * gets no event, because it gave no access any more.
 */
export function sharesRevoked(
  ctx: EventContext,
  which: SQL,
  reason: EventData<'share.revoked'>['reason'] | SQL,
): Prepared[] {
  return eventStatement(ctx, 'share.revoked', () => ({
    resource_id: sql`id`,
    data: { ...share, reason },
    from: sql`FROM shares WHERE ${which} AND ${isUnexpired(seconds(ctx))}`,
  }))
}
