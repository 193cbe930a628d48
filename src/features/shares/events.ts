import { type SQL, sql } from 'drizzle-orm'
import { seconds } from '../../platform/context.ts'
import type { Rendered } from '../../platform/db/sql.ts'
import { type EventContext, eventStatement } from '../../platform/events/record.ts'
import type { EventData } from '../../platform/events/types.ts'

/* The statements that write the events of shares: one for each row of `shares` that the condition selects. */

const share = {
  share_id: sql`id`,
  file_id: sql`file_id`,
  owner_id: sql`owner_id`,
  grantee_id: sql`grantee_id`,
}

/** For the batch that creates a share, after the statement that does. */
export function shareCreated(ctx: EventContext, which: SQL): Rendered[] {
  return eventStatement(ctx, 'share.created', () => ({
    resource_id: sql`id`,
    data: { ...share, permission: sql`permission`, expires_at: sql`expires_at` },
    from: sql`FROM shares WHERE ${which}`,
  }))
}

/** For the batch that removes shares, before the statement that does. Those that have expired have ended already. */
export function sharesRevoked(
  ctx: EventContext,
  which: SQL,
  reason: EventData<'share.revoked'>['reason'] | SQL,
): Rendered[] {
  return eventStatement(ctx, 'share.revoked', () => ({
    resource_id: sql`id`,
    data: { ...share, reason },
    from: sql`FROM shares WHERE ${which} AND (expires_at IS NULL OR expires_at > ${seconds(ctx)})`,
  }))
}
